"""Every byte of a signed receipt: changed, it either fails or says exactly the same, signed by the same."""

import re
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.errors import DoneReceiptError, MalformedInput, SignatureNotTrusted, TrustError
from in_toto_done_receipt.results.model import Signer
from in_toto_done_receipt.trust.keys import load_key
from in_toto_done_receipt.trust.model import TrustPolicy, make_policy
from in_toto_done_receipt.trust.pattern import PatternError, compile_pattern
from in_toto_done_receipt.trust.verify import verify_group
from in_toto_done_receipt.wire import dsse
from in_toto_done_receipt.wire.reader import read_receipts

AT = datetime(2026, 11, 30, tzinfo=UTC)
PAYLOAD = (
    b'{"_type":"https://in-toto.io/Statement/v1","predicateType":"https://example.com/p","subject":'
    b'[{"name":"a","digest":{"sha256":"' + b"0" * 64 + b'"}}]}'
)
SIGNERS: dict[str, Callable[[], tuple[Any, Callable[[Any, bytes], bytes]]]] = {
    "ed25519": lambda: (ed25519.Ed25519PrivateKey.generate(), lambda key, data: key.sign(data)),
    "ecdsa": lambda: (
        ec.generate_private_key(ec.SECP256R1()),
        lambda key, data: key.sign(data, ec.ECDSA(hashes.SHA256())),
    ),
}


@cache
def signed(kind: str) -> tuple[bytes, TrustPolicy]:
    """A receipt and the policy that trusts its signer."""
    private, sign = SIGNERS[kind]()
    pem = private.public_key().public_bytes(ser.Encoding.PEM, ser.PublicFormat.SubjectPublicKeyInfo)
    policy = make_policy(keys=(load_key(pem, name="alice", what="alice"),), identities=(), root=None, threshold=1)
    signature = sign(private, dsse.pae(dsse.INTOTO_PAYLOAD_TYPE, PAYLOAD))
    envelope = dsse.Envelope(
        payload=PAYLOAD,
        payload_type=dsse.INTOTO_PAYLOAD_TYPE,
        signatures=(dsse.Signature(sig=signature, keyid="alice"),),
    )
    return dsse.write_envelope(envelope), policy


def outcome(data: bytes, policy: TrustPolicy) -> tuple[bytes, str, tuple[Signer, ...]]:
    (group,) = read_receipts(data, what="receipt", allow_statement=False).groups
    verified = verify_group(group, policy, at=AT)
    return verified.payload, verified.payload_type, verified.signers


@pytest.mark.parametrize("kind", SIGNERS)
def test_trust_any_changed_byte_fails_or_changes_nothing(kind: str) -> None:
    data, policy = signed(kind)
    good = outcome(data, policy)
    for position in range(len(data)):
        for value in (data[position] ^ 1, data[position] ^ 0x20, 0x22, 0x00, 0xFF):
            changed = data[:position] + bytes([value]) + data[position + 1 :]
            try:
                assert outcome(changed, policy) == good
            except (MalformedInput, SignatureNotTrusted):
                continue


@given(st.sampled_from(sorted(SIGNERS)), st.data())
def test_trust_any_cut_or_insertion_fails_or_changes_nothing(kind: str, draw: st.DataObject) -> None:
    data, policy = signed(kind)
    start = draw.draw(st.integers(0, len(data)))
    end = draw.draw(st.integers(start, min(len(data), start + 40)))
    changed = data[:start] + draw.draw(st.binary(max_size=40)) + data[end:]
    try:
        assert outcome(changed, policy) == outcome(data, policy)
    except DoneReceiptError:
        return


@given(st.binary(max_size=300), st.booleans())
def test_trust_no_bytes_load_as_a_key_with_another_error(data: bytes, wrapped: bool) -> None:
    pem = b"-----BEGIN PUBLIC KEY-----\n" + b64encode(data) + b"\n-----END PUBLIC KEY-----\n" if wrapped else data
    try:
        load_key(pem, name="a", what="a")
    except TrustError:
        return


# Pieces that a regular expression is made of, so that many of the drawn texts are ones.
PIECES = st.sampled_from([*"ab.*+?|()[]^$-", "(?:", "{2}", "{0,2}", "[^a]", r"\d", r"\.", "\\"])


@pytest.mark.filterwarnings("ignore:Possible (nested set|set)")
@given(st.lists(PIECES, max_size=12).map("".join), st.text("ab.1", max_size=8))
def test_trust_patterns_match_as_python_does(pattern: str, text: str) -> None:
    try:
        compiled = compile_pattern(pattern)
    except PatternError:
        return
    assert compiled.fullmatch(text) == bool(re.fullmatch(pattern, text, re.ASCII))
