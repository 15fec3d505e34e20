"""Attack: edit the tests, then seal them; or seal only LICENSE.
Answer: `held` only against the verifier's own contract; a receipt's own list is `held_as_reported`.
"""

from typing import Any

import pytest

from testdata.receipts import generate
from testdata.receipts.generate_changes import TEST, WORK, Case
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


EDITED: dict[str, str | None] = {**WORK, "tests/test_greet.py": TEST.replace("assert greet()", "assert True")}


def test_threat_07_the_base_revision_shows_it(desk: Desk) -> None:
    seen = desk.verify_change(Case(why="", work=EDITED, sealed_at="work"))
    assert (seen.code, seen.result["contract"]["state"], seen.violations) == (11, "moved", {"contract.held"})


def test_threat_07_only_the_license_is_sealed(desk: Desk) -> None:
    """What has to be sealed is listed from the base tree, by the profile's patterns and the built-in ones."""
    seen = desk.verify_change(Case(why="", base={"LICENSE": "free\n"}, work=EDITED, sealed=("LICENSE",)))
    assert (seen.code, seen.violations) == (12, {"contract.coverage"})
    assert "the profile wants it sealed" in seen.said_of("contract-coverage.not_sealed")["tests/test_greet.py"]


def test_threat_07_a_test_that_the_profile_does_not_name(desk: Desk) -> None:
    seen = desk.verify_change(Case(why="", base={"src/test_more.py": TEST}, work={**WORK, "src/test_more.py": ""}))
    assert (seen.code, set(seen.said_of("contract-coverage.not_sealed"))) == (12, {"src/test_more.py"})


def test_threat_07_tests_that_moved_are_no_longer_there(desk: Desk) -> None:
    work: dict[str, str | None] = {**WORK, "tests/test_greet.py": None, "tests/unit/test_greet.py": TEST}
    seen = desk.verify_change(Case(why="", work=work))
    assert (seen.code, set(seen.said_of("contract-seals.deleted"))) == (11, {"tests/test_greet.py"})
