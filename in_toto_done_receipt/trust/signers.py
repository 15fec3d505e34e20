"""Who signed one envelope or bundle: the trusted keys and identities that did, with what is verified about it."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.results.model import SignedTime, Signer
from in_toto_done_receipt.trust.demands import Time, demand_young, unmet
from in_toto_done_receipt.trust.dsse import keys_that_signed
from in_toto_done_receipt.trust.identity import match_identities
from in_toto_done_receipt.trust.model import RootFile, Scope, TrustedKey, TrustPolicy
from in_toto_done_receipt.wire.bundle import Bundle
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.dsse import Envelope, Signature
from in_toto_done_receipt.wire.other_formats import foreign_key, foreign_signature
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.rfc3339 import format_time

if TYPE_CHECKING:
    from in_toto_done_receipt.trust.certified import Certified

Signers = list[tuple[Signer, Scope]]

# Of several failures the one that got furthest says most: the last of these that occurred is reported.
_FURTHEST: Final = (
    "signature.no_certificate",
    "signature.no_trusted_identity",
    "signature.no_trusted_key",
    "signature.root_too_old",
    "signature.unsupported",
    "signature.sigstore",
    "signature.identity",
    "signature.issuer",
    "signature.claims",
    "signature.shared_builder",
    "signature.no_transparency",
    "signature.no_timestamp",
    "signature.identity_not_valid",
    "signature.key_not_valid",
)


def furthest(failures: Sequence[SignatureNotTrusted]) -> SignatureNotTrusted:
    """The failure to report of these, of which there is at least one."""
    return max(failures, key=lambda failure: _FURTHEST.index(failure.reason))


def signers_of(part: Envelope | Bundle, trust: TrustPolicy, *, at: datetime) -> Signers:
    """The signers of one envelope or bundle that count, at least one.

    Raises SignatureNotTrusted when there is none; TrustError for a root that cannot be used. `at` is the time of
    evaluation.
    """
    if isinstance(part, Bundle):
        return _by_certificate(part, trust, at) if part.has_certificate else _by_managed_key(part, trust, at)
    foreign = foreign_signature([signature.keyid for signature in part.signatures], part.unrecognized)
    return counted_keys(keys_that_signed(part, trust.keys), part.signatures, trust, at=at, foreign=foreign)


def _by_certificate(bundle: Bundle, trust: TrustPolicy, at: datetime) -> Signers:
    if not trust.identities or trust.root is None:
        raise SignatureNotTrusted(
            "the bundle is signed with a Sigstore certificate, and only keys are trusted",
            reason="signature.no_trusted_identity",
            hint="trust its identity with --certificate-identity, --certificate-oidc-issuer and --trusted-root",
        )
    demand_young(trust.root, at)
    from in_toto_done_receipt.trust.certified import verify_certified  # X.509: only for a certificate

    found = verify_certified(bundle, trust.root)
    fitting = match_identities(found.facts, trust.identities)
    judged = [(one, unmet(one, times=found.times, logged=found.log_index is not None, at=at)) for one in fitting]
    counting = [identity for identity, failure in judged if failure is None]
    if not counting:
        raise furthest([failure for _, failure in judged if failure is not None])
    _cross_check(bundle, found, trust.root)
    return [
        (
            Signer(
                name=identity.name,
                principal=identity.principal,
                kind="sigstore",
                identity=found.facts.subject,
                issuer=found.facts.issuer,
                claims=dict(found.facts.claims),
                key_fingerprint=f"sha256:{sha256_hex(found.maker.spki)}",
                log_index=found.log_index,
                times=_times(found.times),
            ),
            identity.scope,
        )
        for identity in counting
    ]


def _cross_check(bundle: Bundle, found: "Certified", root: RootFile) -> None:
    if root.cross_check:
        from in_toto_done_receipt.trust.crosscheck import confirm  # sigstore: a third of a second

        confirm(bundle, found, root)


def _by_managed_key(bundle: Bundle, trust: TrustPolicy, at: datetime) -> Signers:
    """Without a root nobody vouches for the log entries and timestamps in the bundle: they are not even looked at.

    Nor does a root that is too old, which matters only to a key that demands one of them.
    """
    envelope = bundle.envelope
    signed = keys_that_signed(envelope, trust.keys)
    if not signed or trust.root is None:
        return counted_keys(signed, envelope.signatures, trust, at=at, foreign=foreign_key(bundle.tree))
    try:
        demand_young(trust.root, at)
    except SignatureNotTrusted:
        if any(key.transparency or key.timestamp for key in signed):
            raise
        return counted_keys(signed, envelope.signatures, trust, at=at)
    from in_toto_done_receipt.trust.managed import verify_seen

    seen = verify_seen(bundle, signed[0], trust.root, at)
    return counted_keys(signed, envelope.signatures, trust, at=at, times=seen.times, log_index=seen.log_index)


def counted_keys(
    signed: tuple[TrustedKey, ...],
    signatures: tuple[Signature, ...],
    trust: TrustPolicy,
    *,
    at: datetime,
    times: tuple[Time, ...] = (),
    log_index: int | None = None,
    foreign: str | None = None,
) -> Signers:
    """The keys that signed and count, or SignatureNotTrusted that says why there are none.

    `times` and `log_index` are verified ones; `foreign` says whose format it is, if not ours.
    """
    if not trust.keys:
        what = foreign or "signed with a key, without a certificate"
        raise SignatureNotTrusted(
            f"only Sigstore identities are trusted, and this is {what}",
            reason="signature.no_certificate",
            hint="trust the key with --trusted-key NAME=PEM",
        )
    if not signed:
        raise SignatureNotTrusted(
            f"none of {len(trust.keys)} trusted key(s) made any of {len(signatures)} signature(s)"
            + ("" if foreign is None else f": {foreign}"),
            reason="signature.no_trusted_key",
            hint=_named_keys(signatures),
        )
    judged = [(key, unmet(key, times=times, logged=log_index is not None, at=at)) for key in signed]
    counting = [key for key, failure in judged if failure is None]
    if not counting:
        raise furthest([failure for _, failure in judged if failure is not None])
    return [
        (
            Signer(
                name=key.name,
                principal=key.principal,
                kind="key",
                key_fingerprint=key.fingerprint,
                log_index=log_index,
                times=_times(times),
            ),
            key.scope,
        )
        for key in counting
    ]


def _times(times: tuple[Time, ...]) -> tuple[SignedTime, ...]:
    return tuple(SignedTime(time=format_time(moment), source=source) for moment, source in times)


def _named_keys(signatures: tuple[Signature, ...]) -> str | None:
    """The key ids that the signatures claim, to compare with the trusted ones; they prove nothing."""
    named = [quote(signature.keyid) for signature in signatures if signature.keyid]
    return f"it claims to be signed by {', '.join(named[:3])}" if named else None
