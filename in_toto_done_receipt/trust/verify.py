"""Step 2 and the first half of step 3: who signed these bytes, and the statement in them (design, verification)."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Final

from msgspec.structs import replace

from in_toto_done_receipt.errors import MalformedStatement, SignatureNotTrusted
from in_toto_done_receipt.results.model import Signer, TrustedRoot, TrustFacts
from in_toto_done_receipt.trust.dsse import keys_over
from in_toto_done_receipt.trust.model import OldSignatures, Scope, TrustPolicy, VerifiedStatement
from in_toto_done_receipt.trust.principals import count
from in_toto_done_receipt.trust.signers import Signers, counted_keys, furthest, signers_of
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.dsse import DONE_RECEIPT_PAYLOAD_TYPE, INTOTO_PAYLOAD_TYPE
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.reader import Group
from in_toto_done_receipt.wire.rfc3339 import format_time, parse_time
from in_toto_done_receipt.wire.statement import Statement, read_statement

PAYLOAD_TYPES: Final = (INTOTO_PAYLOAD_TYPE, DONE_RECEIPT_PAYLOAD_TYPE)


class _Found:
    """What the parts of a group gave so far."""

    def __init__(self) -> None:
        self.signers: list[tuple[Signer, Scope]] = []
        self.failures: list[SignatureNotTrusted] = []

    def try_(self, part: Callable[[], Signers], line: int | None = None) -> None:
        """Add the signers of a part, which stands in this line, or the reason why it has none that count."""
        try:
            for signer, scope in part():
                if signer not in [replace(known, line=None) for known, _ in self.signers]:
                    self.signers.append((replace(signer, line=line), scope))
        except SignatureNotTrusted as failure:
            self.failures.append(failure)


def verify_group(group: Group, trust: TrustPolicy, *, at: datetime) -> VerifiedStatement:
    """The statement that enough trusted principals signed, byte for byte.

    Raises SignatureNotTrusted with its reason; TrustError when the trusted root cannot be used; only after a good
    signature (or for an `unsigned` policy) MalformedStatement, MalformedJson or LimitExceeded. `at` is the time of
    evaluation, with a zone: keys without a verified timestamp, and the age of the root, are judged by it.
    Does not check scopes (`trust.scope`), the predicate, or subjects.
    """
    found = _Found()
    if trust.mode == "signed":
        for part, line in group.placed:
            found.try_(partial(signers_of, part, trust, at=at), line)
        _demand_threshold(found, trust)
    if group.payload_type not in PAYLOAD_TYPES:
        raise MalformedStatement(f"payload type is {quote(group.payload_type)}, expected {' or '.join(PAYLOAD_TYPES)}")
    return _verified(read_statement(group.payload), group.payload, group.payload_type, trust, found, at)


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
        made = keys_over(signed.message, signed.signatures, able)
        found.try_(lambda: counted_keys(made, signed.signatures, trust, at=at))
        _demand_threshold(found, trust)
    return _verified(statement, payload, payload_type, trust, found, at)


def _verified(
    statement: Statement, payload: bytes, payload_type: str, trust: TrustPolicy, found: _Found, at: datetime
) -> VerifiedStatement:
    signers = sorted(found.signers, key=lambda pair: (pair[0].principal, pair[0].name))
    return VerifiedStatement(
        statement=statement,
        payload=payload,
        payload_type=payload_type,
        payload_sha256=sha256_hex(payload),
        signers=tuple(signer for signer, _ in signers),
        scopes=tuple(signers),
        trust=trust_facts(trust, at=at),
        signed_times=min((parse_time(t.time) for signer, _ in signers for t in signer.times), default=None),
    )


def trust_facts(trust: TrustPolicy, *, at: datetime) -> TrustFacts:
    """What a result says about the policy, also when nothing could be verified. `at` is the time of evaluation."""
    root = trust.root
    facts = None
    if root is not None:
        facts = TrustedRoot(
            sha256=root.sha256,
            obtained_on=None if root.obtained_on is None else format_time(root.obtained_on),
            newest_validity_start=format_time(root.newest_validity_start),
            age=root.age(at),
        )
    return TrustFacts(mode=trust.mode, digest=trust.digest, threshold=trust.threshold, root=facts)


def _demand_threshold(found: _Found, trust: TrustPolicy) -> None:
    if not found.signers:
        raise furthest(found.failures) if found.failures else _unsigned()
    signers = [signer for signer, _ in found.signers]
    counted = count(signers, signers)
    if counted < trust.threshold:
        names = ", ".join(sorted({quote(signer.principal) for signer, _ in found.signers}))
        raise SignatureNotTrusted(
            f"{counted} distinct principal(s) signed ({names}), {trust.threshold} are demanded",
            reason="signature.threshold",
            hint=found.failures[0].message if found.failures else None,
        )


def _unsigned() -> SignatureNotTrusted:
    return SignatureNotTrusted("nobody signed this statement", reason="signature.no_trusted_key")
