"""Attack: edit the tests, then seal them; or seal only LICENSE.
Answer: `held` only against the verifier's own contract; a receipt's own list is `held_as_reported`.
"""

from typing import Any

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk

WEAKENED = "exit 0\n"
LICENSE = generate.file("LICENSE", "free\n")
SEALED: dict[str, list[generate.Json]] = {
    "the edited test": [generate.file("tests/check.sh", WEAKENED)],
    "only the license": [LICENSE],
    "both": [LICENSE, generate.file("tests/check.sh", WEAKENED)],
    "nothing": [],
}


def case(sealed: list[generate.Json], **members: Any) -> generate.Case:
    return generate.Case(
        why="",
        change=generate.update("contract", sealed=sealed),
        work={"tests/check.sh": WEAKENED, "LICENSE": "free\n"},
        **members,
    )


@pytest.mark.parametrize("sealed", SEALED.values(), ids=SEALED)
def test_threat_07_the_verifiers_contract_shows_it(desk: Desk, sealed: list[generate.Json]) -> None:
    seen = desk.verify(case(sealed, inputs=generate.CONTRACT, flags=["--contract", "contract.json"]))
    assert (seen.code, seen.result["contract"]["state"], seen.violations) == (11, "moved", {"contract.held"})


@pytest.mark.parametrize("sealed", SEALED.values(), ids=SEALED)
def test_threat_07_without_one_it_is_never_called_held(desk: Desk, sealed: list[generate.Json]) -> None:
    seen = desk.verify(case(sealed))
    state = "held_as_reported" if sealed else "nothing_sealed"
    assert (seen.code, seen.result["contract"]["state"]) == (0, state)
    assert ("contract.held" in seen.warnings) is (not sealed)


def test_threat_07_an_empty_contract_holds_nothing(desk: Desk) -> None:
    empty = {"contract.json": generate.contract_text([], [])}
    seen = desk.verify(case([LICENSE], inputs=empty, flags=["--contract", "contract.json"]))
    assert seen.result["contract"]["state"] == "held_as_reported"
