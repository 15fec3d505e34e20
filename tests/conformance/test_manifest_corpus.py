"""Manifests that agent-receipt 0.1.1 wrote, and ones that were tampered with: the same digests, the same verdicts."""

import json
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.observe.manifest.diff import diff
from in_toto_done_receipt.observe.manifest.read import read_manifest
from in_toto_done_receipt.observe.manifest.scan import scan

REFUSED = {
    "abs": "path is absolute",
    "bom": "byte order mark",
    "count_wrong": "/file_count is",
    "deep": "nest|deep",
    "dotdot": r"\. or \.\. part",
    "dup_key": "duplicate",
    "extra_key": "is unknown",
    "float": "expected an integer",
    "hash_upper": "lowercase hex",
    "schema": "/schema is",
    "unsorted": "not in order",
}
ACCEPTED = ("pretty", "valid")


@pytest.fixture
def corpus(shared: Path) -> Path:
    return shared / "corpus" / "agent-receipt"


@pytest.mark.parametrize("name", ["manifest_valid.json", "manifest_empty.json", "man_outside.json"])
def test_the_originals_bytes_are_ours(corpus: Path, name: str) -> None:
    data = (corpus / name).read_bytes()
    assert read_manifest(data).canonical() == data.rstrip(b"\n")


def test_the_originals_digest_is_ours(corpus: Path) -> None:
    vector = json.loads((corpus / "manifest_vectors.json").read_bytes())
    assert read_manifest((corpus / vector["file"]).read_bytes()).digest == vector["digest"]


def test_the_originals_tree_has_the_originals_digest(corpus: Path) -> None:
    """Besides its files it holds OUTPUT_MANIFEST.json, receipt.json or neither: both are left out."""
    given = read_manifest((corpus / "manifest_valid.json").read_bytes())
    assert not diff(given, scan(corpus / "out_ws"))


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_the_original_accepts_is_accepted(corpus: Path, name: str) -> None:
    given = read_manifest((corpus / "manifest_valid.json").read_bytes())
    assert read_manifest((corpus / "tampered" / f"man_{name}.json").read_bytes()) == given


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_original_refuses_is_refused_with_a_reason(corpus: Path, name: str) -> None:
    with pytest.raises(MalformedInput, match=REFUSED[name]):
        read_manifest((corpus / "tampered" / f"man_{name}.json").read_bytes())


def test_every_tampered_manifest_is_in_a_list(corpus: Path) -> None:
    files = {path.stem.removeprefix("man_") for path in (corpus / "tampered").glob("man_*.json")}
    assert files == {*REFUSED, *ACCEPTED}
