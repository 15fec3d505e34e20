"""The policy inputs that the receipts of testdata lead to, as the engines get them."""

import json
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.cli import main

ROOT = Path(__file__).parents[1]
CASES = ROOT / "testdata" / "receipts"
ADMITTED = ROOT / "testdata" / "policy-input" / "admitted.json"
WRITTEN_DOWN = ("tests", "tests_fail")  # beside it: a clean room that ran; nothing runs for these


def of_all_cases(out: Path) -> dict[str, bytes]:
    """Case -> policy input, for every case that comes to a decision; and the one of testdata/policy-input."""
    found = {"policy-input": ADMITTED.read_bytes()}
    found |= {name: ADMITTED.with_name(f"{name}.json").read_bytes() for name in WRITTEN_DOWN}
    with pytest.MonkeyPatch.context() as patch:
        for case in sorted(CASES.glob("*/expected.json")):
            expected: dict[str, Any] = json.loads(case.read_text(encoding="utf-8"))
            if "violations" not in expected:
                continue
            path = out / f"{case.parent.name}.json"
            patch.chdir(case.parent)
            main.run(["verify", *expected["arguments"], "--output", f"policy-input={path}", "--quiet"])
            found[case.parent.name] = path.read_bytes()
    return found
