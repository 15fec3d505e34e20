"""How many persons signed: the same principal, key or identity never counts twice (design, threats 14).

Names are compared without regard to case: mail providers and forges do so too, and counting too few is the safe side.
An identity is its subject, whoever vouches for it: one mailbox at two issuers is still one person. A key is one person
also where it has certificates: of two names, or beside its own entry. Two addresses of one
mailbox (`a+b@…`) cannot be told from two persons; `trust check` points them out.
"""

from collections.abc import Iterable, Sequence

from in_toto_done_receipt.results.model import Signer
from in_toto_done_receipt.trust.model import TrustedIdentity, TrustedKey
from in_toto_done_receipt.wire.paths import twin_key

Mark = tuple[str, str]  # what two signers have in common when they are one person


def persons(signers: Sequence[Signer]) -> tuple[tuple[Signer, ...], ...]:
    """The signers, together when they share a principal, a key or an identity, also by way of a third one."""
    return tuple(tuple(signers[i] for i in group) for group in _groups([_signer_marks(signer) for signer in signers]))


def count(counting: Iterable[Signer], among: Sequence[Signer]) -> int:
    """How many persons the signers in `counting` are. `among` are all who signed: they say who is one with whom."""
    counted = list(counting)
    return sum(any(signer in counted for signer in person) for person in persons(among))


def count_entries(keys: Sequence[TrustedKey], identities: Sequence[TrustedIdentity]) -> int:
    """How many persons the entries of a trust file can be at most: what a threshold can reach."""
    return len(entry_groups(keys, identities))


def entry_groups(
    keys: Sequence[TrustedKey], identities: Sequence[TrustedIdentity]
) -> tuple[tuple[TrustedKey | TrustedIdentity, ...], ...]:
    """The entries, together when they are one person."""
    entries: list[TrustedKey | TrustedIdentity] = [*keys, *identities]
    return tuple(tuple(entries[i] for i in group) for group in _groups([_entry_marks(entry) for entry in entries]))


def _signer_marks(signer: Signer) -> tuple[Mark, ...]:
    marks = [("principal", twin_key(signer.principal))]
    if signer.identity is not None:
        marks.append(("identity", twin_key(signer.identity)))
    if signer.key_fingerprint is not None:
        marks.append(("key", signer.key_fingerprint))
    return tuple(marks)


def _entry_marks(entry: TrustedKey | TrustedIdentity) -> tuple[Mark, ...]:
    principal = ("principal", twin_key(entry.principal))
    if isinstance(entry, TrustedKey):
        return principal, ("key", entry.fingerprint)
    return (principal, ("identity", twin_key(entry.subject.text))) if entry.subject.exact else (principal,)


def _groups(marks: Sequence[tuple[Mark, ...]]) -> list[list[int]]:
    """Positions, together when they share a mark, also by way of others."""
    groups: list[tuple[set[Mark], list[int]]] = []
    for position, own in enumerate(marks):
        joined: tuple[set[Mark], list[int]] = (set(own), [position])
        apart = []
        for group in groups:
            if group[0].isdisjoint(own):
                apart.append(group)
            else:
                joined = (joined[0] | group[0], group[1] + joined[1])
        groups = [*apart, joined]
    return [sorted(positions) for _, positions in groups]
