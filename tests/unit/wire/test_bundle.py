from typing import Any

import pytest

from in_toto_done_receipt.errors import LimitExceeded, MalformedEnvelope
from in_toto_done_receipt.wire.bundle import VERSIONS, demand_bounded, read_bundle

ENVELOPE = {"payload": "e30=", "payloadType": "application/vnd.in-toto+json", "signatures": [{"sig": "c2ln"}]}
CERTIFICATE = {"certificate": {"rawBytes": "AA=="}, "tlogEntries": []}


def tree(**changes: Any) -> dict[str, Any]:
    members = {
        "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
        "verificationMaterial": CERTIFICATE,
        "dsseEnvelope": ENVELOPE,
    }
    return {name: value for name, value in (members | changes).items() if value is not ...}


@pytest.mark.parametrize(("media_type", "version"), VERSIONS.items())
def test_read_bundle_knows_every_spelling(media_type: str, version: str) -> None:
    read = read_bundle(tree(mediaType=media_type))
    assert (read.media_type, read.version) == (media_type, version)


@pytest.mark.parametrize("member", ["certificate", "x509CertificateChain"])
def test_read_bundle_sees_a_certificate(member: str) -> None:
    read = read_bundle(tree(verificationMaterial={member: {}}))
    assert (read.has_certificate, read.key_hint) == (True, None)


@pytest.mark.parametrize(("key", "hint"), [({"hint": "k1"}, "k1"), ({}, None), ({"rawBytes": "AA=="}, None)])
def test_read_bundle_sees_a_managed_key(key: dict[str, str], hint: str | None) -> None:
    read = read_bundle(tree(verificationMaterial={"publicKey": key}))
    assert (read.has_certificate, read.key_hint) == (False, hint)


def test_read_bundle_keeps_the_envelope_and_the_tree() -> None:
    whole = tree(extra=1)
    read = read_bundle(whole)
    assert read.envelope.payload == b"{}"
    assert read.tree == {name: value for name, value in whole.items() if name != "dsseEnvelope"}


MALFORMED: dict[str, tuple[dict[str, Any], str]] = {
    "no media type": (tree(mediaType=...), "required member mediaType is missing"),
    "unknown version": (tree(mediaType="application/vnd.dev.sigstore.bundle.v0.9+json"), "/mediaType: .*bundle.v0.9"),
    "media type in another case": (tree(mediaType="Application/vnd.dev.sigstore.bundle.v0.3+json"), "/mediaType"),
    "signature over a file": (
        tree(dsseEnvelope=..., messageSignature={}),
        "/messageSignature: a signature over a file, not an attestation",
    ),
    "both contents": (tree(messageSignature={}), "both dsseEnvelope and messageSignature"),
    "no content": (tree(dsseEnvelope=...), "required member dsseEnvelope is missing"),
    "two signatures": (
        tree(dsseEnvelope=ENVELOPE | {"signatures": [{"sig": "c2ln"}] * 2}),
        "exactly one signature in a Sigstore bundle, got 2",
    ),
    "fault in the envelope": (tree(dsseEnvelope=ENVELOPE | {"payload": "!"}), "/dsseEnvelope/payload: not base64"),
    "no material": (tree(verificationMaterial=...), "required member verificationMaterial is missing"),
    "material without key": (tree(verificationMaterial={"tlogEntries": []}), "exactly one of certificate, .* got none"),
    "certificate and key": (
        tree(verificationMaterial={"certificate": {}, "publicKey": {}}),
        "got certificate, publicKey",
    ),
    "certificate of another type": (tree(verificationMaterial={"certificate": "AA=="}), "certificate: expected object"),
    "hint of another type": (tree(verificationMaterial={"publicKey": {"hint": 1}}), "publicKey/hint: expected string"),
    "protobuf name": (tree(dsse_envelope=ENVELOPE), "/dsse_envelope: another spelling of dsseEnvelope"),
    "protobuf name below": (
        tree(verificationMaterial=CERTIFICATE | {"public_key": {}}),
        "/verificationMaterial/public_key: another spelling of publicKey",
    ),
}


@pytest.mark.parametrize(("value", "fact"), MALFORMED.values(), ids=MALFORMED)
def test_read_bundle_refuses_and_names_the_place(value: dict[str, Any], fact: str) -> None:
    with pytest.raises(MalformedEnvelope, match=f"^bundle: .*{fact}"):
        read_bundle(value)


def within(entries: int = 1, stamps: int = 1, hashes: int = 1, note: str = "", certificates: int = 1) -> dict[str, Any]:
    """The verification material with so much of everything."""
    proof = {"hashes": [""] * hashes, "checkpoint": {"envelope": note}}
    return {
        "x509CertificateChain": {"certificates": [{}] * certificates},
        "tlogEntries": [{"inclusionProof": proof}] * entries,
        "timestampVerificationData": {"rfc3161Timestamps": [{}] * stamps},
    }


LINE = "\n\N{EM DASH} name AAAA"
LIMITS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "log-entries": ({"entries": 32}, {"entries": 33}),
    "timestamps": ({"stamps": 32}, {"stamps": 33}),
    "proof-hashes": ({"hashes": 64}, {"hashes": 65}),
    "certificates": ({"certificates": 10}, {"certificates": 11}),
    "checkpoint-bytes": ({"note": "x" * 65536}, {"note": "x" * 65537}),
    "checkpoint-signatures": ({"note": LINE * 32}, {"note": LINE * 33}),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_read_bundle_bounds_what_a_bundle_holds(limit: str) -> None:
    good, much = LIMITS[limit]
    demand_bounded(within(**good), "b.json")
    with pytest.raises(LimitExceeded, match=rf"^b\.json: limit {limit} is \d+, got \d+$") as caught:
        demand_bounded(within(**much), "b.json")
    assert caught.value.limit == limit


def test_read_bundle_looks_at_limits_first() -> None:
    with pytest.raises(LimitExceeded, match="timestamps"):
        many = {"timestampVerificationData": {"rfc3161Timestamps": [0] * 33}}
        read_bundle(tree(verificationMaterial={"certificate": {}} | many))
