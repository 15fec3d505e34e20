"""A timestamp counts for the certificate that signed it, for what it signs, and by a signature that is checked."""

from base64 import b64decode, b64encode
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography.x509.oid import ExtendedKeyUsageOID

from tests.advisories.conftest import Bundle, Court, statement
from tests.forge.plan import NOW, Lies
from tests.forge.stamps import TimestampAuthority, make_timestamp_authority

OTHER_PURPOSE = ExtendedKeyUsageOID.CODE_SIGNING


def stamped_by(court: Court, authority: TimestampAuthority, **plan: Any) -> Bundle:
    return replace(court.forge, timestamps=authority).bundle(statement(), rekor="v2", **plan)


def test_cve_2026_39984_the_certificate_that_is_judged_is_the_one_that_signed(court: Court) -> None:
    """A second certificate in the token, before or after: it is neither judged nor believed."""
    own = court.forge.timestamps
    rogue = make_timestamp_authority("forge", purpose=OTHER_PURPOSE, label="rogue")
    stranger = make_timestamp_authority("stranger")
    for decoy in (rogue.chain[0], stranger.chain[0], own.chain[1]):
        for bag in ((decoy, own.chain[0]), (own.chain[0], decoy)):
            # Signed by a certificate of the root that is for something else, or of another root; the good one beside.
            for liar in (rogue, stranger):
                court.refused(stamped_by(court, replace(liar, bag=bag)))
                court.refused(stamped_by(court, replace(liar, chain=own.chain, bag=bag)))
                court.refused(stamped_by(court, replace(own, chain=liar.chain, bag=bag)))


@pytest.mark.parametrize("purpose", [OTHER_PURPOSE, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE], ids=["code", "any"])
def test_cve_2026_39984_a_certificate_of_the_root_for_another_purpose(court: Court, purpose: Any) -> None:
    rogue = make_timestamp_authority("forge", purpose=purpose, label="rogue")
    court.refused(stamped_by(court, rogue))
    court.refused(stamped_by(court, replace(rogue, bag=(court.forge.timestamps.chain[0], rogue.chain[0]))))


def test_cve_2026_33753_another_certificate_of_the_same_root_is_not_the_trusted_one(court: Court) -> None:
    """The root vouches for two timestamp certificates; the trusted root names one of them."""
    second = make_timestamp_authority("forge", label="second")
    own = court.forge.timestamps.chain[0]
    for bag in ((), (own,), (own, second.chain[0]), (second.chain[0], own)):
        court.refused(stamped_by(court, replace(second, bag=bag)))


def test_cve_2025_52556_the_signature_of_a_token_is_checked(court: Court) -> None:
    court.refused(court.forge.with_stranger("timestamps").bundle(statement(), rekor="v2"))
    court.refused(court.bundle(rekor="v2", lies=Lies(stamped=b"another signature")))


def token_of(bundle: Bundle) -> bytes:
    return b64decode(
        bundle["verificationMaterial"]["timestampVerificationData"]["rfc3161Timestamps"][0]["signedTimestamp"]
    )


def with_token(bundle: Bundle, token: bytes) -> Bundle:
    stamps = {"rfc3161Timestamps": [{"signedTimestamp": b64encode(token).decode()}]}
    return bundle | {"verificationMaterial": bundle["verificationMaterial"] | {"timestampVerificationData": stamps}}


def test_cve_2025_52556_no_bit_of_what_a_token_says_can_change(court: Court) -> None:
    """The time, the digest of the message, the digest of what is said, the signature: each of them."""
    bundle = court.bundle(rekor="v2")
    token = token_of(bundle)
    for part in (b"20261130120005Z", bytes.fromhex("2a864886f70d010904"), token[-20:]):
        assert part in token
        at = token.index(part) + len(part) - 1
        court.refused(with_token(bundle, token[:at] + bytes([token[at] ^ 1]) + token[at + 1 :]))


def test_cve_2025_52556_a_token_of_another_signature_by_the_same_signer(court: Court) -> None:
    bundle, later = court.bundle(rekor="v2"), court.bundle(rekor="v2", signer="other")
    court.refused(with_token(bundle, token_of(later)))


def test_cve_2025_52556_a_bad_token_beside_a_good_one_is_no_time(court: Court) -> None:
    """Whether or not the bundle is accepted, a time that nobody vouches for is not reported."""
    bundle = court.bundle(rekor="v2", stamps=2)
    stamps = bundle["verificationMaterial"]["timestampVerificationData"]["rfc3161Timestamps"]
    stranger = court.forge.with_stranger("timestamps").bundle(statement(), rekor="v2", after=60)
    stamps.append({"signedTimestamp": b64encode(token_of(stranger)).decode()})
    seen = court.judge(bundle)
    times = {time["time"] for signer in seen.result["signers"] for time in signer["times"]}
    good = {f"{NOW + timedelta(seconds=number):%Y-%m-%dT%H:%M:%SZ}" for number in (5, 6)}
    assert times in (set(), good)
