"""Attack: `.gitattributes` makes a checkout other bytes than the objects have, or leaves files out.
Answer: raw blobs; and a change of attributes is one of the harness.
"""

import pytest

from testdata.receipts.generate_changes import GREET, WORK, Case
from tests.threats.conftest import Desk

ATTRIBUTES = "* text eol=crlf ident\nsrc/** export-ignore\n"
IDENT = GREET + "# $Id$\n"


@pytest.mark.parametrize("manifest", [False, True])
def test_threat_23_bytes_are_those_of_the_objects(desk: Desk, manifest: bool) -> None:
    case = Case(
        why="",
        base={".gitattributes": ATTRIBUTES},
        work={"src/greet.py": IDENT},
        sealed=(".gitattributes", "tests/test_greet.py"),
        manifest=manifest,
    )
    laid = desk.lay_change(case)
    (laid.repo.git_dir / "info" / "attributes").write_text("* eol=crlf ident\n")
    seen = desk.look(laid)
    assert (seen.code, seen.violations) == (0, set())


@pytest.mark.parametrize("path", [".gitattributes", "src/.gitattributes", "tests/.gitattributes"])
def test_threat_23_attributes_that_are_added_are_named(desk: Desk, path: str) -> None:
    seen = desk.verify_change(Case(why="", work={**WORK, path: ATTRIBUTES}))
    assert "changes bytes on checkout" in seen.said_of("change-scope.harness_added")[path]
    assert (seen.code, seen.violations) == (12, {"change.scope"})
