"""Attack: the receipt covers README of a change of fifty files; names swapped; one name twice; empty files.
Answer: pairs of name and digest, unique names, a manifest for the whole tree (changed paths by git: the clean room).
"""

import pytest

from testdata.receipts import generate
from testdata.receipts.generate_changes import WORK, Case
from tests.threats.conftest import Desk

TWO = {"a.txt": "first\n", "b.txt": "second\n"}


def subjects(*files: generate.Json) -> generate.Change:
    return lambda statement, _predicate: statement.update(subject=list(files))


def test_threat_11_swapped_names_are_refuted(desk: Desk) -> None:
    change = subjects(generate.file("a.txt", TWO["b.txt"]), generate.file("b.txt", TWO["a.txt"]))
    seen = desk.verify(generate.Case(why="", change=change, work=TWO))
    assert (seen.code, "subjects.differs" in seen.reasons) == (11, True)


@pytest.mark.parametrize("twin", ["a.txt", "A.TXT"])
def test_threat_11_a_name_stands_once_also_after_folding(desk: Desk, twin: str) -> None:
    change = subjects(generate.file("a.txt", TWO["a.txt"]), generate.file(twin, TWO["a.txt"]))
    assert desk.verify(generate.Case(why="", change=change, work=TWO)).code == 3


def test_threat_11_an_empty_file_stands_for_no_other_empty_file(desk: Desk) -> None:
    change = generate.both(subjects(generate.file("a.txt", "")), generate.claims(generate.file_item("b.txt", "")))
    seen = desk.verify(generate.Case(why="", change=change, work={"a.txt": "not empty", "b.txt": ""}))
    assert (seen.code, "subjects.differs" in seen.reasons) == (11, True)


@pytest.mark.parametrize("digest", ["sha384", "sha512"])
def test_threat_11_every_common_digest_must_agree(desk: Desk, digest: str) -> None:
    lying = generate.file("greeting.txt", generate.GREETING)
    lying["digest"][digest] = "0" * (96 if digest == "sha384" else 128)
    assert desk.verify(generate.Case(why="", change=subjects(lying))).code == 11


def test_threat_11_an_artifact_that_the_receipt_does_not_cover_is_refused(desk: Desk) -> None:
    case = generate.Case(why="", work=TWO, flags=["--artifact", "workspace/a.txt"])
    seen = desk.verify(case)
    assert (seen.code, "subjects.artifact_unmatched" in seen.reasons) == (11, True)


def test_threat_11_a_manifest_covers_the_whole_tree(desk: Desk) -> None:
    seen = desk.verify(generate.Case(why="", change=generate.with_manifest, work=TWO))
    assert (seen.code, "output-manifest.differs" in seen.reasons) == (11, True)


FIFTY: dict[str, str | None] = {f"src/part{number}.py": f"x = {number}\n" for number in range(50)}


def test_threat_11_every_changed_path_has_to_be_covered(desk: Desk) -> None:
    seen = desk.verify_change(Case(why="", work={"README.md": "# greet\n\nmore\n", **FIFTY}, subjects=("README.md",)))
    assert (seen.code, set(seen.said_of("subjects.uncovered"))) == (11, set(FIFTY))


def test_threat_11_a_recomputed_manifest_covers_them(desk: Desk) -> None:
    case = Case(why="", work={**WORK, **FIFTY}, subjects=("src/greet.py",), manifest=True)
    assert desk.verify_change(case).code == 0


def test_threat_11_of_a_great_many_the_rest_is_counted(desk: Desk) -> None:
    many: dict[str, str | None] = {f"src/part{number}.py": f"x = {number}\n" for number in range(150)}
    seen = desk.verify_change(Case(why="", work={**WORK, **many}, subjects=("src/greet.py",)))
    assert seen.said_of("subjects.uncovered")[None] == "and 50 more path(s) changed and are no subjects"


def test_threat_11_what_is_deleted_needs_no_cover(desk: Desk) -> None:
    seen = desk.verify_change(Case(why="", base={"src/old.py": "x\n"}, work={**WORK, "src/old.py": None}))
    assert seen.code == 0
