"""A Sigstore bundle with a certificate, verified against a trusted root: steps 1 to 7 of the client specification.

Public primitives only (cryptography, rfc3161_client); neither sigstore nor the network nor a cache is asked. All that
is reported (times, log index, what the certificate says) is what was verified, of the one certificate that signed.
Not checked: revocation, freshness, whether anybody trusts this identity.
"""

from typing import Any

from in_toto_done_receipt.errors import TrustError
from in_toto_done_receipt.trust.certificate import certificate_facts
from in_toto_done_receipt.trust.demands import Time
from in_toto_done_receipt.trust.identity import CertificateFacts
from in_toto_done_receipt.trust.material.anchors import Anchors, load_anchors
from in_toto_done_receipt.trust.material.body import Maker, demand_logged
from in_toto_done_receipt.trust.material.chain import demand_usage, issuers, load_certificate
from in_toto_done_receipt.trust.material.entry import demand_form, demand_supported, promised_time, verify_entry
from in_toto_done_receipt.trust.material.guard import does_not_verify, guarded, unsupported
from in_toto_done_receipt.trust.material.model import Material
from in_toto_done_receipt.trust.material.pairs import pair_of, signed_by, signed_with_sha256
from in_toto_done_receipt.trust.material.read import read_material
from in_toto_done_receipt.trust.material.sct import demand_certified
from in_toto_done_receipt.trust.material.stamp import verified_times
from in_toto_done_receipt.trust.model import RootFile
from in_toto_done_receipt.wire.bundle import Bundle
from in_toto_done_receipt.wire.dsse import Envelope, pae
from in_toto_done_receipt.wire.value import Value


class Certified(Value, kw_only=True):
    """What a verified bundle shows. `log_index` is None without a log entry; `maker` is who made the signature."""

    certificate: Any
    maker: Maker
    facts: CertificateFacts
    times: tuple[Time, ...]
    log_index: int | None


def verify_certified(bundle: Bundle, root: RootFile) -> Certified:
    """What the bundle shows, once everything in it is right.

    Raises SignatureNotTrusted (`signature.sigstore`; `signature.unsupported` for what other verifiers could take) and
    TrustError for a root that cannot be used.
    """
    material = read_material(bundle.tree["verificationMaterial"], bundle.version)
    anchors = load_anchors(root)
    if not anchors.authorities:
        raise TrustError(f"{root.name}: trusted root has no certificateAuthorities, and identities are trusted")
    demand_supported(material.entries)
    if not material.entries and not material.stamps:
        raise unsupported("it has neither a log entry nor a timestamp", hint="nobody vouches for when it was signed")
    envelope = bundle.envelope
    certificate, times, log_index = verify_material(material, anchors, envelope.signatures[0].sig)
    _demand_signed(certificate.public_key(), envelope.signatures[0].sig, envelope)  # 6
    maker = maker_of(certificate)
    for entry in material.entries:  # 7
        demand_logged(entry, envelope, maker)
    with guarded(lambda detail: does_not_verify(f"its certificate cannot be read: {detail}")):
        facts = certificate_facts(certificate)
    return Certified(certificate=certificate, maker=maker, facts=facts, times=times, log_index=log_index)


def _demand_signed(public: Any, signature: bytes, envelope: Envelope) -> None:
    message = pae(envelope.payload_type, envelope.payload)
    if signed_by(public, signature, message):
        return
    if signed_with_sha256(public, signature, message):
        raise unsupported("its key signs with SHA-256, which in Sigstore's registry goes with P-256 only")
    raise does_not_verify("its signature is not over this payload")


def verify_material(material: Material, anchors: Anchors, signature: bytes) -> tuple[Any, tuple[Time, ...], int | None]:
    """The certificate, the verified times and the log index. Steps 1 to 5; the signature itself is the caller's."""
    certificate = load_certificate(material.certificate or b"")
    for entry in material.entries:
        demand_form(entry, material.version)
    stamped = verified_times(material.stamps, signature, anchors.timestamp_authorities)  # 1
    promised = tuple(time for entry in material.entries if (time := promised_time(entry)) is not None)
    moments = (*promised, *stamped)
    if not moments:
        raise does_not_verify("it has no time that the trusted root vouches for")
    issued = issuers(certificate, anchors, moments)  # 2
    demand_certified(certificate, issued, anchors)  # 3
    demand_usage(certificate)  # 4
    logged = [verify_entry(entry, anchors, otherwise=stamped) for entry in material.entries]  # 5
    times = tuple((time, "rekor") for time in promised) + tuple((time, "tsa") for time in stamped)
    return certificate, times, logged[0].index if logged else None


def maker_of(certificate: Any) -> Maker:
    """The certificate as the maker of a signature."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    public = certificate.public_key()
    return Maker(
        certificate=certificate.public_bytes(Encoding.DER),
        spki=public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        pair=pair_of(public),
    )
