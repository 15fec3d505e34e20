import hashlib
import json
from base64 import b64encode
from typing import Any

import pytest

from in_toto_done_receipt.errors import LimitExceeded, MalformedEnvelope, MalformedJson
from in_toto_done_receipt.wire.bundle import Bundle
from in_toto_done_receipt.wire.reader import ENVELOPE_MEDIA_TYPE, ReceiptFile, read_receipts

BUNDLE_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"
STATEMENT = {"_type": "https://in-toto.io/Statement/v1", "subject": [], "predicateType": "https://a", "predicate": {}}


def envelope(payload: bytes = b"{}", payload_type: str = "application/vnd.in-toto+json", **more: Any) -> dict[str, Any]:
    signatures = [{"sig": "c2ln"}]
    return {"payload": b64encode(payload).decode(), "payloadType": payload_type, "signatures": signatures} | more


def bundle(payload: bytes = b"{}", **more: Any) -> dict[str, Any]:
    material: dict[str, Any] = {"certificate": {}}
    return {"mediaType": BUNDLE_TYPE, "verificationMaterial": material, "dsseEnvelope": envelope(payload)} | more


def lines(*trees: Any) -> bytes:
    return b"".join(json.dumps(tree).encode() + b"\n" for tree in trees)


def read(data: bytes, *, allow_statement: bool = False) -> ReceiptFile:
    return read_receipts(data, what="r.json", allow_statement=allow_statement)


def test_read_receipts_reads_an_envelope() -> None:
    data = lines(envelope(b"hi"))
    file = read(data)
    assert (file.kind, file.skipped, file.size) == ("envelope", 0, len(data))
    assert file.sha256 == hashlib.sha256(data).hexdigest()
    (group,) = file.groups
    assert (group.payload, group.payload_type) == (b"hi", "application/vnd.in-toto+json")
    assert (group.media_type, len(group.parts)) == (ENVELOPE_MEDIA_TYPE, 1)


def test_read_receipts_reads_a_bundle_over_several_lines() -> None:
    file = read(json.dumps(bundle(), indent=1).encode())
    assert file.kind == "bundle"
    assert file.groups[0].media_type == BUNDLE_TYPE
    assert isinstance(file.groups[0].parts[0], Bundle)


def test_read_receipts_groups_lines_by_what_they_sign() -> None:
    other_type = envelope(b"1", "application/vnd.in-toto.done-receipt+json")
    file = read(lines(envelope(b"1"), bundle(b"2"), bundle(b"1"), envelope(b"1 "), other_type))
    assert file.kind == "jsonl"
    assert [(group.payload, len(group.parts)) for group in file.groups] == [(b"1", 2), (b"2", 1), (b"1 ", 1), (b"1", 1)]


LINES = {
    "blank lines": (b"\n" + lines(envelope()) + b" \n\r\n" + lines(bundle()), 1, 3),
    "carriage returns": (lines(envelope(), bundle()).replace(b"\n", b"\r\n"), 1, 0),
    "no line end at the end": (lines(envelope(b"1"), envelope(b"2")).rstrip(), 2, 0),
    "objects of another kind": (lines({"a": 1}, envelope(), [1], 2, {"signed": {"_type": "link"}}), 1, 4),
    "statements": (lines(STATEMENT, envelope(), STATEMENT), 1, 2),
    "signatures over files": (lines(envelope(), {"mediaType": BUNDLE_TYPE, "messageSignature": {}}), 1, 1),
}


@pytest.mark.parametrize(("data", "groups", "skipped"), LINES.values(), ids=LINES)
def test_read_receipts_skips_and_counts_other_lines(data: bytes, groups: int, skipped: int) -> None:
    file = read(data)
    assert (file.kind, len(file.groups), file.skipped) == ("jsonl", groups, skipped)


def test_read_receipts_keeps_a_bare_statement_as_it_arrived() -> None:
    data = json.dumps(STATEMENT, indent=3).encode() + b"\n\n"
    file = read(data, allow_statement=True)
    (group,) = file.groups
    assert (file.kind, group.payload, group.parts) == ("statement", data, ())


def test_read_receipts_refuses_a_bare_statement_with_a_hint() -> None:
    with pytest.raises(MalformedEnvelope, match=r"r\.json: a bare statement") as caught:
        read(lines(STATEMENT))
    assert caught.value.hint is not None
    assert "--unsigned" in caught.value.hint


REFUSED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "r.json: empty, nothing to verify"),
    "blank": (b" \n\n", "r.json: empty, nothing to verify"),
    "number": (b"1", "expected a DSSE envelope, .* got integer"),
    "unknown object": (b"{}", "got an object of no known format"),
    "array": (lines([envelope()]), "got array"),
    "lines of nothing": (lines({"a": 1}, {"b": 2}), r"no attestation in 2 line\(s\), nothing to verify"),
    "envelope and bundle": (lines(envelope(dsseEnvelope={})), "two formats at once: bundle and envelope"),
    "envelope and statement": (lines(envelope() | STATEMENT), "two formats at once: envelope and statement"),
    "bundle and statement": (lines(bundle() | STATEMENT), "two formats at once: bundle and statement"),
    "two formats in a line": (lines(envelope(), envelope() | bundle()), "r.json line 2: two formats at once"),
    "malformed envelope in a line": (lines({}, envelope(), envelope(signatures=[])), "r.json line 3: /signatures"),
    "malformed bundle in a line": (lines(envelope(), bundle(verificationMaterial={})), "r.json line 2: /verification"),
    "signature over a file": (lines({"mediaType": BUNDLE_TYPE, "messageSignature": {}}), "not an attestation"),
    "unknown bundle version": (lines(bundle(mediaType="application/vnd.dev.sigstore.bundle.v9+json")), "/mediaType"),
}


@pytest.mark.parametrize(("data", "fact"), REFUSED.values(), ids=REFUSED)
def test_read_receipts_refuses(data: bytes, fact: str) -> None:
    with pytest.raises(MalformedEnvelope, match=fact):
        read(data)


OTHER: dict[str, tuple[Any, str]] = {
    "agent receipt": ({"schema": "agent-receipt/v1"}, "an agent-receipt/v1 file"),
    "harness receipt": ({"schema": "harness.receipt.v1"}, "a harness.receipt.v1 file"),
    "manifest": ({"schema": "agent-output-manifest/v1"}, "an output manifest"),
    "result": ({"schema": "https://w3id.org/done-receipt/result/v0.1"}, "a verification result"),
    "verify output": ({"result": {}, "decision": {}}, "the output of verify"),
    "trusted root": (
        {"mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1"},
        "a Sigstore trusted root",
    ),
    "PEP 740 provenance": ({"version": 1, "attestation_bundles": []}, "a PEP 740 provenance object"),
    "PEP 740 attestation": ({"version": 1, "verification_material": {}, "envelope": {}}, "a PEP 740 attestation"),
    "in-toto link": ({"signed": {"_type": "link"}, "signatures": []}, "an in-toto link"),
    "in-toto layout": ({"signed": {"_type": "layout"}, "signatures": []}, "an in-toto layout"),
    "cosign bundle": ({"base64Signature": "", "cert": ""}, "an old cosign bundle"),
    "gcloud output": ({"image_summary": {}, "provenance_summary": {}}, "gcloud's description of an image"),
    "gh output": ([{"attestation": {}, "verificationResult": {}}], "the output of gh attestation verify"),
}


@pytest.mark.parametrize(("tree", "name"), OTHER.values(), ids=OTHER)
def test_read_receipts_names_known_other_formats(tree: Any, name: str) -> None:
    with pytest.raises(MalformedEnvelope, match=f"expected a receipt, got {name}"):
        read(lines(tree))


NOT_JSON = {
    "text": (b"hello", "syntax", "line 1, column 1"),
    "junk in a line": (
        lines(envelope()) + b"# comment\n" + lines(bundle()),
        "syntax",
        "r.json line 2: .* line 2, column 1",
    ),
    "duplicate member in a line": (lines(envelope()) + b'\n{"a": 1, "a": 2}\n', "duplicate_key", "line 3, column 10"),
    "two documents in a line": (lines(envelope()).rstrip() + lines(bundle(), bundle()), "trailing", "line 1, column"),
    "junk after an indented document": (
        json.dumps(envelope(), indent=1).encode() + b"\nx",
        "trailing",
        "line 10, column 1",
    ),
    "byte order mark": (b"\xef\xbb\xbf" + lines(envelope()), "bom", "line 1, column 1"),
    "byte order mark in a line": (lines(envelope()) + b"\xef\xbb\xbf" + lines(envelope()), "bom", "line 2, column 1"),
}


@pytest.mark.parametrize(("data", "kind", "place"), NOT_JSON.values(), ids=NOT_JSON)
def test_read_receipts_refuses_what_is_not_strict_json_by_line(data: bytes, kind: str, place: str) -> None:
    with pytest.raises(MalformedJson, match=place) as caught:
        read(data)
    assert caught.value.kind == kind


def test_read_receipts_refuses_more_than_sixteen_mebibytes() -> None:
    with pytest.raises(LimitExceeded, match="file-bytes is 16777216, got 16777217"):
        read(b" " * (2**24 + 1))


def test_read_receipts_refuses_too_many_attestations() -> None:
    with pytest.raises(LimitExceeded, match="attestations is 1024"):
        read(b"".join(lines(envelope(b"%d" % number)) for number in range(1025)))


def test_read_receipts_refuses_too_many_signatures_over_one_payload() -> None:
    with pytest.raises(LimitExceeded, match="signatures is 32, got 33"):
        read(lines(*[envelope()] * 33))


def test_read_receipts_refuses_a_bare_statement_above_ten_mebibytes() -> None:
    with pytest.raises(LimitExceeded, match="payload-bytes"):
        read(lines(STATEMENT) + b" " * (10 * 2**20), allow_statement=True)


def test_read_receipts_says_which_lines_hold_a_payload() -> None:
    one, two = (json.dumps(envelope(payload)).encode() for payload in (b"1", b"2"))
    file = read(b"\n".join([one, b"", b'{"a":1}', two, one]))
    assert [group.lines for group in file.groups] == [(1, 5), (4,)]
    assert [[line for _, line in group.placed] for group in file.groups] == [[1, 5], [4]]


def test_read_receipts_knows_no_lines_of_a_single_document() -> None:
    (group,) = read(lines(envelope())).groups
    assert (group.lines, [line for _, line in group.placed]) == ((), [None])
