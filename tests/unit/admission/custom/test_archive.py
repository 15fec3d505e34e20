"""Archives are read in memory: bounded, without links, without ways out, each name once."""

import gzip
import tarfile
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.admission.custom import archive
from in_toto_done_receipt.admission.custom.archive import read_archive
from in_toto_done_receipt.errors import ConfigurationError
from tests.unit.admission.custom.conftest import bundle, tar


def packed(files: dict[str, bytes], change: Callable[[tarfile.TarInfo], None] | None = None) -> bytes:
    return gzip.compress(tar(files, change=change))


def refused(data: bytes, match: str) -> None:
    with pytest.raises(ConfigurationError, match=match) as caught:
        read_archive(data, what="b.tar.gz")
    assert caught.value.message.startswith("b.tar.gz: ")


def test_it_gives_every_file() -> None:
    files = {"a.rego": b"a", "b/c.rego": b"", "b/é.rego": b"d" * 5000}
    assert read_archive(packed(files), what="b") == files


@pytest.mark.parametrize("prefix", ["/", "./"])
def test_the_names_that_opa_and_tar_write_are_the_same(prefix: str) -> None:
    assert read_archive(packed({f"{prefix}a/b.rego": b"x"}), what="b") == {"a/b.rego": b"x"}


def test_folders_are_passed_over() -> None:
    def folders(entry: tarfile.TarInfo) -> None:
        if entry.name.endswith("/"):
            entry.type = tarfile.DIRTYPE

    assert read_archive(packed({"./": b"", "a/": b"", "a/b": b"x"}, folders), what="b") == {"a/b": b"x"}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../a", "'..' part"),
        ("a/../../b", "'..' part"),
        ("//etc/passwd", "absolute"),
        ("a/./b", "'.' part"),
        ("a//b", "empty"),
        ("a\\b", "backslash"),
        ("a\nb", "control character"),
        ("e\u0301.rego", "normalisation form"),
        ("._a.rego", "macOS"),
        ("a/._b.rego", "macOS"),
    ],
)
def test_a_name_that_is_none_inside_is_refused(name: str, why: str) -> None:
    refused(packed({name: b"x"}), why)


def test_a_name_that_is_no_utf8_is_refused() -> None:
    data = tar({"aaaa": b"x"}).replace(b"aaaa", b"a\xffaa", 1)
    refused(gzip.compress(resummed(data)), "lone surrogate")


def resummed(data: bytes) -> bytes:
    """The first header's checksum made right again."""
    head = bytearray(data[:512])
    head[148:156] = b" " * 8
    head[148:156] = f"{sum(head):06o}\0 ".encode()
    return bytes(head) + data[512:]


@pytest.mark.parametrize("names", [("a", "a"), ("a", "./a"), ("a", "A"), ("straße", "STRASSE")])
def test_a_name_stands_there_once(names: tuple[str, str]) -> None:
    refused(gzip.compress(tar([(names[0], b"1"), (names[1], b"2")])), "stands there twice")


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.CONTTYPE],
)
def test_what_is_no_file_is_refused(kind: bytes) -> None:
    def change(entry: tarfile.TarInfo) -> None:
        entry.type, entry.linkname = kind, "/etc/passwd"

    if kind == tarfile.CONTTYPE:  # an old name for a regular file
        assert read_archive(packed({"a": b""}, change), what="b") == {"a": b""}
    else:
        refused(packed({"a": b""}, change), "neither a file nor a folder")


def test_a_sparse_file_is_refused() -> None:
    def change(entry: tarfile.TarInfo) -> None:
        entry.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "99999999999"}

    refused(packed({"a": b"0\n" + b"\0" * 510}, change), "neither a file nor a folder|is no archive")


def test_the_unpacked_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED", 100_000)
    refused(packed({"a": b"\0" * 200_000}), "unpacks to more than 100000 bytes")


def test_a_bomb_does_not_go_off() -> None:
    bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = b"".join(bomb.compress(b"\0" * 2**20) for _ in range(256)) + bomb.flush()
    assert len(data) < 2**20
    refused(data, "unpacks to more than")


def test_the_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_ARCHIVE", 10)
    refused(packed({"a": b"x"}), "at most 10 are read")


def test_the_number_of_entries_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_ENTRIES", 3)
    refused(packed({str(number): b"" for number in range(4)}), "more than 3 entries")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda data: data[:-20], "is cut off"),
        (lambda data: data + b"x", "1 bytes follow the end"),
        (lambda data: data + data, "bytes follow the end"),
        (lambda data: b"\x1f\x8b" + b"\0" * 40, "does not unpack"),
        (lambda data: gzip.compress(b"x" * 1000), "is no archive"),
        (lambda data: gzip.compress(gzip.decompress(data)[:600]), "is no archive"),
    ],
    ids=["cut", "more", "twice", "no gzip", "no tar", "cut tar"],
)
def test_a_damaged_archive_is_refused(spoil: Callable[[bytes], bytes], why: str) -> None:
    refused(spoil(packed({"a.rego": b"x" * 3000})), why)


def test_a_chain_of_extended_headers_is_bounded() -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 0
    refused(gzip.compress(header.tobuf() * 3000), "is no archive")


PLAIN = gzip.decompress(bundle())


@given(place=st.integers(0, len(PLAIN) - 1), value=st.integers(0, 255), cut=st.integers(0, 600))
def test_any_change_gives_files_or_our_own_error(place: int, value: int, cut: int) -> None:
    data = bytearray(PLAIN)
    data[place % 2048] = value
    spoiled: Any = bytes(data[: len(data) - cut])
    try:
        files = read_archive(gzip.compress(spoiled, 1), what="b")
    except ConfigurationError:
        return
    assert all(isinstance(content, bytes) for content in files.values())
