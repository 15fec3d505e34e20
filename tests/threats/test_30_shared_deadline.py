"""Attack: one slow evaluation spends the deadline of another, or stops it.
Answer: deadlines count ticks of one clock that follows time, for each evaluation by itself.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.errors import EngineError

INPUT = json.loads((Path(__file__).parents[2] / "testdata" / "policy-input" / "admitted.json").read_bytes())
ADMITTED = json.dumps(INPUT).encode()


def large() -> bytes:
    """An input that takes far longer than a tick of the clock."""
    item = {"index": 0, "kind": "file", "ok": True, "state": "refuted", "reason": "x", "message": "x" * 50}
    claims = [{"id": f"c{n}", "statement": "", "state": "refuted", "evidence": [item] * 200} for n in range(50)]
    return json.dumps(INPUT | {"result": INPUT["result"] | {"claims": claims}}).encode()


def test_threat_30_evaluations_that_run_out_of_time_stop_nobody_else() -> None:
    engine = EmbeddedEngine()
    slow = large()

    def late(_number: int) -> str:
        with pytest.raises(EngineError) as caught:
            engine.decide(slow, 0.01)
        return caught.value.code

    def patient(_number: int) -> Any:
        return engine.decide(ADMITTED, 60.0)["allow"]

    with ThreadPoolExecutor(8) as pool:
        stopped = [pool.submit(late, number) for number in range(6)]
        answered = [pool.submit(patient, number) for number in range(40)]
        assert {one.result() for one in stopped} == {"engine.timeout"}
        assert {one.result() for one in answered} == {True}
    engine.close()
