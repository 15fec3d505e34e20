import json
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.errors import LimitExceeded, MalformedEnvelope
from in_toto_done_receipt.wire import dsse
from in_toto_done_receipt.wire.dsse import Envelope, Signature

# Bytes whose encodings use both characters that differ between the alphabets.
AWKWARD = bytes(range(256)) + b"\xfb\xff\xfe"


def tree(**changes: Any) -> dict[str, Any]:
    members = {"payload": "aGVsbG8=", "payloadType": "text/plain", "signatures": [{"sig": "c2ln"}]} | changes
    return {name: value for name, value in members.items() if value is not ...}


def test_pae_of_the_protocol_vector(shared: Path) -> None:
    vector = json.loads((shared / "corpus/intoto/dsse-protocol-vector.json").read_bytes())
    envelope = dsse.read_envelope(vector["envelope"])
    assert envelope.payload == b"hello world"
    assert dsse.pae(envelope.payload_type, envelope.payload) == vector["pae"].encode()


def test_pae_of_the_protocol_documentation() -> None:
    expected = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    assert dsse.pae("http://example.com/HelloWorld", b"hello world") == expected


def test_pae_counts_bytes_of_a_payload_type_that_is_not_ascii() -> None:
    assert dsse.pae("application/vnd.é+json", b"\xff") == b"DSSEv1 23 application/vnd.\xc3\xa9+json 1 \xff"


def test_pae_of_nothing() -> None:
    assert dsse.pae("", b"") == b"DSSEv1 0  0 "


BASE64 = {
    "standard": (b64encode(AWKWARD).decode(), AWKWARD),
    "standard unpadded": (b64encode(AWKWARD[:256]).decode().rstrip("="), AWKWARD[:256]),
    "url-safe": (urlsafe_b64encode(AWKWARD).decode(), AWKWARD),
    "url-safe unpadded": (urlsafe_b64encode(AWKWARD[:257]).decode().rstrip("="), AWKWARD[:257]),
    "empty": ("", b""),
    "one byte": ("YQ==", b"a"),
    "one byte unpadded": ("YQ", b"a"),
    "two bytes unpadded": ("YWI", b"ab"),
}


@pytest.mark.parametrize(("text", "expected"), BASE64.values(), ids=BASE64)
def test_decode_base64_reads_both_alphabets(text: str, expected: bytes) -> None:
    assert dsse.decode_base64(text, "x") == expected


NOT_BASE64 = {
    "line break": ("YW\nI=", r'"\\n" at character 3'),
    "line break at the end": ("YWI=\n", r'"=" at character 4'),
    "space": ("YW I", '" " at character 3'),
    "junk": ("YW!I", '"!" at character 3'),
    "not ASCII": ("YWé=", "at character 3"),
    "both alphabets": ("+-+-", r'"\+" in url-safe base64 at character 1'),
    "both alphabets in the other order": ("ab_/", '"/" in url-safe base64 at character 4'),
    "padding in the middle": ("YQ==YQ==", '"=" at character 3'),
    "too much padding": ("YWI==", "3 characters and 2 of padding"),
    "too little padding": ("YQ=", "2 characters and 1 of padding"),
    "padding on a whole group": ("YWJj====", "4 characters and 4 of padding"),
    "only padding": ("====", "0 characters and 4 of padding"),
    "one character": ("YWJjY", "5 characters and 0 of padding"),
    "unused bits of one byte": ("YR==", "unused bits"),
    "unused bits of two bytes": ("YWJ", "unused bits"),
    "unused bits in the url-safe alphabet": ("-_-_-_", "unused bits"),
}


@pytest.mark.parametrize(("text", "fact"), NOT_BASE64.values(), ids=NOT_BASE64)
def test_decode_base64_refuses_every_other_spelling(text: str, fact: str) -> None:
    with pytest.raises(MalformedEnvelope, match=f"^here: not base64: .*{fact}"):
        dsse.decode_base64(text, "here")


def test_read_envelope_keeps_payload_and_signatures() -> None:
    read = dsse.read_envelope(tree(signatures=[{"sig": "c2ln", "keyid": "k"}, {"sig": "AQ"}]))
    assert read == Envelope(
        payload=b"hello",
        payload_type="text/plain",
        signatures=(Signature(sig=b"sig", keyid="k"), Signature(sig=b"\x01", keyid="")),
    )


@pytest.mark.parametrize("signature", [{"sig": "c2ln"}, {"sig": "c2ln", "keyid": ""}, {"sig": "c2ln", "keyid": None}])
def test_read_envelope_takes_unset_and_empty_keyid_for_the_same(signature: dict[str, Any]) -> None:
    assert dsse.read_envelope(tree(signatures=[signature])).signatures[0].keyid == ""


def test_read_envelope_lists_members_it_ignores() -> None:
    read = dsse.read_envelope(tree(extension={}, signatures=[{"sig": "c2ln", "cert": "x", "a/b": 1}]))
    assert read.unrecognized == ("/extension", "/signatures/0/cert", "/signatures/0/a~1b")


MALFORMED: dict[str, tuple[Any, str]] = {
    "not an object": ([], "top level: expected an object, got array"),
    "no payload": (tree(payload=...), "required member payload is missing"),
    "no payload type": (tree(payloadType=...), "required member payloadType is missing"),
    "no signatures member": (tree(signatures=...), "required member signatures is missing"),
    "no signatures": (tree(signatures=[]), "/signatures: expected at least one signature, got none"),
    "payload of another type": (tree(payload=1), "/payload: expected string, got integer"),
    "payload null": (tree(payload=None), "/payload: expected string, got null"),
    "payload type of another type": (tree(payloadType={}), "/payloadType: expected string, got object"),
    "empty payload type": (tree(payloadType=""), "/payloadType: expected a media type"),
    "signatures of another type": (tree(signatures={}), "/signatures: expected array, got object"),
    "signature of another type": (tree(signatures=["c2ln"]), "/signatures/0: expected an object, got string"),
    "signature without sig": (tree(signatures=[{"keyid": ""}]), "/signatures/0: required member sig is missing"),
    "empty sig": (tree(signatures=[{"sig": ""}]), "/signatures/0/sig: expected a signature"),
    "sig not base64": (tree(signatures=[{"sig": "c2ln"}, {"sig": "c2l\n"}]), "/signatures/1/sig: not base64"),
    "keyid of another type": (tree(signatures=[{"sig": "c2ln", "keyid": 1}]), "/signatures/0/keyid: expected string"),
    "protobuf name": (tree(payload_type="text/html"), "/payload_type: another spelling of payloadType"),
    "name in another case": (tree(Payload="aGVsbG8="), "/Payload: another spelling of payload"),
    "keyid in another case": (
        tree(signatures=[{"sig": "c2ln", "keyID": "x"}]),
        "/signatures/0/keyID: another spelling",
    ),
}


@pytest.mark.parametrize(("value", "fact"), MALFORMED.values(), ids=MALFORMED)
def test_read_envelope_refuses_and_names_the_place(value: Any, fact: str) -> None:
    with pytest.raises(MalformedEnvelope, match=f"^envelope: .*{fact}"):
        dsse.read_envelope(value)


def test_read_envelope_accepts_thirty_two_signatures() -> None:
    assert len(dsse.read_envelope(tree(signatures=[{"sig": "c2ln"}] * 32)).signatures) == 32


def test_read_envelope_refuses_more_signatures() -> None:
    with pytest.raises(LimitExceeded, match="signatures is 32, got 33"):
        dsse.read_envelope(tree(signatures=[{"sig": "c2ln"}] * 33))


def test_read_envelope_refuses_a_payload_above_ten_mebibytes() -> None:
    with pytest.raises(LimitExceeded, match="payload-bytes is 10485760"):
        dsse.read_envelope(tree(payload=b64encode(bytes(10 * 2**20 + 1)).decode()))


def test_read_envelope_accepts_a_payload_of_ten_mebibytes() -> None:
    read = dsse.read_envelope(tree(payload=b64encode(bytes(10 * 2**20)).decode()))
    assert len(read.payload) == 10 * 2**20


def test_write_envelope_is_read_back() -> None:
    envelope = Envelope(
        payload=AWKWARD,
        payload_type="application/vnd.é+json",
        signatures=(Signature(sig=AWKWARD[:77], keyid=""), Signature(sig=b"\x00", keyid='"k"')),
    )
    written = dsse.write_envelope(envelope)
    assert written.endswith(b"}\n")
    assert written.count(b"\n") == 1
    assert dsse.read_envelope(json.loads(written)) == envelope
