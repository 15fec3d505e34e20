"""The policy inputs of testdata, and what `admit` decides on each: what every adapter has to decide too."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from in_toto_done_receipt.admission.decide import decide
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.wire.record import convert
from tests.policy_inputs import of_all_cases


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One policy input, the file it is in, and the codes of its violations; none of an admission."""

    name: str
    path: Path
    document: dict[str, Any]
    codes: frozenset[str]

    @property
    def allow(self) -> bool:
        return not self.codes


def decide_all(folder: Path) -> list[Decided]:
    """Every case of testdata, each in a file of its own in `folder`."""
    engine = EmbeddedEngine(jit=True)
    found = []
    for name, raw in of_all_cases(folder).items():
        document = json.loads(raw)
        path = folder / f"{name}.json"
        path.write_bytes(raw)
        decision = decide(
            convert(document["result"], VerificationResult, what=name),
            document["profile"],
            engine=engine,
            evaluated_at=document["evaluatedAt"],
            seconds=30.0,
        )
        assert decision.allow is not bool(decision.violations)
        codes = frozenset(violation.code for violation in decision.violations)
        found.append(Decided(name=name, path=path, document=document, codes=codes))
    return found
