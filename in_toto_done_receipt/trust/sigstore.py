"""Verify a Sigstore bundle offline against a trusted root file. The only module of `trust` that imports sigstore.

Public API of sigstore 4.5 only (`Bundle`, `ClientTrustConfig`, `Verifier.verify_dsse`, a policy object of our own). It
checks: chain at every verified time, SCT, key usage, inclusion proof, checkpoint and promise, times within the
certificate, signature, and that the log entry is of this envelope. Here, in addition: subject *and* issuer; the ends
of validity windows of logs and authorities, which the library ignores (by verifying again against only those entries
that were valid at the verified times); the payload that it verified is the one we read. Never reads a cache, HOME or
the network. Not checked by either: revocation, freshness.

Whatever the library raises becomes SignatureNotTrusted, or TrustError when the root is at fault.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from cryptography.x509 import Certificate, PrecertificateSignedCertificateTimestamps
from sigstore.models import Bundle as SigstoreBundle
from sigstore.models import ClientTrustConfig
from sigstore.verify import Verifier

from in_toto_done_receipt.errors import DoneReceiptError, SignatureNotTrusted, TrustError
from in_toto_done_receipt.results.model import SignedTime, Signer
from in_toto_done_receipt.trust.certificate import certificate_facts
from in_toto_done_receipt.trust.identity import CertificateFacts, match_identity
from in_toto_done_receipt.trust.material.plain import log_index, normalised, to_bytes
from in_toto_done_receipt.trust.model import RootFile, Scope, TrustedIdentity
from in_toto_done_receipt.trust.root import root_tree, valid_at
from in_toto_done_receipt.wire.bundle import Bundle
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.rfc3339 import format_time

# A trust configuration holds a signing configuration too; nothing is signed, so it is empty.
_NO_SIGNING: Final = {"mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json"}
_CONFIG: Final = "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json"

_SHOWN_CHARACTERS: Final = 300  # of a message of the library's


class _IdentityPolicy:
    """The library's policy hook: asks `match_identity`, and keeps what the certificate said."""

    def __init__(self, identities: tuple[TrustedIdentity, ...]) -> None:
        self._identities = identities
        self.matched: tuple[TrustedIdentity, CertificateFacts] | None = None

    def verify(self, cert: Certificate) -> None:
        """Raises SignatureNotTrusted unless an identity fits the certificate."""
        facts = certificate_facts(cert)
        self.matched = match_identity(facts, self._identities), facts


def verify_bundle(bundle: Bundle, identities: tuple[TrustedIdentity, ...], root: RootFile) -> tuple[Signer, Scope]:
    """Who signed the bundle's envelope, and what that signer may speak for.

    The times of the signer are verified ones, the log index is the inclusion proof's. Raises SignatureNotTrusted
    (sigstore, unsupported, identity, issuer, claims, shared_builder) and TrustError for the root.
    """
    tree = normalised(bundle)
    entries = root_tree(root.data, root.name)
    policy = _IdentityPolicy(identities)
    with _library():
        parsed = SigstoreBundle.from_json(to_bytes(tree))
        times = _at_once(parsed, tree, bundle, policy, entries, root.name)
        if times is None:
            verifier = _verifier(entries, root.name)
            _demand_same_payload(verifier.verify_dsse(parsed, policy), bundle)
            times = _verified_times(parsed, tree, verifier)
            _verify_windows(parsed, times, entries, root.name)
        index = log_index(tree)
    if policy.matched is None or not times:
        raise _untrusted("the library asked for no identity or gave no time")  # never seen; refused rather than assumed
    identity, facts = policy.matched
    signer = Signer(
        name=identity.name,
        principal=identity.principal,
        kind="sigstore",
        identity=facts.subject,
        issuer=facts.issuer,
        claims=dict(facts.claims),
        log_index=index,
        times=tuple(SignedTime(time=format_time(moment), source=source) for moment, source in times),
    )
    return signer, identity.scope


def _at_once(
    parsed: SigstoreBundle,
    tree: dict[str, Any],
    bundle: Bundle,
    policy: _IdentityPolicy,
    entries: dict[str, Any],
    name: str,
) -> tuple[tuple[datetime, str], ...] | None:
    """The one verified time of a bundle that has a single source of time, verified once with only what was valid then.

    The library demands a verified time, so the only one there is is verified if it accepts. None when there are more
    sources, or when it does not accept: then the long way finds out why.
    """
    stamps = parsed.verification_material.timestamp_verification_data
    if stamps is not None and stamps.rfc3161_timestamps:
        return None
    try:
        with _library():
            entry = tree["verificationMaterial"]["tlogEntries"][0]
            if not _promised(entry):
                return None
            time = datetime.fromtimestamp(int(entry["integratedTime"]), tz=UTC)
            kept = valid_at(entries, name, signed=(time,), certified=_certificate_log_times(parsed.signing_certificate))
            _demand_same_payload(_verifier(kept, name).verify_dsse(parsed, policy), bundle)
    except (SignatureNotTrusted, TrustError):
        return None
    return ((time, "rekor"),)


def _promised(entry: dict[str, Any]) -> bool:
    """Whether the log's time is bound by a signed promise (Rekor v1); without it it is nobody's word."""
    return bool(entry.get("inclusionPromise")) and entry.get("integratedTime", "0") != "0"


def check_root(root: RootFile) -> None:
    """Raises TrustError unless the library can load every key and certificate of the root."""
    _verifier(root_tree(root.data, root.name), root.name)


def _verifier(entries: dict[str, Any], name: str) -> Verifier:
    def refused(detail: str) -> DoneReceiptError:
        return TrustError(f"{name}: trusted root cannot be loaded: {detail}")

    with _library(refused):
        config = {"mediaType": _CONFIG, "trustedRoot": entries, "signingConfig": _NO_SIGNING}
        return _loaded(to_bytes(config))


@lru_cache(maxsize=8)
def _loaded(config: bytes) -> Verifier:
    """The library's verifier for exactly these bytes; loading keys and certificates takes as long as verifying."""
    return Verifier(trusted_root=ClientTrustConfig.from_json(config.decode()).trusted_root)


def _demand_same_payload(verified: tuple[str, bytes], bundle: Bundle) -> None:
    if verified != (bundle.envelope.payload_type, bundle.envelope.payload):
        raise _untrusted("the payload that was verified is not the one that was read")


def _verified_times(
    parsed: SigstoreBundle, tree: dict[str, Any], verifier: Verifier
) -> tuple[tuple[datetime, str], ...]:
    """The times that others vouch for, in a bundle that verified.

    The log's time counts only with a signed promise, which binds it (Rekor v1). Of several timestamps the library
    wants one to be good and ignores the others, so each is tried alone.
    """
    times: list[tuple[datetime, str]] = []
    entry = tree["verificationMaterial"]["tlogEntries"][0]
    promised = _promised(entry)
    if promised:
        times.append((datetime.fromtimestamp(int(entry["integratedTime"]), tz=UTC), "rekor"))
    stamps = parsed.verification_material.timestamp_verification_data
    tokens = stamps.rfc3161_timestamps if stamps is not None else []
    for position, token in enumerate(tokens):
        if (len(tokens) == 1 and not promised) or _verifies_with_only(tree, position, verifier):
            times.append((token.tst_info.gen_time.astimezone(UTC), "tsa"))
    return tuple(times)


class _AnyIdentity:
    """For looking at a bundle again whose identity has been checked."""

    def verify(self, cert: Certificate) -> None:
        """Accepts."""


def _verifies_with_only(tree: dict[str, Any], position: int, verifier: Verifier) -> bool:
    """Whether the bundle verifies by this one timestamp, without the log's promise."""
    material = dict(tree["verificationMaterial"])
    stamps = material["timestampVerificationData"]["rfc3161Timestamps"]
    material["timestampVerificationData"] = {"rfc3161Timestamps": [stamps[position]]}
    entry = {name: value for name, value in material["tlogEntries"][0].items() if name != "inclusionPromise"}
    material["tlogEntries"] = [entry]
    # 0.1 demands the promise that was just taken out; 0.2 has the same members.
    media_type = tree["mediaType"].replace("version=0.1", "version=0.2")
    alone = tree | {"mediaType": media_type, "verificationMaterial": material}
    try:
        with _library():
            verifier.verify_dsse(SigstoreBundle.from_json(to_bytes(alone)), _AnyIdentity())
    except SignatureNotTrusted:
        return False
    return True


def _verify_windows(
    parsed: SigstoreBundle, times: tuple[tuple[datetime, str], ...], entries: dict[str, Any], name: str
) -> None:
    """Verify again with only the logs and authorities that were valid then, if that leaves any out."""
    signed = tuple(moment for moment, _ in times)
    kept = valid_at(entries, name, signed=signed, certified=_certificate_log_times(parsed.signing_certificate))
    if kept == entries:
        return
    try:
        with _library():
            _verifier(kept, name).verify_dsse(parsed, _AnyIdentity())
    except (SignatureNotTrusted, TrustError):
        raise SignatureNotTrusted(
            f"what of {name} was valid at {format_time(min(signed))} does not verify the bundle",
            reason="signature.sigstore",
            hint="the validity of the one that signed it had ended or not begun",
        ) from None


def _certificate_log_times(certificate: Certificate) -> tuple[datetime, ...]:
    stamps = certificate.extensions.get_extension_for_class(PrecertificateSignedCertificateTimestamps).value
    return tuple(stamp.timestamp.replace(tzinfo=UTC) for stamp in stamps)


# What the library says, by how it begins, and what we say. Anything else is passed on as it is.
_SPOKEN: Final = {
    "failed to build timestamp certificate chain": "no authority of the trusted root that was valid then issued its "
    "certificate",
    "failed to verify SCT on signing certificate": "its certificate is in no certificate log of the trusted root",
    "not enough sources of verified time": "it has no time that the trusted root vouches for",
    "no Timestamp Authorities have been provided": "the trusted root has no timestamp authority for its timestamp",
    "invalid signing cert: expired at time of signing": "its certificate was not valid at the time of signing",
    "DSSE: invalid signature": "its signature is not over this payload",
    "log entry payload hash does not match bundle": "its log entry is for another payload",
    "log entry signatures do not match bundle": "its log entry is for another signature",
    "transparency log entry is inconsistent with other materials": "its log entry is for another payload or signature",
}
_OTHER_ROOT: Final = "the trusted root may be another instance's, or from another time"


def _untrusted(detail: str) -> SignatureNotTrusted:
    spoken = next((ours for theirs, ours in _SPOKEN.items() if detail.startswith(theirs)), detail)
    hint = _OTHER_ROOT if "trusted root" in spoken else None
    return SignatureNotTrusted(f"the Sigstore bundle does not verify: {spoken}", reason="signature.sigstore", hint=hint)


@contextmanager
def _library(error: Callable[[str], DoneReceiptError] = _untrusted) -> Iterator[None]:
    """Run the library quietly; whatever it raises becomes `error`.

    Mutated bundles make it leak ValueError, TypeError, AttributeError, OverflowError, pydantic's errors and more
    (368 of 10,216 tried), and Rust panics, which are no Exception.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated shapes in certificates of others
        try:
            yield
        except (DoneReceiptError, KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as fault:  # noqa: BLE001 - a Rust panic in cryptography is no Exception
            raise error(_detail(fault)) from None


def _detail(fault: BaseException) -> str:
    """One line of what the library said, fit for a message."""
    cause = fault.__context__ if hasattr(fault.__context__, "errors") else fault
    errors = getattr(cause, "errors", None)
    if callable(errors):
        first = errors()[0]
        text = f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    else:
        text = str(fault).partition("\n")[0] or type(fault).__name__
    text = text[:_SHOWN_CHARACTERS]
    return text if text.isascii() and text.isprintable() else quote(text)
