"""Attack: one slow evaluation spends the deadline of another, or stops it.
Answer: deadlines count ticks of one clock that follows time, for each evaluation by itself.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.errors import EngineError

ADMITTED = (Path(__file__).parents[2] / "testdata" / "policy-input" / "admitted.json").read_bytes()


def test_threat_30_evaluations_that_run_out_of_time_stop_nobody_else() -> None:
    engine = EmbeddedEngine()

    def late(_number: int) -> str:
        with pytest.raises(EngineError) as caught:
            engine.decide(ADMITTED, 0.0)
        return caught.value.code

    def patient(_number: int) -> Any:
        return engine.decide(ADMITTED, 60.0)["allow"]

    with ThreadPoolExecutor(8) as pool:
        stopped = [pool.submit(late, number) for number in range(40)]
        answered = [pool.submit(patient, number) for number in range(40)]
        assert {one.result() for one in stopped} == {"engine.timeout"}
        assert {one.result() for one in answered} == {True}
    engine.close()
