"""RFC 3161 timestamps: the times at which a timestamp authority of the trusted root saw the signature.

A timestamp that names an authority of the root and is wrong is a forgery: everything fails. One by an authority that
the root does not know says nothing and is not counted; a bundle may carry several for several verifiers.
"""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from in_toto_done_receipt.trust.material.anchors import Authority
from in_toto_done_receipt.trust.material.guard import does_not_verify, guarded
from in_toto_done_receipt.wire.rfc3339 import format_time

_MIN_CHAIN: Final = 2  # the authority's own certificate, and one that issued it


def verified_times(stamps: Sequence[bytes], signature: bytes, authorities: Sequence[Authority]) -> tuple[datetime, ...]:
    """The times of the timestamps, in the order of the bundle; both ends of an authority's validity belong to it.

    Raises SignatureNotTrusted: a timestamp twice, one that cannot be read, none by a known authority, a wrong one by a
    known authority, no authorities at all to ask.
    """
    if not stamps:
        return ()
    if not authorities:
        raise does_not_verify("the trusted root has no timestamp authority for its timestamp")
    if len(set(stamps)) != len(stamps):
        raise does_not_verify("one of its timestamps is there twice")
    found = [_verified_time(stamp, signature, authorities) for stamp in stamps]
    times = tuple(time for time in found if time is not None)
    if not times:
        raise does_not_verify(
            "no timestamp authority of the trusted root made its timestamp",
            hint="the trusted root may be another instance's, or from another time",
        )
    return times


def _verified_time(stamp: bytes, signature: bytes, authorities: Sequence[Authority]) -> datetime | None:
    from rfc3161_client import decode_timestamp_response

    with guarded(lambda detail: does_not_verify(f"a timestamp of it cannot be read: {detail}")):
        response = decode_timestamp_response(stamp)
        time = response.tst_info.gen_time.astimezone(UTC)
        signers = {(info.issuer, info.serial_number) for info in response.signed_data.signer_infos}
    if len(signers) != 1:
        raise does_not_verify(f"a timestamp of it has {len(signers)} signers, exactly one is read")
    (signer,) = signers
    named = [
        authority
        for authority in authorities
        if len(authority.chain) >= _MIN_CHAIN
        and (authority.chain[0].issuer, authority.chain[0].serial_number) == signer
    ]
    if not named:
        return None
    valid = [authority for authority in named if authority.valid.covers(time)]
    if not valid:
        fact = f"its timestamp authority {named[0].where} is valid {named[0].valid}, the timestamp is of"
        raise does_not_verify(f"{fact} {format_time(time)}")
    _demand_signed(response, signature, valid[0])
    return time


def _demand_signed(response: Any, signature: bytes, authority: Authority) -> None:
    """The library verifies: granted, signed by this certificate, for timestamps only, chain valid at the time."""
    from rfc3161_client import VerificationError, VerifierBuilder

    leaf, *intermediates, root = authority.chain
    builder = VerifierBuilder().tsa_certificate(leaf).add_root_certificate(root)
    for certificate in intermediates:
        builder = builder.add_intermediate_certificate(certificate)
    with guarded(lambda detail: does_not_verify(f"its timestamp by {authority.where} is wrong: {detail}")):
        try:
            builder.build().verify_message(response, signature)
        except VerificationError as fault:
            if response.tst_info.message_imprint.message not in _digests(signature):
                raise does_not_verify("its timestamp is for another signature") from None
            raise does_not_verify(
                f"its timestamp by {authority.where} is wrong: {str(fault).partition(chr(10))[0]}"
            ) from None


def _digests(signature: bytes) -> tuple[bytes, ...]:
    return tuple(hash_(signature).digest() for hash_ in (hashlib.sha256, hashlib.sha384, hashlib.sha512))
