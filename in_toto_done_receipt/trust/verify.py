"""Step 2 and the first half of step 3: who signed these bytes, and the statement in them (design, verification)."""

from datetime import datetime
from typing import Final

from in_toto_done_receipt.errors import MalformedStatement, SignatureNotTrusted
from in_toto_done_receipt.results.model import Signer, TrustedRoot, TrustFacts
from in_toto_done_receipt.trust.demands import demand_young
from in_toto_done_receipt.trust.dsse import keys_over, keys_that_signed
from in_toto_done_receipt.trust.model import OldSignatures, Scope, TrustedKey, TrustPolicy, VerifiedStatement
from in_toto_done_receipt.trust.principals import count
from in_toto_done_receipt.wire.bundle import Bundle
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.dsse import DONE_RECEIPT_PAYLOAD_TYPE, INTOTO_PAYLOAD_TYPE, Envelope, Signature
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.reader import Group
from in_toto_done_receipt.wire.rfc3339 import format_time, parse_time
from in_toto_done_receipt.wire.statement import Statement, read_statement

PAYLOAD_TYPES: Final = (INTOTO_PAYLOAD_TYPE, DONE_RECEIPT_PAYLOAD_TYPE)

# Of several failures the one that got furthest says most: the last of these that occurred is reported.
_FURTHEST: Final = (
    "signature.no_certificate",
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


class _Found:
    """What the parts of a group gave so far."""

    def __init__(self) -> None:
        self.signers: list[tuple[Signer, Scope]] = []
        self.failures: list[SignatureNotTrusted] = []

    def add(self, signer: Signer, scope: Scope) -> None:
        if signer not in [known for known, _ in self.signers]:
            self.signers.append((signer, scope))


def verify_group(group: Group, trust: TrustPolicy, *, at: datetime) -> VerifiedStatement:
    """The statement that enough trusted principals signed, byte for byte.

    Raises SignatureNotTrusted with its reason; TrustError when the trusted root cannot be used; only after a good
    signature (or for an `unsigned` policy) MalformedStatement, MalformedJson or LimitExceeded. `at` is the time of
    evaluation, with a zone: keys without a verified timestamp, and the age of the root, are judged by it.
    Does not check scopes (`trust.scope`), the predicate, or subjects. Bundles with a managed key are verified as plain
    DSSE: their log entries and timestamps are neither looked at nor believed in this version.
    """
    found = _Found()
    if trust.mode == "signed":
        for part in group.parts:
            _verify_part(part, trust, at, found)
        _demand_threshold(found, trust)
    if group.payload_type not in PAYLOAD_TYPES:
        raise MalformedStatement(f"payload type is {quote(group.payload_type)}, expected {' or '.join(PAYLOAD_TYPES)}")
    return _verified(read_statement(group.payload), group.payload, group.payload_type, trust, found)


def verify_old(
    statement: Statement,
    *,
    payload: bytes,
    payload_type: str,
    signed: OldSignatures | None,
    trust: TrustPolicy,
    at: datetime,
) -> VerifiedStatement:
    """The statement that an old receipt amounts to, once enough trusted principals signed the old receipt.

    `payload` is the whole old file, `payload_type` names its format, `signed` holds its Ed25519 signatures and what
    they are over; None for a format that has none. Every trusted Ed25519 key is tried on every signature; a key id is
    a label. Raises as `verify_group`. Does not check that `statement` and `signed` come from `payload`.
    """
    found = _Found()
    if trust.mode == "signed":
        if signed is None:
            raise SignatureNotTrusted(
                "a file of this format cannot be signed",
                reason="signature.no_trusted_key",
                hint="--unsigned looks at it without a signer",
            )
        able = tuple(key for key in trust.keys if key.algorithm == "ed25519")
        try:
            made = keys_over(signed.message, signed.signatures, able)
            _count_keys(made, signed.signatures, trust, at, found)
        except SignatureNotTrusted as failure:
            found.failures.append(failure)
        _demand_threshold(found, trust)
    return _verified(statement, payload, payload_type, trust, found)


def _verified(
    statement: Statement, payload: bytes, payload_type: str, trust: TrustPolicy, found: _Found
) -> VerifiedStatement:
    signers = sorted(found.signers, key=lambda pair: (pair[0].principal, pair[0].name))
    return VerifiedStatement(
        statement=statement,
        payload=payload,
        payload_type=payload_type,
        payload_sha256=sha256_hex(payload),
        signers=tuple(signer for signer, _ in signers),
        scopes=tuple(signers),
        trust=trust_facts(trust),
        signed_times=min((parse_time(t.time) for signer, _ in signers for t in signer.times), default=None),
    )


def trust_facts(trust: TrustPolicy) -> TrustFacts:
    """What a result says about the policy, also when nothing could be verified."""
    root = trust.root
    facts = None
    if root is not None:
        facts = TrustedRoot(
            sha256=root.sha256,
            obtained_on=None if root.obtained_on is None else format_time(root.obtained_on),
            newest_validity_start=format_time(root.newest_validity_start),
        )
    return TrustFacts(mode=trust.mode, digest=trust.digest, threshold=trust.threshold, root=facts)


def _verify_part(part: Envelope | Bundle, trust: TrustPolicy, at: datetime, found: _Found) -> None:
    """Add the signers of one envelope or bundle, or the reason why it has none."""
    try:
        if isinstance(part, Bundle) and part.has_certificate:
            _verify_certificate(part, trust, at, found)
        else:
            _verify_keys(part.envelope if isinstance(part, Bundle) else part, trust, at, found)
    except SignatureNotTrusted as failure:
        found.failures.append(failure)


def _verify_certificate(bundle: Bundle, trust: TrustPolicy, at: datetime, found: _Found) -> None:
    if not trust.identities or trust.root is None:
        raise SignatureNotTrusted(
            "the bundle is signed with a Sigstore certificate, and only keys are trusted",
            reason="signature.no_trusted_key",
            hint="trust its identity with --certificate-identity, --certificate-oidc-issuer and --trusted-root",
        )
    demand_young(trust.root, at)
    from in_toto_done_receipt.trust.sigstore import verify_bundle  # half a second: only a bundle pays for it

    found.add(*verify_bundle(bundle, trust.identities, trust.root))


def _verify_keys(envelope: Envelope, trust: TrustPolicy, at: datetime, found: _Found) -> None:
    signed = keys_that_signed(envelope, trust.keys)
    _count_keys(signed, envelope.signatures, trust, at, found)


def _count_keys(
    signed: tuple[TrustedKey, ...],
    signatures: tuple[Signature, ...],
    trust: TrustPolicy,
    at: datetime,
    found: _Found,
) -> None:
    """Add the keys that signed and are valid, or say why there are none."""
    if not trust.keys:
        raise SignatureNotTrusted(
            "only Sigstore identities are trusted, and this is signed with a key, without a certificate",
            reason="signature.no_certificate",
            hint="trust the key with --trusted-key NAME=PEM",
        )
    if not signed:
        raise SignatureNotTrusted(
            f"none of {len(trust.keys)} trusted key(s) made any of {len(signatures)} signature(s)",
            reason="signature.no_trusted_key",
            hint=_named_keys(signatures),
        )
    valid = [key for key in signed if key.valid_at(at)]
    for key in valid:
        signer = Signer(name=key.name, principal=key.principal, kind="key", key_fingerprint=key.fingerprint)
        found.add(signer, key.scope)
    if not valid:
        raise SignatureNotTrusted(
            f"key {quote(signed[0].name)} {_window(signed[0])}, evaluated at {format_time(at)}",
            reason="signature.key_not_valid",
        )


def _window(key: TrustedKey) -> str:
    limits = [
        f"{word} {format_time(moment)}"
        for word, moment in (("from", key.not_before), ("until", key.not_after))
        if moment is not None
    ]
    return f"is valid {' '.join(limits)}"


def _named_keys(signatures: tuple[Signature, ...]) -> str | None:
    """The key ids that the signatures claim, to compare with the trusted ones; they prove nothing."""
    named = [quote(signature.keyid) for signature in signatures if signature.keyid]
    return f"it claims to be signed by {', '.join(named[:3])}" if named else None


def _demand_threshold(found: _Found, trust: TrustPolicy) -> None:
    if not found.signers:
        raise _furthest(found.failures)
    signers = [signer for signer, _ in found.signers]
    counted = count(signers, signers)
    if counted < trust.threshold:
        names = ", ".join(sorted({quote(signer.principal) for signer, _ in found.signers}))
        raise SignatureNotTrusted(
            f"{counted} distinct principal(s) signed ({names}), {trust.threshold} are demanded",
            reason="signature.threshold",
            hint=found.failures[0].message if found.failures else None,
        )


def _furthest(failures: list[SignatureNotTrusted]) -> SignatureNotTrusted:
    if not failures:
        return SignatureNotTrusted("nobody signed this statement", reason="signature.no_trusted_key")
    return max(failures, key=lambda failure: _FURTHEST.index(failure.reason))
