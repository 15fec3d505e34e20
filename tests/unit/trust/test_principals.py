from typing import Any

import pytest

from in_toto_done_receipt.results.model import Signer
from in_toto_done_receipt.trust.model import ANY_SUBJECT, TextRule, TrustedIdentity
from in_toto_done_receipt.trust.pattern import compile_pattern
from in_toto_done_receipt.trust.principals import count, count_entries, persons


def by_identity(principal: str, identity: str, issuer: str = "https://i", **members: Any) -> Signer:
    return Signer(name=principal, principal=principal, kind="sigstore", identity=identity, issuer=issuer, **members)


def by_key(principal: str, fingerprint: str) -> Signer:
    return Signer(name=fingerprint, principal=principal, kind="key", key_fingerprint=fingerprint)


def entry(principal: str, subject: str | None, *, regexp: bool = False, issuer: str = "https://i") -> TrustedIdentity:
    rule = ANY_SUBJECT if subject is None else TextRule(text=subject)
    if subject is not None and regexp:
        rule = TextRule(text=subject, pattern=compile_pattern(subject))
    return TrustedIdentity(
        name=f"{principal} {subject}", principal=principal, subject=rule, issuer=TextRule(text=issuer)
    )


@pytest.mark.parametrize(
    ("signers", "counted"),
    [
        ([], 0),
        ([by_key("alice", "k1"), by_key("bob", "k2")], 2),
        ([by_key("alice", "k1"), by_key("alice", "k2")], 1),
        ([by_key("alice", "k1"), by_identity("alice", "alice@x.example")], 1),
        ([by_key("alice", "k1"), by_identity("bob", "bob@x.example")], 2),
        ([by_key("Alice", "k1"), by_identity("alice", "alice@x.example")], 1),
        ([by_identity("p", "a"), by_identity("q", "a")], 1),
        ([by_identity("p", "a"), by_identity("p", "b")], 1),
        ([by_identity("p", "a"), by_identity("q", "b")], 2),
        ([by_identity("p", "Al@X.example"), by_identity("q", "al@x.example")], 1),
        ([by_identity("p", "al@x.example", "https://i"), by_identity("q", "al@x.example", "https://j")], 1),
        ([by_identity("p", "a", log_index=1), by_identity("p", "a", log_index=2)], 1),
        ([by_key("alice", "k1"), by_identity("alice", "a"), by_identity("bob", "a"), by_key("bob", "k2")], 1),
        ([by_key("alice", "k1"), by_key("bob", "k2"), by_identity("alice", "a"), by_identity("bob", "a")], 1),
        ([by_identity("p", "a+1@x.example"), by_identity("q", "a+2@x.example")], 2),
        ([by_identity("p\u00e9", "a"), by_identity("pe\u0301", "b")], 1),
    ],
)
def test_count(signers: list[Signer], counted: int) -> None:
    assert count(signers, signers) == counted
    assert count(signers[::-1], signers[::-1]) == counted


def test_who_is_one_person_is_said_by_all_who_signed() -> None:
    alice = [by_key("alice", "k1"), by_identity("alice", "a"), by_identity("bob", "a")]
    assert count((alice[0], alice[2]), alice) == 1


def test_persons_keep_every_signer() -> None:
    signers = [by_key("a", "k1"), by_key("b", "k2"), by_key("a", "k3")]
    assert persons(signers) == ((signers[1],), (signers[0], signers[2]))


@pytest.mark.parametrize(
    ("entries", "counted"),
    [
        ([entry("p", "a@x.example"), entry("q", "b@x.example")], 2),
        ([entry("p", "a@x.example"), entry("q", "A@x.example", issuer="https://j")], 1),
        ([entry("p", "a@x.example"), entry("q", "[a-z]@x", regexp=True)], 2),
        ([entry("p", None), entry("q", None)], 2),
        ([entry("p", None), entry("P", "b@x.example")], 1),
    ],
)
def test_count_entries(entries: list[TrustedIdentity], counted: int) -> None:
    assert count_entries((), entries) == counted


def test_a_key_and_an_identity_of_one_principal_are_one_entry_group(workshop: Any) -> None:
    key = workshop.trusted(workshop.private_key("ed25519"), "alice")
    assert count_entries((key,), (entry("alice", "a@x.example"),)) == 1
    assert count_entries((key,), (entry("bob", "a@x.example"),)) == 2
