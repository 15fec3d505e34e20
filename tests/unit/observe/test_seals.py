"""observe/seals.py"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ConfigurationError, LimitExceeded, MalformedInput, ProducerError
from in_toto_done_receipt.observe.look import hash_file
from in_toto_done_receipt.observe.seals import (
    SCHEMA,
    Contract,
    SealChange,
    breach_text,
    look_again,
    read_contract,
    seal,
    write_contract,
)
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace

EMPTY = hashlib.sha256(b"").hexdigest()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path in ("tests/test_a.py", "tests/deep/test_b.py", "Makefile"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(b"")
    return tmp_path


@pytest.fixture
def ws(root: Path) -> Iterator[DirectoryWorkspace]:
    with DirectoryWorkspace(root) as workspace:
        yield workspace


def _names(contract: Contract) -> list[str]:
    return [file.name for file in contract.sealed]


def test_seal_digests_files_and_seals_what_is_absent(ws: DirectoryWorkspace) -> None:
    contract = seal(ws, ["tests/**", "./Makefile", "conftest.py", "Makefile"])
    assert _names(contract) == ["Makefile", "tests/deep/test_b.py", "tests/test_a.py"]
    assert contract.absent == ("conftest.py",)
    assert contract.digests()["Makefile"] == {"sha256": EMPTY}


def test_contract_file_is_canonical_with_a_newline(ws: DirectoryWorkspace) -> None:
    expected = (
        f'{{"absent":["conftest.py"],"schema":"{SCHEMA}",'
        f'"sealed":[{{"digest":{{"sha256":"{EMPTY}"}},"name":"Makefile"}}]}}\n'
    )
    assert write_contract(seal(ws, ["Makefile", "conftest.py"])) == expected.encode()


def test_contract_order_is_that_of_utf8_bytes(ws: DirectoryWorkspace, root: Path) -> None:
    for name in ("\ue000", "\U00010000"):  # in UTF-16 they sort the other way round
        (root / name).write_bytes(b"")
    assert _names(seal(ws, ["*[!s]"])) == ["Makefile", "\ue000", "\U00010000"]


def test_contract_survives_writing_and_reading(ws: DirectoryWorkspace) -> None:
    contract = seal(ws, ["tests/**", "nothing", "nothing/else"])
    assert read_contract(write_contract(contract)) == contract


@pytest.mark.parametrize(
    ("make", "pattern", "fault"),
    [
        (None, "*.rs", r"pattern \*\.rs matches nothing"),
        (None, "tests", "tests is a directory, and only files can be sealed"),
        (None, "test*", r"pattern test\*: tests is a directory"),
        (lambda root: (root / "link").symlink_to("Makefile"), "link", "link is a symbolic link"),
        (lambda root: (root / "tests/link").symlink_to("/"), "tests/**", r"pattern tests/\*\*: tests/link is a symb"),
        (lambda root: (root / "l").symlink_to("tests"), "l/test_a.py", "l is a symbolic link"),
        (lambda root: os.mkfifo(root / "fifo"), "fi*", r"pattern fi\*: fifo is a special file"),
        (lambda root: (root / "e\u0301").write_bytes(b""), "[!Mt]*", "NFC"),
        (lambda root: (root / os.fsdecode(b"\xff")).write_bytes(b""), "[!Mt]*", r"\\xff cannot be sealed"),
        (lambda root: (root / "a\nb").write_bytes(b""), "[!Mt]*", r"a\\x0ab cannot be sealed: .*control"),
    ],
    ids=[
        "no-match",
        "directory",
        "glob-directory",
        "link",
        "link-below",
        "link-on-the-way",
        "fifo",
        "nfd",
        "raw",
        "lf",
    ],
)
def test_seal_refuses(
    ws: DirectoryWorkspace, root: Path, make: Callable[[Path], object] | None, pattern: str, fault: str
) -> None:
    if make is not None:
        make(root)
    with pytest.raises(ProducerError, match=fault):
        seal(ws, [pattern])


def test_seal_of_what_is_no_pattern_is_a_configuration_error(ws: DirectoryWorkspace) -> None:
    with pytest.raises(ConfigurationError, match="absolute"):
        seal(ws, ["/etc/passwd"])


def test_seal_over_the_limit_names_it(ws: DirectoryWorkspace) -> None:
    with pytest.raises(ProducerError, match="limit seals is 2"):
        seal(ws, ["tests/**", "Makefile"], limit=2)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_seal_of_an_unreadable_file_is_refused(ws: DirectoryWorkspace, root: Path) -> None:
    (root / "Makefile").chmod(0)
    with pytest.raises(ProducerError, match="permission denied"):
        seal(ws, ["Makefile"])


def _tree(**members: object) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "sealed": [{"name": "a", "digest": {"sha256": EMPTY}}, {"name": "b", "digest": {"sha256": EMPTY}}],
        "absent": ["c", "d"],
    } | members


def test_read_contract_takes_any_layout() -> None:
    assert _names(read_contract(json.dumps(_tree(), indent=2).encode())) == ["a", "b"]


def _sealed(*names: str, **digest: str) -> list[dict[str, object]]:
    return [{"name": name, "digest": digest or {"sha256": EMPTY}} for name in names]


@pytest.mark.parametrize(
    ("tree", "fault"),
    [
        pytest.param([], "contract", id="list"),
        pytest.param({"schema": SCHEMA, "sealed": []}, "absent", id="missing-member"),
        pytest.param(_tree(extra=1), "/extra is an unknown member", id="unknown-member"),
        pytest.param(_tree(sealed=[{"name": "a", "digest": {"sha256": EMPTY}, "x": 1}]), "/sealed/0/x", id="unknown"),
        pytest.param(_tree(schema="x"), "/schema is x, expected https", id="schema"),
        pytest.param(_tree(sealed=_sealed("b", "a")), "/sealed/1/name: a is not in order", id="order"),
        pytest.param(_tree(absent=["c", "c"]), "/absent/1: c is there twice", id="twice"),
        pytest.param(_tree(absent=["a"]), "a is both sealed and absent", id="both"),
        pytest.param(_tree(absent=["/etc"]), "/absent/0: path is absolute", id="absolute"),
        pytest.param(_tree(absent=["../x"]), "/absent/0: path has", id="parent"),
        pytest.param(_tree(absent=[1]), "/absent/0", id="number"),
        pytest.param(_tree(sealed=_sealed("a", sha256=EMPTY.upper())), "/sealed/0/digest/sha256", id="upper-case"),
        pytest.param(_tree(sealed=_sealed("a", sha512=EMPTY)), "no sha256", id="no-sha256"),
        pytest.param(_tree(sealed=_sealed("a", sha256=EMPTY, md5="x")), "md5 is none of", id="weak-algorithm"),
    ],
)
def test_read_contract_refuses(tree: object, fault: str) -> None:
    with pytest.raises(MalformedInput, match=fault):
        read_contract(json.dumps(tree).encode())


def test_read_contract_over_the_limit_names_it() -> None:
    with pytest.raises(LimitExceeded, match="limit seals is 3, got 4"):
        read_contract(json.dumps(_tree()).encode(), limit=3)


def test_read_contract_refuses_duplicate_members() -> None:
    with pytest.raises(MalformedInput, match="duplicate"):
        read_contract(json.dumps(_tree()).encode().replace(b'"absent"', b'"sealed": [], "absent"'))


def _remake(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def remake(path: Path) -> None:
        path.unlink()
        make(path)

    return remake


@pytest.mark.parametrize(
    ("act", "change", "detail"),
    [
        (lambda path: path.write_bytes(b"x"), "modified", "sha256 is 2d71.*, sealed e3b0"),
        (Path.unlink, "deleted", "absent now"),
        (_remake(Path.mkdir), "not_a_file", "it is a directory now"),
        (_remake(os.mkfifo), "not_a_file", "it is a special file now"),
        (_remake(lambda path: path.symlink_to("tests/test_a.py")), "not_a_file", "it is a symbolic link now"),
    ],
    ids=["modified", "deleted", "directory", "fifo", "link-to-the-same-bytes"],
)
def test_look_again_sees(
    ws: DirectoryWorkspace, root: Path, act: Callable[[Path], object], change: str, detail: str
) -> None:
    contract = seal(ws, ["Makefile", "tests/**"])
    act(root / "Makefile")
    (seen,) = look_again(ws, contract.digests(), contract.absent)
    assert (seen.path, seen.change) == ("Makefile", change)
    assert re.search(detail, seen.detail)


def test_look_again_at_what_held_is_empty(ws: DirectoryWorkspace) -> None:
    contract = seal(ws, ["tests/**", "nothing"])
    assert look_again(ws, contract.digests(), contract.absent) == ()


def test_look_again_is_in_order_of_paths_over_both_lists(ws: DirectoryWorkspace, root: Path) -> None:
    contract = seal(ws, ["tests/**", "Makefile", "GNUmakefile", "z"])
    for name in ("GNUmakefile", "z"):
        (root / name).mkdir()
    (root / "Makefile").unlink()
    (root / "tests/test_a.py").write_bytes(b"pass")
    changes = look_again(ws, contract.digests(), contract.absent)
    assert breach_text(changes) == (
        "GNUmakefile was created; Makefile was deleted; tests/test_a.py was modified; z was created"
    )


def test_a_folder_that_became_a_link_breaks_its_seals(ws: DirectoryWorkspace, root: Path) -> None:
    contract = seal(ws, ["tests/test_a.py", "tests/conftest.py"])
    (root / "tests").rename(root / "elsewhere")
    (root / "tests").symlink_to("elsewhere")
    changes = look_again(ws, contract.digests(), contract.absent)
    assert [(c.path, c.change) for c in changes] == [
        ("tests/conftest.py", "created"),
        ("tests/test_a.py", "not_a_file"),
    ]


def test_every_accepted_digest_is_compared(ws: DirectoryWorkspace) -> None:
    digests = hash_file(ws, "Makefile", algorithms=("sha256", "sha512")).digests
    assert look_again(ws, {"Makefile": digests}, []) == ()
    (seen,) = look_again(ws, {"Makefile": digests | {"sha512": "0" * 128}}, [])
    assert seen.change == "modified"


def test_a_seal_without_an_accepted_digest_does_not_hold(ws: DirectoryWorkspace) -> None:
    (seen,) = look_again(ws, {"Makefile": {"md5": "x"}}, [])
    assert seen.change == "unreadable"


def test_breach_text_of_nothing_is_none() -> None:
    assert breach_text(()) is None


def test_breach_text_counts_what_is_no_file_as_modified() -> None:
    assert breach_text([SealChange(path="a", change="not_a_file", detail="")]) == "a was modified"


def test_breach_text_of_an_unreadable_path_is_refused() -> None:
    with pytest.raises(ProducerError, match="permission denied"):
        breach_text([SealChange(path="a", change="unreadable", detail="a: permission denied")])


def test_breach_text_fits_into_a_receipt() -> None:
    changes = [SealChange(path=f"{n:04}" + "é" * 2000, change="deleted", detail="") for n in range(10_000)]
    text = breach_text(changes)
    assert text is not None
    assert 1_040_000 < len(text.encode()) <= 1 << 20
    kept = text.count("was deleted")
    assert text.endswith(f"; {10_000 - kept} more")
