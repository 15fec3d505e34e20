"""The Sigstore primitives on anything: what is made is accepted, what is changed is not, nothing foreign is raised."""

import json
from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from in_toto_done_receipt.errors import DoneReceiptError, SignatureNotTrusted
from in_toto_done_receipt.trust.certified import verify_certified
from in_toto_done_receipt.trust.material.anchors import Log, Validity
from in_toto_done_receipt.trust.material.body import Maker, demand_logged
from in_toto_done_receipt.trust.material.checkpoint import demand_signed, read_checkpoint
from in_toto_done_receipt.trust.material.entry import KINDS
from in_toto_done_receipt.trust.material.merkle import leaf_hash, root_of
from in_toto_done_receipt.trust.material.model import LogEntry
from in_toto_done_receipt.trust.material.read import read_material
from in_toto_done_receipt.trust.root import read_root
from in_toto_done_receipt.wire.bundle import read_bundle
from in_toto_done_receipt.wire.dsse import INTOTO_PAYLOAD_TYPE, Envelope, Signature
from tests.forge.keys import derived, fingerprint, sign
from tests.forge.log import audit_path, head
from tests.forge.sigstore import Forge

LEAVES = tuple(leaf_hash(b"%d" % number) for number in range(300))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.data())
def test_merkle_proofs_of_any_tree_verify_and_no_others(draw: st.DataObject) -> None:
    size = draw.draw(st.integers(1, len(LEAVES)))
    index = draw.draw(st.integers(0, size - 1))
    leaves = LEAVES[:size]
    path, root = audit_path(index, leaves), head(leaves)
    assert root_of(leaves[index], index=index, size=size, hashes=path) == root
    other = draw.draw(st.integers(0, size - 1))
    if other != index:
        assert root_of(leaves[index], index=other, size=size, hashes=path) != root
        assert root_of(leaves[other], index=index, size=size, hashes=path) != root
    if path:
        at = draw.draw(st.integers(0, len(path) - 1))
        changed = [*path[:at], LEAVES[draw.draw(st.integers(0, 299))], *path[at + 1 :]]
        assert (root_of(leaves[index], index=index, size=size, hashes=changed) == root) == (changed == path)
        assert root_of(leaves[index], index=index, size=size, hashes=path[:-1]) != root
        assert root_of(leaves[index], index=index, size=size, hashes=[*path, path[-1]]) != root


@given(st.integers(-2, 2**64), st.integers(-2, 2**64), st.lists(st.binary(max_size=33), max_size=70))
def test_merkle_takes_any_numbers(index: int, size: int, hashes: list[bytes]) -> None:
    root_of(LEAVES[0], index=index, size=size, hashes=hashes)


KEY = derived("Ed25519", "log")
ID = fingerprint(KEY.public_key())
LOG = Log(
    where="log",
    log_id=ID,
    checkpoint_id=ID,
    names=frozenset({"log.example"}),
    details="",
    public=KEY.public_key(),
    valid=Validity(start=datetime(2020, 1, 1, tzinfo=UTC), end=None),
)
LINES = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1, max_size=20)


def note(text: str) -> str:
    return f"{text}\n— log.example {b64encode(ID[:4] + sign(KEY, text.encode())).decode()}\n"


@given(st.integers(0, 2**63 - 1), st.binary(min_size=1, max_size=40), st.lists(LINES, max_size=3))
def test_checkpoints_of_any_tree_are_read_as_they_are_written(size: int, root: bytes, more: list[str]) -> None:
    text = "".join(f"{line}\n" for line in ("log.example", str(size), b64encode(root).decode(), *more))
    checkpoint = read_checkpoint(note(text))
    assert (checkpoint.size, checkpoint.root, checkpoint.text) == (size, root, text.encode())
    demand_signed(checkpoint, LOG)


@given(st.data())
def test_a_changed_checkpoint_is_refused_or_says_the_same(draw: st.DataObject) -> None:
    good = note(f"log.example\n7\n{b64encode(b'r' * 32).decode()}\n")
    at = draw.draw(st.integers(0, len(good)))
    end = draw.draw(st.integers(at, min(len(good), at + 5)))
    changed = good[:at] + draw.draw(st.text("aA0-—\n =+/", max_size=5)) + good[end:]
    try:
        checkpoint = read_checkpoint(changed)
        demand_signed(checkpoint, LOG)
    except SignatureNotTrusted:
        return
    assert replace(checkpoint, signatures=()) == replace(read_checkpoint(good), signatures=())


@given(st.text(max_size=200))
def test_any_text_is_a_checkpoint_or_refused(text: str) -> None:
    with pytest.raises(SignatureNotTrusted):
        demand_signed(read_checkpoint(text), LOG)


@given(JSON, st.sampled_from(["0.1", "0.2", "0.3"]))
def test_any_tree_is_material_or_refused(tree: Any, version: str) -> None:
    try:
        read_material(tree, version)
    except SignatureNotTrusted:
        return


MEMBERS = st.sampled_from(
    ["spec", "content", "envelope", "signatures", "signature", "verifier", "publicKey", "sig", "payloadHash", "data",
     "hashedRekordV002", "digest", "algorithm", "keyDetails", "rawBytes", "x509Certificate", "value", "payloadType"]
)  # fmt: skip
BODIES = st.recursive(
    st.none() | st.integers(-9, 9) | st.sampled_from(["", "YQ==", "WVE9PQ==", "sha256", INTOTO_PAYLOAD_TYPE, "é"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(MEMBERS, inner, max_size=5),
    max_leaves=20,
)


@given(BODIES, st.sampled_from(KINDS))
def test_no_body_is_of_a_signature_by_chance(spec: Any, kind: str) -> None:
    name, _, version = kind.partition("/")
    body = json.dumps({"kind": name, "apiVersion": version, "spec": spec}).encode()
    entry = LogEntry(kind=kind, log_id=b"", index=0, time=0, promise=b"", proof=None, body=body)
    envelope = Envelope(
        payload=b"x", payload_type=INTOTO_PAYLOAD_TYPE, signatures=(Signature(sig=b"another", keyid=""),)
    )
    with pytest.raises(SignatureNotTrusted):
        demand_logged(entry, envelope, Maker(certificate=None, spki=b"spki", pair=None))


FORGE = Forge.of()
ROOT = read_root(json.dumps(FORGE.trusted_root()).encode(), name="root.json")
PLACES: dict[str, tuple[Any, ...]] = {
    "certificate": ("certificate", "rawBytes"),
    "body": ("tlogEntries", 0, "canonicalizedBody"),
    "promise": ("tlogEntries", 0, "inclusionPromise", "signedEntryTimestamp"),
    "root": ("tlogEntries", 0, "inclusionProof", "rootHash"),
    "hash": ("tlogEntries", 0, "inclusionProof", "hashes", 1),
    "log id": ("tlogEntries", 0, "logId", "keyId"),
    "timestamp": ("timestampVerificationData", "rfc3161Timestamps", 0, "signedTimestamp"),
}


@given(st.sampled_from(sorted(PLACES)), st.binary(max_size=400))
def test_any_bytes_in_the_place_of_others_are_refused(place: str, data: bytes) -> None:
    bundle = FORGE.bundle(b"{}", stamps=1)
    holder = bundle["verificationMaterial"]
    for step in PLACES[place][:-1]:
        holder = holder[step]
    holder[PLACES[place][-1]] = b64encode(data).decode()
    with pytest.raises(DoneReceiptError):
        verify_certified(read_bundle(bundle), ROOT)
