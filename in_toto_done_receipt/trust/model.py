"""Whom the verifier trusts, and what a verified statement is. Plain values, made in `trust`.

Only `OldSignatures` comes from outside: `importers` reads them, `trust.verify` judges them.
"""

from datetime import datetime
from typing import Any, Final, Literal

from in_toto_done_receipt.results.model import Signer, TrustFacts
from in_toto_done_receipt.trust.pattern import Pattern
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.dsse import Signature
from in_toto_done_receipt.wire.rfc3339 import format_time
from in_toto_done_receipt.wire.statement import Statement
from in_toto_done_receipt.wire.value import Value

Mode = Literal["signed", "unsigned"]


class Scope(Value, kw_only=True):
    """What a signer may speak for: exact strings; None means any."""

    agents: frozenset[str] | None = None
    models: frozenset[str] | None = None
    repositories: frozenset[str] | None = None
    predicate_types: frozenset[str] | None = None

    @property
    def unlimited(self) -> bool:
        """Whether the signer may speak for anything."""
        return self == ANYTHING


ANYTHING: Final = Scope()


class TrustedKey(Value, kw_only=True):
    """A trusted public key. `spki` is its DER SubjectPublicKeyInfo, `fingerprint` is `sha256:<digest of spki>`."""

    name: str
    principal: str
    spki: bytes
    algorithm: str
    fingerprint: str
    not_before: datetime | None = None
    not_after: datetime | None = None
    scope: Scope = ANYTHING

    def valid_at(self, moment: datetime) -> bool:
        """Whether the moment lies in the validity window; both ends belong to it."""
        early = self.not_before is not None and moment < self.not_before
        late = self.not_after is not None and moment > self.not_after
        return not early and not late


class TextRule(Value, kw_only=True):
    """What a text has to be: exactly `text`, or, with `pattern`, matched by it from the first to the last character."""

    text: str
    pattern: Pattern | None = None

    def matches(self, value: str) -> bool:
        """Whether the value is what the rule wants."""
        return value == self.text if self.pattern is None else self.pattern.fullmatch(value)


class TrustedIdentity(Value, kw_only=True):
    """A trusted Sigstore identity: subject and issuer are both demanded, `claims` too, each exactly."""

    name: str
    principal: str
    subject: TextRule
    issuer: TextRule
    claims: tuple[tuple[str, str], ...] = ()
    scope: Scope = ANYTHING


class RootFile(Value, kw_only=True):
    """A Sigstore trusted root, as it was read. `name` is for messages; `max_age` is in seconds."""

    name: str
    data: bytes
    sha256: str
    newest_validity_start: datetime
    obtained_on: datetime | None = None
    max_age: int | None = None


class TrustPolicy(Value, kw_only=True):
    """Whose signature counts. `digest` is the sha256 of the canonical JSON of everything here that decides."""

    mode: Mode
    threshold: int
    keys: tuple[TrustedKey, ...]
    identities: tuple[TrustedIdentity, ...]
    root: RootFile | None
    digest: str
    warnings: tuple[str, ...] = ()


class VerifiedStatement(Value, kw_only=True):
    """A statement and who signed exactly these bytes; made by `trust.verify`, narrowed by `trust.scope`, nowhere else.

    Without signers only if the verifier asked for none. `signed_times` is the earliest time that somebody other than
    the signer vouches for.
    """

    statement: Statement
    payload: bytes
    payload_type: str
    payload_sha256: str
    signers: tuple[Signer, ...]
    scopes: tuple[tuple[Signer, Scope], ...]
    trust: TrustFacts
    signed_times: datetime | None


class OldSignatures(Value, kw_only=True):
    """The signatures of an old receipt: Ed25519 over `message`, which is computed from the file's bytes.

    Their key ids are labels, as the old format says: whoever holds the file can change them.
    """

    message: bytes
    signatures: tuple[Signature, ...]


def make_policy(
    *, keys: tuple[TrustedKey, ...], identities: tuple[TrustedIdentity, ...], root: RootFile | None, threshold: int
) -> TrustPolicy:
    """The policy with its digest. Checks nothing: `trust.file` does."""
    deciding = {
        "mode": "signed",
        "threshold": threshold,
        "keys": [_key_tree(key) for key in keys],
        "identities": [_identity_tree(identity) for identity in identities],
        "root": None if root is None else _root_tree(root),
    }
    digest = sha256_hex(canonical(deciding))
    return TrustPolicy(mode="signed", threshold=threshold, keys=keys, identities=identities, root=root, digest=digest)


def _key_tree(key: TrustedKey) -> dict[str, Any]:
    window = {"notBefore": _time(key.not_before), "notAfter": _time(key.not_after)}
    who = {"name": key.name, "principal": key.principal, "fingerprint": key.fingerprint}
    return who | window | _scope_tree(key.scope)


def _identity_tree(identity: TrustedIdentity) -> dict[str, Any]:
    return {
        "name": identity.name,
        "principal": identity.principal,
        "subject": _rule_tree(identity.subject),
        "issuer": _rule_tree(identity.issuer),
        "claims": dict(identity.claims),
    } | _scope_tree(identity.scope)


def _rule_tree(rule: TextRule) -> dict[str, str]:
    return {"exact" if rule.pattern is None else "regexp": rule.text}


def _root_tree(root: RootFile) -> dict[str, Any]:
    return {"sha256": root.sha256, "obtainedOn": _time(root.obtained_on), "maxAge": root.max_age}


def _scope_tree(scope: Scope) -> dict[str, Any]:
    return {
        "agents": _names(scope.agents),
        "models": _names(scope.models),
        "repositories": _names(scope.repositories),
        "predicateTypes": _names(scope.predicate_types),
    }


def _names(names: frozenset[str] | None) -> list[str] | None:
    return None if names is None else sorted(names)


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else format_time(moment)


UNSIGNED: Final = TrustPolicy(
    mode="unsigned",
    threshold=0,
    keys=(),
    identities=(),
    root=None,
    digest=sha256_hex(b'{"mode":"unsigned"}'),
    warnings=("nobody's signature is asked for",),
)
