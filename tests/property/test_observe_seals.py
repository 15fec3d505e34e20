"""Globs match what a plain definition of them matches; contracts survive; no bytes get past the reader's own errors."""

import fnmatch
import json
import os
import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from in_toto_done_receipt.errors import ConfigurationError, MalformedInput, OutputError, ProducerError
from in_toto_done_receipt.observe.files import write_atomic
from in_toto_done_receipt.observe.globs import compile_glob, expand
from in_toto_done_receipt.observe.seals import SCHEMA, look_again, read_contract, seal, write_contract
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.wire.escape import escape

PARTS = st.text(alphabet="ab-.", min_size=1, max_size=4).filter(lambda part: part not in {".", ".."})
PATHS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)
PATTERN_PARTS = st.one_of(
    st.just("**"),
    st.lists(st.sampled_from(["a", "b", "*", "?", "[ab]", "[!a]", "[a-b]", "-", "."]), min_size=1, max_size=4).map(
        "".join
    ),
)
PATTERNS = st.lists(PATTERN_PARTS, min_size=1, max_size=4).map("/".join)


def _plain(parts: list[str], names: list[str]) -> bool:
    """The definition, with all the going back that it takes."""
    if not parts:
        return not names
    if parts[0] != "**":
        return bool(names) and fnmatch.fnmatchcase(names[0], parts[0]) and _plain(parts[1:], names[1:])
    least = 1 if len(parts) == 1 else 0
    return any(_plain(parts[1:], names[count:]) for count in range(least, len(names) + 1))


@given(PATTERNS, PATHS)
@settings(max_examples=200)
def test_glob_is_its_definition(pattern: str, path: str) -> None:
    try:
        glob = compile_glob(pattern)
    except ConfigurationError:
        return
    # `a/**/**` is `a/**` to us, where the definition would want two names.
    collapsed = re.sub(r"(?:\*\*/)+(?=\*\*(?:/|$))", "", glob.pattern)
    assert glob.matches(path) == _plain(collapsed.split("/"), path.split("/"))


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_pattern_compiles_or_is_a_configuration_error(pattern: str, path: str) -> None:
    message = ""
    try:
        compile_glob(pattern).matches(path)
    except ConfigurationError as error:
        message = error.message
    assert message == escape(message)


@given(st.sets(PATHS, max_size=6), PATTERNS)
@settings(max_examples=30)
def test_expand_is_a_filter_of_the_whole_tree(paths: set[str], pattern: str) -> None:
    try:
        glob = compile_glob(pattern)
    except ConfigurationError:
        return
    with tempfile.TemporaryDirectory() as root, DirectoryWorkspace(Path(root)) as ws:
        for path in paths:
            try:
                (Path(root) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(root) / path).touch()
            except OSError:
                continue
        everything = {found.relative_to(root).as_posix(): found.is_dir() for found in Path(root).rglob("*")}
        wanted = {path for path, folder in everything.items() if glob.matches(path)}
        if pattern.endswith("**"):
            wanted = {path for path in wanted if not everything[path]}
        assert set(expand(ws, pattern)) == wanted


@given(st.dictionaries(PATHS, st.binary(max_size=5), max_size=6), st.sets(PATHS, min_size=1, max_size=4))
@settings(max_examples=30)
def test_a_contract_survives_and_holds_until_something_moves(files: dict[str, bytes], sealed: set[str]) -> None:
    with tempfile.TemporaryDirectory() as root, DirectoryWorkspace(Path(root)) as ws:
        for path, data in files.items():
            try:
                (Path(root) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(root) / path).write_bytes(data)
            except OSError:
                continue
        try:
            contract = read_contract(write_contract(seal(ws, sorted(sealed))))
        except ProducerError:
            return  # one of them is a directory
        assert look_again(ws, contract.digests(), contract.absent) == ()
        for file in contract.sealed:
            with (Path(root) / file.name).open("ab") as stream:
                stream.write(b"!")
        moved = look_again(ws, contract.digests(), contract.absent)
        assert [change.path for change in moved] == [file.name for file in contract.sealed]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(SCHEMA),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["schema", "sealed", "absent", "name", "digest", "sha256"]), inner)
    ),
    max_leaves=10,
)


@given(st.one_of(st.binary(max_size=200), VALUES.map(lambda value: json.dumps(value).encode())))
def test_any_bytes_give_a_contract_or_our_error(data: bytes) -> None:
    message = ""
    try:
        read_contract(data)
    except MalformedInput as error:
        message = error.message
    assert message == escape(message)


@given(st.binary(max_size=100), st.binary(max_size=100), st.integers(0, 4))
@settings(max_examples=30)
def test_whatever_fails_the_file_is_the_old_or_the_new_one(old: bytes, new: bytes, failing: int) -> None:
    """Each system call of a replacement fails in turn."""
    calls = ("open", "fdopen", "fsync", "rename", "link")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out"
        path.write_bytes(old)
        real = getattr(os, calls[failing])

        def fail(*given: object, **named: object) -> object:
            raise OSError(5, "Input/output error")

        setattr(os, calls[failing], fail)
        try:
            write_atomic(path, new)
            written = True
        except OutputError:
            written = False
        finally:
            setattr(os, calls[failing], real)
        assert path.read_bytes() == (new if written else old)
        assert [entry.name for entry in Path(folder).iterdir()] == ["out"]
