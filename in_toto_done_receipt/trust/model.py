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


def _within(moment: datetime, not_before: datetime | None, not_after: datetime | None) -> bool:
    """Whether the moment lies in the window; both ends belong to it."""
    return (not_before is None or moment >= not_before) and (not_after is None or moment <= not_after)


class TrustedKey(Value, kw_only=True):
    """A trusted public key. `spki` is its DER SubjectPublicKeyInfo, `fingerprint` is `sha256:<digest of spki>`.

    `transparency` and `timestamp` demand a log entry and an RFC 3161 timestamp that the trusted root vouches for. With
    `openpgp`, signatures count that OpenPGP made with the key (`trust.openpgp`), and no others.
    """

    name: str
    principal: str
    spki: bytes
    algorithm: str
    fingerprint: str
    not_before: datetime | None = None
    not_after: datetime | None = None
    transparency: bool = False
    timestamp: bool = False
    openpgp: bool = False
    scope: Scope = ANYTHING

    def valid_at(self, moment: datetime) -> bool:
        """Whether the moment lies in the validity window; both ends belong to it."""
        return _within(moment, self.not_before, self.not_after)


class TextRule(Value, kw_only=True):
    """What a text has to be: exactly `text`, or, with `pattern`, matched by it from the first to the last character.

    With `anything` every text is right; `text` is then how the file spells that.
    """

    text: str
    pattern: Pattern | None = None
    anything: bool = False

    @property
    def exact(self) -> bool:
        """Whether only one text is right."""
        return self.pattern is None and not self.anything

    def matches(self, value: str) -> bool:
        """Whether the value is what the rule wants."""
        if self.anything:
            return True
        return value == self.text if self.pattern is None else self.pattern.fullmatch(value)


ANY_SUBJECT: Final = TextRule(text="anySubject", anything=True)
ClaimRules = tuple[tuple[str, tuple[TextRule, ...]], ...]  # name of a claim, and the rules one of which it has to fit


class TrustedIdentity(Value, kw_only=True):
    """A trusted Sigstore identity: subject, issuer and every claim of `claim_rules` are demanded.

    The window is for verified times. `transparency` demands a log entry, `timestamp` an RFC 3161 timestamp that the
    trusted root vouches for. A bundle without any log entry is accepted only where `transparency` is False.
    """

    name: str
    principal: str
    subject: TextRule
    issuer: TextRule
    claim_rules: ClaimRules = ()
    not_before: datetime | None = None
    not_after: datetime | None = None
    transparency: bool = True
    timestamp: bool = False
    scope: Scope = ANYTHING

    def valid_at(self, moment: datetime) -> bool:
        """Whether the moment lies in the window in which the identity is trusted; both ends belong to it."""
        return _within(moment, self.not_before, self.not_after)


class RootFile(Value, kw_only=True):
    """A Sigstore trusted root, as it was read. `name` is for messages; `max_age` is in seconds.

    `pinned` says whether the trust file names its digest; with `cross_check`, bundles have to pass sigstore-python as
    well (`trust.crosscheck`). Without `certificate_logs` in it, it asks for no certificate timestamp.
    """

    name: str
    data: bytes
    sha256: str
    newest_validity_start: datetime
    obtained_on: datetime | None = None
    max_age: int | None = None
    pinned: bool = False
    cross_check: bool = False
    certificate_logs: bool = True

    def age(self, at: datetime) -> int:
        """Whole seconds since the verifier got it, else since its newest entry; negative if that is in the future."""
        return int((at - (self.obtained_on or self.newest_validity_start)).total_seconds())


class TrustPolicy(Value, kw_only=True):
    """Whose signature counts. `digest` is the sha256 of the canonical JSON of everything here that decides."""

    mode: Mode
    threshold: int
    keys: tuple[TrustedKey, ...]
    identities: tuple[TrustedIdentity, ...]
    root: RootFile | None
    digest: str
    warnings: tuple[str, ...] = ()

    @property
    def entries(self) -> tuple[TrustedKey | TrustedIdentity, ...]:
        """Keys, then identities."""
        return *self.keys, *self.identities


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
    who = {"name": key.name, "principal": key.principal, "fingerprint": key.fingerprint, "openpgp": key.openpgp}
    return who | _demand_tree(key) | _scope_tree(key.scope)


def _identity_tree(identity: TrustedIdentity) -> dict[str, Any]:
    who = {
        "name": identity.name,
        "principal": identity.principal,
        "subject": _rule_tree(identity.subject),
        "issuer": _rule_tree(identity.issuer),
        "claims": {name: [_rule_tree(rule) for rule in rules] for name, rules in identity.claim_rules},
    }
    return who | _demand_tree(identity) | _scope_tree(identity.scope)


def _demand_tree(signer: TrustedKey | TrustedIdentity) -> dict[str, Any]:
    return {
        "notBefore": _time(signer.not_before),
        "notAfter": _time(signer.not_after),
        "transparency": signer.transparency,
        "timestamp": signer.timestamp,
    }


def _rule_tree(rule: TextRule) -> dict[str, str]:
    return {"any" if rule.anything else "exact" if rule.pattern is None else "regexp": rule.text}


def _root_tree(root: RootFile) -> dict[str, Any]:
    age = {"obtainedOn": _time(root.obtained_on), "maxAge": root.max_age}
    return {"sha256": root.sha256, "crossCheck": root.cross_check} | age


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
