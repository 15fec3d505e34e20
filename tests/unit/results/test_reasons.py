"""The reason codes are a closed list: every one that the code names is in it, and every one in it is named."""

import re
from pathlib import Path
from typing import get_args

from in_toto_done_receipt.recompute.checks.registry import DOCUMENT_ORDER
from in_toto_done_receipt.recompute.clean_room.obstacle import Obstacle
from in_toto_done_receipt.results.reasons import REASONS

PACKAGE = Path(__file__).parents[3] / "in_toto_done_receipt"
CODE = re.compile(rf'"((?:{"|".join(DOCUMENT_ORDER)})\.[a-z_]+)"')


def named() -> set[str]:
    texts = [
        path.read_text(encoding="utf-8")
        for folder in ("recompute", "trust", "predicates", "handlers", "importers")
        for path in (PACKAGE / folder).rglob("*.py")
        if path.name != "faults.py"
    ]
    found = {code for text in texts for code in CODE.findall(text)}
    # lost_file.py writes `{check}.missing` for the two kinds that share it
    shared = ("confirmed", "missing", "not_a_file", "unreadable")
    found |= {f"evidence-{kind}.{reason}" for kind in ("file", "text") for reason in shared}
    # obstacle.py and evidence_tests.py write `{check}.{obstacle}` for the three checks that want the tests run
    room = ("evidence-tests", "test-inventory", "harness-canary")
    return found | {f"{check}.{obstacle}" for check in room for obstacle in get_args(Obstacle)}


def test_every_code_that_a_check_names_is_listed() -> None:
    from in_toto_done_receipt.predicates.done_receipt.faults import FAULT_REASONS

    assert named() - set(REASONS) - set(FAULT_REASONS) == set()


def test_every_listed_code_is_named_by_a_check() -> None:
    assert set(REASONS) - named() == set()


def test_every_code_belongs_to_a_check_of_the_document() -> None:
    assert {code.partition(".")[0] for code in REASONS} <= set(DOCUMENT_ORDER)
