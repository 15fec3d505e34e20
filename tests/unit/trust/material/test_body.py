"""What a log entry says was signed: each part of it is compared, and nothing in between passes."""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from cryptography.x509 import load_der_x509_certificate
from msgspec.structs import replace

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.trust.certified import maker_of
from in_toto_done_receipt.trust.material.body import Maker, demand_logged
from in_toto_done_receipt.trust.material.model import LogEntry
from in_toto_done_receipt.trust.material.pairs import pair_of
from in_toto_done_receipt.trust.material.read import read_material
from in_toto_done_receipt.wire.bundle import Bundle, read_bundle
from tests.forge.keys import spki
from tests.forge.sigstore import Forge

FORGE = Forge.of()
PAYLOAD = b'{"a":1}'
KINDS = ("dsse/0.0.1", "intoto/0.0.2", "hashedrekord/0.0.2")


def logged(kind: str, *, managed: bool = False, curve: Any = "P-256") -> tuple[LogEntry, Bundle, Maker]:
    plan: dict[str, Any] = {"rekor": "v2" if kind == "hashedrekord/0.0.2" else "v1", "entry": kind}
    if managed:
        private = FORGE.key("managed", curve)
        bundle = read_bundle(FORGE.managed(PAYLOAD, private, **plan))
        public = private.public_key()
        maker = Maker(certificate=None, spki=spki(public), pair=pair_of(public))
    else:
        bundle = read_bundle(FORGE.bundle(PAYLOAD, curve=curve, **plan))
        maker = Maker(certificate=None, spki=b"", pair=None)
    material = read_material(bundle.tree["verificationMaterial"], bundle.version)
    if material.certificate is not None:
        maker = maker_of(load_der_x509_certificate(material.certificate))
    return material.entries[0], bundle, maker


@pytest.mark.parametrize("managed", [False, True], ids=["certificate", "key"])
@pytest.mark.parametrize("curve", ["P-256", "P-384", "P-521"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_entry_of_this_signature(kind: str, curve: str, managed: bool) -> None:
    entry, bundle, maker = logged(kind, managed=managed, curve=curve)
    demand_logged(entry, bundle.envelope, maker)


def paths(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    members = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in members:
        yield from paths(value, (*path, key))


def mutants(tree: Any) -> Iterator[tuple[tuple[Any, ...], bytes]]:
    values: tuple[Any, ...] = (..., None, "", [], {}, 0, "YQ==", "x", [None])
    for path in paths(tree):
        for value in values:
            changed = deepcopy(tree)
            holder = changed
            for step in path[:-1]:
                holder = holder[step]
            if value is ...:
                del holder[path[-1]]
            else:
                holder[path[-1]] = value
            yield path, json.dumps(changed).encode()


# A hash over JSON that is not kept, and what Rekor keeps of the payload in some entries: nothing to compare them with.
NOT_COMPARED = {("spec", "envelopeHash"), ("spec", "content", "hash"), ("spec", "content", "envelope", "payload")}


@pytest.mark.parametrize("managed", [False, True], ids=["certificate", "key"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_member_counts(kind: str, managed: bool) -> None:
    entry, bundle, maker = logged(kind, managed=managed)
    counted = 0
    for path, body in mutants(json.loads(entry.body)):
        if any(path[: len(free)] == free for free in NOT_COMPARED):
            continue
        with pytest.raises(SignatureNotTrusted, match=r"log entry"):
            demand_logged(replace(entry, body=body), bundle.envelope, maker)
        counted += 1
    assert counted > 80


BODIES = {
    "nothing": b"",
    "no JSON": b"{",
    "a list": b"[]",
    "duplicate members": b'{"kind":"dsse","kind":"dsse","apiVersion":"0.0.1","spec":{}}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_is_no_body(body: bytes) -> None:
    entry, bundle, maker = logged("dsse/0.0.1")
    with pytest.raises(SignatureNotTrusted, match="log entry") as caught:
        demand_logged(replace(entry, body=body), bundle.envelope, maker)
    assert caught.value.reason == "signature.sigstore"


@pytest.mark.parametrize("kind", ["dsse/0.0.2", "hashedrekord/0.0.1", "rekord/0.0.1", "/"])
def test_other_kinds_are_unsupported_or_none(kind: str) -> None:
    entry, bundle, maker = logged("dsse/0.0.1")
    name, _, version = kind.partition("/")
    body = json.dumps({"kind": name, "apiVersion": version, "spec": {}}).encode()
    with pytest.raises(SignatureNotTrusted, match="kind") as caught:
        demand_logged(replace(entry, kind=kind, body=body), bundle.envelope, maker)
    assert caught.value.reason == "signature.unsupported"


def with_verifier(entry: LogEntry, pem: bytes) -> LogEntry:
    body = json.loads(entry.body)
    body["spec"]["signatures"][0]["verifier"] = b64encode(pem).decode()
    return replace(entry, body=json.dumps(body).encode())


def pem_of(entry: LogEntry) -> bytes:
    return b64decode(json.loads(entry.body)["spec"]["signatures"][0]["verifier"])


@pytest.mark.parametrize("managed", [False, True], ids=["certificate", "key"])
def test_line_ends_of_a_pem_block_mean_nothing(managed: bool) -> None:
    entry, bundle, maker = logged("dsse/0.0.1", managed=managed)
    pem = pem_of(entry)
    for same in (pem.replace(b"\n", b"\r\n"), pem.rstrip(), pem + b"\n"):
        demand_logged(with_verifier(entry, same), bundle.envelope, maker)


@pytest.mark.parametrize("managed", [False, True], ids=["certificate", "key"])
def test_a_pem_block_is_one_block_of_the_right_name(managed: bool) -> None:
    entry, bundle, maker = logged("dsse/0.0.1", managed=managed)
    pem = pem_of(entry)
    name, other = (b"PUBLIC KEY", b"CERTIFICATE") if managed else (b"CERTIFICATE", b"PUBLIC KEY")
    for wrong in (
        pem + pem,
        b"x" + pem,
        pem + b"x",
        pem.replace(name, other),
        pem.replace(b"-----END", b"----END"),
        b"",
    ):
        with pytest.raises(SignatureNotTrusted, match="for another key"):
            demand_logged(with_verifier(entry, wrong), bundle.envelope, maker)


def test_a_key_is_not_taken_for_a_certificate_of_it() -> None:
    """And the reverse: an entry of the certificate's bare key is not of the certificate."""
    entry, bundle, maker = logged("hashedrekord/0.0.2")
    body = json.loads(entry.body)
    verifier = body["spec"]["hashedRekordV002"]["signature"]["verifier"]
    del verifier["x509Certificate"]
    verifier["publicKey"] = {"rawBytes": b64encode(maker.spki).decode()}
    changed = replace(entry, body=json.dumps(body).encode())
    with pytest.raises(SignatureNotTrusted, match="for another key"):
        demand_logged(changed, bundle.envelope, maker)
    demand_logged(changed, bundle.envelope, replace(maker, certificate=None))
    verifier["x509Certificate"] = {"rawBytes": b64encode(maker.certificate or b"").decode()}
    for one in (maker, replace(maker, certificate=None)):
        with pytest.raises(SignatureNotTrusted, match="for another key"):
            demand_logged(replace(entry, body=json.dumps(body).encode()), bundle.envelope, one)
