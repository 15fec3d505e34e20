"""The trust file: whose signature counts, and for what (design, verification, Trust). `trust.flags` says it by flags.

Published as `trust.v0.1.schema.json` beside this file. What it says cannot come from the receipt or its repository.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from in_toto_done_receipt.errors import InputError, TrustError
from in_toto_done_receipt.trust.check import lasting_lines
from in_toto_done_receipt.trust.entries import IdentityEntry, KeyEntry, SigstoreEntry, TrustFile
from in_toto_done_receipt.trust.keys import load_key
from in_toto_done_receipt.trust.model import (
    ANY_SUBJECT,
    RootFile,
    Scope,
    TextRule,
    TrustedIdentity,
    TrustedKey,
    TrustPolicy,
    make_policy,
)
from in_toto_done_receipt.trust.principals import count_entries
from in_toto_done_receipt.trust.root import read_root
from in_toto_done_receipt.trust.rules import STRANGE_ISSUERS, STRANGERS, Fault, claim_rules, text_rule
from in_toto_done_receipt.wire.config import read_config
from in_toto_done_receipt.wire.digests import digest_fault
from in_toto_done_receipt.wire.pointer import quote

Read = Callable[[Path], bytes]

MAX_ENTRIES: Final = 100  # keys or identities: each key is tried on each signature
MAX_NAME_CHARS: Final = 200


def load_trust(data: bytes, *, base: Path, read: Read, what: str = "trust file") -> TrustPolicy:
    """The policy that a trust file says; paths in it are relative to `base` and read through `read`.

    Raises TrustError naming the entry: unknown or misspelt keys, an empty or contradictory file, keys and roots that
    cannot be read, expressions that cannot be used, a threshold that can never be met. Weak lines are no errors; the
    policy carries those that do not depend on the time as `warnings`.
    """
    file = read_config(data, TrustFile, what=what, error=TrustError)
    _check_entries(file, what)
    keys = tuple(_key(entry, f"{what}: key[{i}]", base, read) for i, entry in enumerate(file.key or ()))
    identities = tuple(_identity(entry, f"{what}: identity[{i}]") for i, entry in enumerate(file.identity or ()))
    root = None if file.sigstore is None else _root(file.sigstore, f"{what}: sigstore", base, read)
    if identities and root is None:
        raise TrustError(
            f"{what}: an identity is trusted, and there is no [sigstore] trustedRoot",
            hint="a certificate is only worth what its root is; there is no built-in or cached one",
        )
    demanding = [key for key in keys if key.transparency or key.timestamp]
    if demanding and root is None:
        raise TrustError(
            f"{what}: key {quote(demanding[0].name)} demands {_demanded(demanding[0])}, and there is no [sigstore] "
            "trustedRoot",
            hint="logs and timestamp authorities are only worth what their root is",
        )
    if root is not None and not identities and not demanding:
        raise TrustError(
            f"{what}: sigstore: a trusted root, and no identity is trusted",
            hint="add an [[identity]], or a key with transparency or timestamp",
        )
    return checked_policy(keys, identities, root, file.threshold, f"{what}: threshold", TrustError)


def _check_entries(file: TrustFile, what: str) -> None:
    if file.key is None and file.identity is None:
        raise TrustError(f"{what}: trusts nobody", hint="add a [[key]] or an [[identity]]")
    for member, listed in (("key", file.key), ("identity", file.identity)):
        if listed is not None and not 1 <= len(listed) <= MAX_ENTRIES:
            raise TrustError(f"{what}: {member}: {len(listed)} entries, expected 1 to {MAX_ENTRIES}")
    names = [entry.name for entry in file.key or ()] + [entry.name for entry in file.identity or ()]
    for name in names:
        if names.count(name) > 1:
            raise TrustError(f"{what}: two entries are named {quote(name)}")


def checked_policy(
    keys: tuple[TrustedKey, ...],
    identities: tuple[TrustedIdentity, ...],
    root: RootFile | None,
    threshold: int,
    where: str,
    error: Fault,
) -> TrustPolicy:
    """The policy of these entries. Raises `error`: one key twice, a threshold at `where` that can never be met."""
    known: dict[str, str] = {}
    for key in keys:
        if key.fingerprint in known:
            raise error(f"keys {quote(known[key.fingerprint])} and {quote(key.name)} are the same key")
        known[key.fingerprint] = key.name
    principals = count_entries(keys, identities)
    if not 1 <= threshold <= principals:
        raise error(
            f"{where} is {threshold}, with {principals} principal(s) it can be 1 to {principals}",
            hint="names that differ only in case, and entries with one subject, are one principal",
        )
    policy = make_policy(keys=keys, identities=identities, root=root, threshold=threshold)
    return replace(policy, warnings=lasting_lines(policy))


def _key(entry: KeyEntry, where: str, base: Path, read: Read) -> TrustedKey:
    _check_names(entry.name, entry.principal, where)
    if (entry.path is None) == (entry.pem is None):
        raise TrustError(f"{where}: expected exactly one of path and pem")
    _check_window(entry, where)
    what = f"{where}.pem"
    pem = (entry.pem or "").encode()
    if entry.path is not None:
        what = f"{where}.path: {entry.path}"
        pem = read_named(base / _path(entry.path, f"{where}.path"), f"{where}.path", read)
    return load_key(
        pem,
        name=entry.name,
        principal=entry.principal,
        what=what,
        not_before=entry.not_before,
        not_after=entry.not_after,
        transparency=bool(entry.transparency),
        timestamp=entry.timestamp,
        openpgp=entry.openpgp,
        scope=_scope(entry, where),
    )


def _demanded(key: TrustedKey) -> str:
    return "a log entry" if key.transparency else "a timestamp"


def _identity(entry: IdentityEntry, where: str) -> TrustedIdentity:
    _check_names(entry.name, entry.principal, where)
    _check_window(entry, where)
    subjects, issuers = ((f"{where}.{name}", f"{where}.{name}Regexp") for name in ("subject", "issuer"))
    subject = text_rule(entry.subject, entry.subject_regexp, subjects, STRANGERS, TrustError)
    if entry.any_subject is not None:
        subject = _any_subject(entry.any_subject, subject, where)
    issuer = text_rule(entry.issuer, entry.issuer_regexp, issuers, STRANGE_ISSUERS, TrustError)
    if subject is None or issuer is None:
        missing = "issuer" if issuer is None else "subject"
        raise TrustError(
            f"{where}: no {missing}", hint="subject and issuer together name somebody; another issuer can say anything"
        )
    return TrustedIdentity(
        name=entry.name,
        principal=entry.principal or entry.name,
        subject=subject,
        issuer=issuer,
        claim_rules=claim_rules(entry.claims, entry.claims_regexp, where, TrustError),
        not_before=entry.not_before,
        not_after=entry.not_after,
        transparency=entry.transparency is not False,
        timestamp=entry.timestamp,
        scope=_scope(entry, where),
    )


def _any_subject(said: bool, other: TextRule | None, where: str) -> TextRule:
    if not said:
        raise TrustError(f"{where}.anySubject: is false, which says nothing", hint="leave it out")
    if other is not None:
        raise TrustError(f"{where}: anySubject beside subject or subjectRegexp", hint="give one of them")
    return ANY_SUBJECT


def _root(entry: SigstoreEntry, where: str, base: Path, read: Read) -> RootFile:
    _check_moment(entry.obtained_on, f"{where}.obtainedOn")
    if entry.max_age is not None and entry.max_age < 1:
        raise TrustError(f"{where}.maxAge: is {entry.max_age}, expected seconds, at least 1")
    if entry.sha256 is not None and (fault := digest_fault("sha256", entry.sha256)):
        raise TrustError(f"{where}.sha256: {fault}")
    path = base / _path(entry.trusted_root, f"{where}.trustedRoot")
    root = read_root(
        read_named(path, f"{where}.trustedRoot", read),
        name=entry.trusted_root,
        pinned_sha256=entry.sha256,
        obtained_on=entry.obtained_on,
        max_age=entry.max_age,
    )
    return replace(root, cross_check=entry.cross_check)


def _scope(entry: KeyEntry | IdentityEntry, where: str) -> Scope:
    def names(values: tuple[str, ...] | None, name: str) -> frozenset[str] | None:
        if values is not None and (not values or "" in values):
            raise TrustError(f"{where}.{name}: is empty or holds an empty text", hint=f"leave {name} out for any")
        return None if values is None else frozenset(values)

    return Scope(
        agents=names(entry.agents, "agents"),
        models=names(entry.models, "models"),
        repositories=names(entry.repositories, "repositories"),
        predicate_types=names(entry.predicate_types, "predicateTypes"),
    )


def _check_names(name: str, principal: str | None, where: str) -> None:
    for member, value in (("name", name), ("principal", principal)):
        if value is not None and (not 1 <= len(value) <= MAX_NAME_CHARS or not value.isprintable()):
            raise TrustError(
                f"{where}.{member}: expected 1 to {MAX_NAME_CHARS} printable characters, got {quote(value)}"
            )


def _check_window(entry: KeyEntry | IdentityEntry, where: str) -> None:
    for name, moment in (("notBefore", entry.not_before), ("notAfter", entry.not_after)):
        _check_moment(moment, f"{where}.{name}")
    if entry.not_before is not None and entry.not_after is not None and entry.not_before > entry.not_after:
        window = f"{entry.not_before.isoformat()}, {entry.not_after.isoformat()}"
        raise TrustError(f"{where}: notBefore is after notAfter: {window}")


def _check_moment(moment: datetime | None, where: str) -> None:
    if moment is None:
        return
    if moment.tzinfo is None:
        raise TrustError(f"{where}: a time without a zone", hint="write it like 2027-01-31T00:00:00Z")
    try:
        moment.astimezone(UTC)
    except OverflowError:
        raise TrustError(f"{where}: expected a time of the years 1 to 9999 in UTC, got {moment.isoformat()}") from None


def _path(text: str, where: str) -> str:
    if not text or "\0" in text:
        raise TrustError(f"{where}: is empty or holds NUL")
    return text


def read_named(path: Path, where: str, read: Read) -> bytes:
    """The bytes of a file that the entry or flag `where` names. Raises TrustError."""
    try:
        return read(path)
    except InputError as fault:
        raise TrustError(f"{where}: {fault.message}", hint=fault.hint) from None
    except (OSError, ValueError) as fault:
        raise TrustError(f"{where}: {path}: {fault}") from None
