"""Evidence that is looked at."""

from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.errors import ConfigurationError, ObservationError, UsageError, WorkMoved
from in_toto_done_receipt.observe import look
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.producer.evidence import Wanted, demand_collectable, evidence_tree, failed, look_at

HELLO = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"  # of b"hello\n"


def want(kind: str, **members: Any) -> Wanted:
    return Wanted(claim="c", kind=kind, members=members)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("hello\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "binary").write_bytes(b"\xff")
    return tmp_path


PATHS = [
    ("file", "file", "file", True),
    ("file", "directory", "file", False),
    ("file", "present", "file", True),
    ("file", "absent", "file", False),
    ("folder", "directory", "directory", True),
    ("folder", "present", "directory", True),
    ("folder", "file", "directory", False),
    ("link", "file", "symlink", False),
    ("link", "present", "symlink", False),
    ("link", "absent", "symlink", False),
    ("none", "absent", "absent", True),
    ("none", "present", "absent", False),
]


@pytest.mark.parametrize(("path", "expect", "observed", "ok"), PATHS)
def test_path(root: Path, path: str, expect: str, observed: str, ok: bool) -> None:
    with DirectoryWorkspace(root) as workspace:
        assert look_at(want("path", path=path, expect=expect), workspace, {}) == ({"type": observed}, ok)


@pytest.mark.parametrize(
    ("members", "ok"), [({}, True), ({"expectedSha256": HELLO}, True), ({"expectedSha256": "0"}, False)]
)
def test_file(root: Path, members: dict[str, str], ok: bool) -> None:
    with DirectoryWorkspace(root) as workspace:
        assert look_at(want("file", path="file", **members), workspace, {}) == ({"sha256": HELLO, "bytes": 6}, ok)


@pytest.mark.parametrize(("literal", "ok"), [("hell", True), ("x", False)])
def test_text(root: Path, literal: str, ok: bool) -> None:
    with DirectoryWorkspace(root) as workspace:
        seen = look_at(want("text", path="file", literal=literal), workspace, {})
    assert seen == ({"matched": ok, "bytes": 6}, ok)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (want("file", path="none"), "does not exist"),
        (want("file", path="link"), "symbolic link"),
        (want("file", path="folder"), "a directory"),
        (want("text", path="binary", literal="x"), "not UTF-8"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_looked_at_is_an_error(root: Path, item: Wanted, message: str) -> None:
    with DirectoryWorkspace(root) as workspace:
        seen = look_at(item, workspace, {})
    assert (seen.ok, message in seen.observed["error"]) == (False, True)


def test_a_file_that_changes_under_our_eyes(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A race, so it is made to happen."""

    def changing(*_: object) -> None:
        raise ObservationError("file changed while it was read", kind="changed")

    monkeypatch.setattr(look, "hash_file", changing)
    with DirectoryWorkspace(root) as workspace, pytest.raises(WorkMoved, match="changed while it was read"):
        look_at(want("file", path="file"), workspace, {})


@pytest.mark.parametrize(
    ("name", "digest", "ok"),
    [("a", {"sha256": HELLO}, True), ("a", {"sha256": "0"}, False), ("b", {"sha256": HELLO}, False)],
)
def test_output(root: Path, name: str, digest: dict[str, str], ok: bool) -> None:
    item = want("output", artifact={"name": name, "digest": digest})
    with DirectoryWorkspace(root) as workspace:
        assert look_at(item, workspace, {"a": {"sha256": HELLO}}) == ({"matched": ok}, ok)


def test_the_tree_is_the_predicates() -> None:
    item = want("file", path="x")
    assert evidence_tree(item, failed("x\ny")) == {
        "kind": "file",
        "path": "x",
        "observed": {"error": "x\\x0ay"},
        "ok": False,
    }


def test_an_error_fits_a_line() -> None:
    assert len(failed("x" * 10_000).observed["error"]) == 4096


def test_a_kind_that_cannot_be_collected() -> None:
    with pytest.raises(ConfigurationError, match="nothing here can collect this kind"):
        demand_collectable([want("https://example.com/x")], ["c"])


@pytest.mark.parametrize(("argv", "count"), [(["x"], 0), (["{junit}", "--also={junit}"], 2)])
def test_the_place_of_the_report_stands_in_one_argument(argv: list[str], count: int) -> None:
    with pytest.raises(UsageError, match=f"{{junit}} stands in {count} arguments, expected one"):
        demand_collectable([want("tests", argv=argv)], ["c"])


def test_a_test_is_cited_once() -> None:
    with pytest.raises(UsageError, match="a test is cited twice"):
        demand_collectable([want("tests", argv=["x", "{junit}"], cited=["a", "a"])], ["c"])


def test_a_claim_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="there is no such claim"):
        demand_collectable([want("file", path="x")], ["d"])
