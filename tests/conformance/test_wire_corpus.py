"""Every real file of the corpus goes through the reader: an answer, or one of our errors that says what it is."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import InputError, MalformedEnvelope, MalformedInput
from in_toto_done_receipt.wire.bundle import Bundle
from in_toto_done_receipt.wire.dsse import Envelope
from in_toto_done_receipt.wire.reader import ReceiptFile, read_receipts
from in_toto_done_receipt.wire.statement import read_statement

FOLDERS = ("intoto", "sigstore", "sigstore-conformance", "agent-receipt", "harness", "peers")


def read(path: Path, *, allow_statement: bool = False) -> ReceiptFile:
    return read_receipts(path.read_bytes(), what=path.name, allow_statement=allow_statement)


def check_message(error: InputError, place: str) -> None:
    assert error.message.isprintable()
    assert error.message.startswith(place)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_is_read_or_refused_with_our_errors(shared: Path, folder: str) -> None:
    files = [path for path in sorted((shared / "corpus" / folder).rglob("*")) if path.is_file()]
    assert files
    for path in files:
        try:
            groups = read(path, allow_statement=True).groups
        except InputError as error:
            check_message(error, path.name)
            continue
        for group in groups:
            try:
                read_statement(group.payload)
            except InputError as error:
                check_message(error, "statement")


@cache
def indexed(index: Path) -> tuple[tuple[str, str], ...]:
    """The (file, expected) columns of the index of the Sigstore samples."""
    rows = re.findall(r"^\| (\S+) \| [^|]* \| [^|]* \| (\S+) \|", index.read_text(), re.MULTILINE)
    return tuple(row for row in rows if row[0] not in ("file", "---"))


def test_sigstore_samples_that_a_verifier_accepts_are_read(shared: Path) -> None:
    folder = shared / "corpus" / "sigstore"
    read_files = [name for name, expected in indexed(folder / "INDEX.md") if expected.startswith("accept")]
    assert len(read_files) >= 20
    for name in read_files:
        if name.startswith("conf-managed-key"):  # over a file, as the index says below its table
            with pytest.raises(MalformedEnvelope, match="a signature over a file, not an attestation"):
                read(folder / name)
            continue
        for group in read(folder / name).groups:
            assert all(isinstance(part, Bundle) for part in group.parts), name
            assert read_statement(group.payload).subjects, name


def test_sigstore_roots_are_refused_by_name(shared: Path) -> None:
    folder = shared / "corpus" / "sigstore"
    for name in (name for name, expected in indexed(folder / "INDEX.md") if expected == "root"):
        with pytest.raises(MalformedEnvelope, match=r"a Sigstore trusted root|nothing to verify"):
            read(folder / name)


# Samples that a verifier rejects, and that do not even read; the others are the signature's business.
UNREADABLE = {
    "go-dsse-2sigs.sigstore.json": "exactly one signature in a Sigstore bundle, got 2",
    "gh-github_provenance_demo-0.0.12-py3-none-any-bundle-missing-verification-material.jsonl": "verificationMaterial",
    "conf-bundle-malformed-json_fail-bundle.json": "line 1",
    "conf-bundle-unknown-version_fail-bundle.json": "/mediaType: expected a Sigstore bundle",
    "pypi-pypi_attestations-0.0.19.tar.gz.provenance": "a PEP 740 provenance object",
    "py-config.v1.json": "a Sigstore trust configuration",
}


@pytest.mark.parametrize(("name", "fact"), UNREADABLE.items())
def test_sigstore_samples_that_do_not_read(shared: Path, name: str, fact: str) -> None:
    with pytest.raises(MalformedInput, match=fact):
        read(shared / "corpus" / "sigstore" / name)


KINDS = {
    "sigstore/gh-sigstore-js-2.1.0_with_2_bundles.jsonl": ("jsonl", 2),
    "sigstore/slsa-v1.10.0-binary-linux-amd64-push-v14.intoto.jsonl": ("envelope", 1),
    "sigstore/local-rekor2-bundle.json": ("bundle", 1),
    "intoto/carabiner-dev+collector/repository/jsonl/testdata/multiple.jsonl": ("jsonl", 6),
    "intoto/in-toto+attestation-verifier/test-data/test.fe1c6281.json": ("envelope", 1),
}


def test_url_safe_envelopes_of_google_cloud_build_are_read(shared: Path) -> None:
    path = shared / "corpus/sigstore/slsa-v0.3-gcloud-container-multiple-signatures-2ndvalid.json"
    with pytest.raises(MalformedEnvelope, match="gcloud's description of an image"):
        read(path)
    provenance = json.loads(path.read_bytes())["provenance_summary"]["provenance"][0]
    (group,) = read_receipts(json.dumps(provenance["envelope"]).encode(), what="x", allow_statement=False).groups
    assert isinstance(group.parts[0], Envelope)
    assert len(group.parts[0].signatures) == 3
    assert read_statement(group.payload).subjects


@pytest.mark.parametrize(("name", "expected"), KINDS.items())
def test_files_are_of_the_expected_kind(shared: Path, name: str, expected: tuple[str, int]) -> None:
    file = read(shared / "corpus" / name)
    assert (file.kind, sum(len(group.parts) for group in file.groups)) == expected


def test_conformance_cases_hold_attestations_exactly_when_they_hold_an_envelope(shared: Path) -> None:
    cases = sorted((shared / "corpus/sigstore-conformance/bundle-verify").glob("*/bundle.sigstore.json"))
    assert cases
    for case in cases:
        holds_envelope = b'"dsseEnvelope"' in case.read_bytes()
        try:
            read(case)
        except MalformedInput:
            assert not holds_envelope, case.parent.name
        else:
            assert holds_envelope, case.parent.name


def test_evidence_vectors_are_whole_statements(shared: Path) -> None:
    folder = shared / "corpus/intoto/astrogilda+aee-conformance/vectors"
    predicate_type = json.loads((folder / "MANIFEST.json").read_bytes())["predicateType"]
    vectors = sorted(folder.glob("*/*.json"))
    assert vectors
    for vector in vectors:
        (group,) = read(vector, allow_statement=True).groups
        assert group.payload == vector.read_bytes()
        assert read_statement(group.payload).predicate_type == predicate_type


@pytest.mark.parametrize("folder", ["agent-receipt", "harness"])
def test_no_old_receipt_passes_for_a_new_one(shared: Path, folder: str) -> None:
    for path in sorted((shared / "corpus" / folder).rglob("*.json*")):
        with pytest.raises(MalformedInput):
            read(path, allow_statement=True)
