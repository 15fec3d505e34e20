"""RFC 3161 timestamps against the authorities of a root."""

import json
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography.x509.oid import ExtendedKeyUsageOID

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.trust.material.anchors import Authority, load_anchors
from in_toto_done_receipt.trust.material.stamp import verified_times
from in_toto_done_receipt.trust.root import read_root
from tests.forge.authority import der_of
from tests.forge.keys import derived
from tests.forge.plan import NOW
from tests.forge.sigstore import Forge
from tests.forge.stamps import TimestampAuthority, make_timestamp_authority

FORGE = Forge.of()
OURS = FORGE.timestamps
SIGNATURE = b"a signature"


def authorities(*forges: Forge, **windows: Any) -> tuple[Authority, ...]:
    found: list[Authority] = []
    for forge in forges or (FORGE,):
        root = read_root(json.dumps(forge.trusted_root(**windows)).encode(), name="root.json")
        found += load_anchors(root).timestamp_authorities
    return tuple(found)


def stamp(authority: TimestampAuthority = OURS, seconds: int = 0, message: bytes = SIGNATURE, number: int = 0) -> bytes:
    return authority.stamp(message, NOW + timedelta(seconds=seconds), number=number)


def refused(stamps: Sequence[bytes], message: str, known: tuple[Authority, ...] | None = None) -> None:
    with pytest.raises(SignatureNotTrusted, match=message):
        verified_times(stamps, SIGNATURE, authorities() if known is None else known)


def test_no_timestamps_need_no_authority() -> None:
    assert verified_times((), SIGNATURE, ()) == ()


def test_timestamps_and_no_authority() -> None:
    refused([stamp()], "the trusted root has no timestamp authority", ())


def test_several_are_all_verified_and_kept_in_order() -> None:
    times = verified_times([stamp(seconds=9), stamp(seconds=3, number=1)], SIGNATURE, authorities())
    assert times == (NOW + timedelta(seconds=9), NOW + timedelta(seconds=3))


def test_one_twice_is_refused() -> None:
    refused([stamp(), stamp()], "there twice")


OTHER = Forge.of("other")


def test_one_by_a_stranger_beside_one_of_ours_says_nothing() -> None:
    """It is in the bundle for somebody who knows that authority."""
    theirs = stamp(OTHER.timestamps, seconds=99)
    assert verified_times([theirs, stamp()], SIGNATURE, authorities()) == (NOW,)
    both = authorities(OTHER, FORGE)
    assert verified_times([theirs, stamp()], SIGNATURE, both) == (NOW + timedelta(seconds=99), NOW)


def test_one_by_a_stranger_alone_is_refused() -> None:
    refused([stamp(OTHER.timestamps)], "no timestamp authority of the trusted root made its timestamp")


FORGED = {
    "signed by another key": (stamp(replace(OURS, signs_with=derived("P-256", "x"))), "is wrong"),
    "of another signature": (stamp(message=b"another"), "is for another signature"),
    "no timestamp": (b"\x30\x00", "cannot be read"),
    "nothing": (b"", "cannot be read"),
    "cut off": (stamp()[:-1], "cannot be read"),
}


@pytest.mark.parametrize(("token", "message"), FORGED.values(), ids=FORGED)
def test_a_wrong_one_beside_a_good_one_is_refused(token: bytes, message: str) -> None:
    """A timestamp in the name of a known authority is true, or somebody forges."""
    refused([stamp(number=1), token], message)
    refused([token], message)


def test_an_authority_that_is_not_for_timestamps() -> None:
    wrong = make_timestamp_authority("forge", purpose=ExtendedKeyUsageOID.CODE_SIGNING)
    forge = replace(FORGE, timestamps=wrong)
    refused([stamp(wrong)], "is wrong", authorities(forge))


def test_the_authoritys_root_alone_is_no_authority() -> None:
    """An authority known by one certificate only cannot be told from who certified it."""
    short = tuple(Authority(where="x", chain=one.chain[:1], valid=one.valid) for one in authorities())
    refused([stamp()], "no timestamp authority of the trusted root", short)


@pytest.mark.parametrize("bag", [True, False], ids=["own certificate", "a foreign certificate"])
def test_certificates_in_a_timestamp_vouch_for_nothing(bag: bool) -> None:
    ordered = [tuple(sorted(one.chain, key=der_of)) for one in (OURS, OTHER.timestamps)]  # a SET OF in DER is sorted
    if bag:
        assert verified_times([stamp(replace(OURS, bag=ordered[0]))], SIGNATURE, authorities()) == (NOW,)
    else:
        refused([stamp(replace(OURS, bag=ordered[1]))], "is wrong")


@pytest.mark.parametrize(("seconds", "good"), [(-1, False), (0, True), (1, True)])
def test_the_end_of_an_authoritys_validity_belongs_to_it(seconds: int, good: bool) -> None:
    window = (NOW - timedelta(days=1), NOW + timedelta(seconds=seconds))
    if good:
        assert verified_times([stamp()], SIGNATURE, authorities(timestamps=window)) == (NOW,)
    else:
        refused([stamp()], "is valid from .* until", authorities(timestamps=window))


def test_a_successor_with_the_same_certificate_may_be_the_valid_one() -> None:
    """One certificate listed twice, with windows that follow each other."""
    (early,), (late,) = (
        authorities(timestamps=(NOW - timedelta(days=2), NOW - timedelta(days=1))),
        authorities(timestamps=(NOW - timedelta(days=1), NOW + timedelta(days=1))),
    )
    assert verified_times([stamp()], SIGNATURE, (early, late)) == (NOW,)


def test_a_token_of_the_corpus_without_certificates(shared: Any) -> None:
    """The conformance case whose token names its signer and carries no certificate."""
    folder = shared / "corpus/sigstore-conformance/bundle-verify/rekor2-timestamp-without-embedded-cert"
    bundle = json.loads((folder / "bundle.sigstore.json").read_bytes())
    (token,) = bundle["verificationMaterial"]["timestampVerificationData"]["rfc3161Timestamps"]
    root = read_root((folder / "trusted_root.json").read_bytes(), name="root.json")
    signature = b64decode(bundle["messageSignature"]["signature"])
    known = load_anchors(root).timestamp_authorities
    assert len(verified_times([b64decode(token["signedTimestamp"])], signature, known)) == 1
