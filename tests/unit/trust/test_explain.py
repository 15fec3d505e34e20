from datetime import timedelta
from typing import Any

import pytest

from in_toto_done_receipt.trust.explain import MAX_COMBINATIONS, combinations, explain
from in_toto_done_receipt.trust.model import ANY_SUBJECT, Scope, TextRule, TrustedIdentity, make_policy
from in_toto_done_receipt.trust.pattern import compile_pattern

ISSUER = TextRule(text="https://issuer.example")


def fits(text: str) -> TextRule:
    return TextRule(text=text, pattern=compile_pattern(text))


def identity(name: str, subject: TextRule | None = None, **members: Any) -> TrustedIdentity:
    given: dict[str, Any] = {
        "principal": name,
        "issuer": ISSUER,
        "subject": subject or TextRule(text=f"{name}@x.example"),
    } | members
    return TrustedIdentity(name=name, **given)


def met(workshop: Any, *identities: TrustedIdentity, threshold: int) -> set[str]:
    policy = make_policy(keys=(), identities=identities, root=None, threshold=threshold)
    found = combinations(policy, at=workshop.now)
    assert found.complete
    return {"+".join(names) for names in found.met}


def agents(*names: str) -> Scope:
    return Scope(agents=frozenset(names))


def test_a_key_in_words(workshop: Any) -> None:
    scope = Scope(agents=frozenset({"b", "a"}), predicate_types=frozenset({"t"}))
    key = workshop.trusted(workshop.private_key("ed25519"), "laptop", principal="alice", transparency=True, scope=scope)
    said = explain(key, at=workshop.now)
    assert (said.kind, said.name, said.principal, said.window) == ("key", "laptop", "alice", "always")
    assert said.lets_in == f"whoever holds the private half of the ed25519 key {key.fingerprint}"
    assert said.only_for == ('agent "a" or "b"', 'predicate type "t"')
    assert said.demands == ("an entry in a transparency log of the trusted root",)


def test_an_openpgp_key_in_words(workshop: Any) -> None:
    key = workshop.trusted(workshop.private_key("ed25519"), "laptop", openpgp=True)
    assert explain(key, at=workshop.now).lets_in.startswith("OpenPGP signatures by whoever holds")


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        (TextRule(text="a@x.example"), "exactly a@x.example"),
        (
            fits(r"[a-z]+@x\.example"),
            r"whoever fits [a-z]+@x\.example from end to end; all of them count as one signer",
        ),
        (ANY_SUBJECT, "whoever the issuer vouches for; all of them count as one signer"),
        (TextRule(text="a\u202eb"), 'exactly "a\\u202eb"'),
    ],
)
def test_whom_an_identity_lets_in(workshop: Any, subject: TextRule, words: str) -> None:
    assert explain(identity("ci", subject), at=workshop.now).lets_in == words


def test_what_an_identity_demands(workshop: Any) -> None:
    rules = (
        ("buildTrigger", (TextRule(text="push"), TextRule(text="release"))),
        ("runInvocationURI", (fits("https://f/.*"),)),
    )
    said = explain(identity("ci", claim_rules=rules, timestamp=True, transparency=False), at=workshop.now)
    assert said.demands == (
        "issuer is https://issuer.example",
        "buildTrigger is push or release",
        "runInvocationURI fits https://f/.* from end to end",
        "a timestamp by an authority of the trusted root",
    )


def test_a_window_in_words(workshop: Any) -> None:
    past = workshop.now - timedelta(1)
    said = explain(identity("ci", not_before=past, not_after=past), at=workshop.now)
    assert said.window.startswith("from ")
    assert " until " in said.window
    assert not said.current


@pytest.mark.parametrize(("threshold", "expected"), [(1, {"a", "b", "c"}), (2, {"a+b", "a+c", "b+c"}), (3, {"a+b+c"})])
def test_any_of_them_meet_the_threshold(workshop: Any, threshold: int, expected: set[str]) -> None:
    assert met(workshop, *map(identity, "abc"), threshold=threshold) == expected


def test_one_principal_is_one_person(workshop: Any) -> None:
    assert met(workshop, identity("a"), identity("b", principal="A"), identity("c"), threshold=2) == {"A = a+c"}


def test_who_may_speak_for_nothing_together_does_not_meet_it(workshop: Any) -> None:
    given = (
        identity("a", scope=agents("1", "2")),
        identity("b", scope=agents("2", "3")),
        identity("c", scope=agents("3")),
    )
    assert met(workshop, *given, threshold=2) == {"a+b", "b+c"}
    assert met(workshop, *given, threshold=3) == set()


def test_a_second_entry_widens_what_a_person_may_speak_for(workshop: Any) -> None:
    given = (
        identity("a", scope=agents("1")),
        identity("a2", principal="a", scope=agents("3")),
        identity("c", scope=agents("3")),
    )
    assert met(workshop, *given, threshold=2) == {"a+c"}


def test_who_is_out_of_its_window_does_not_meet_it(workshop: Any) -> None:
    past = identity("a", not_after=workshop.now - timedelta(1))
    assert met(workshop, past, identity("b"), threshold=1) == {"b"}
    assert met(workshop, past, identity("b"), threshold=2) == set()


@pytest.mark.parametrize("threshold", [1, 2, 50, 99])
def test_many_entries_are_not_all_listed(workshop: Any, threshold: int) -> None:
    many = tuple(identity(str(number)) for number in range(100))
    found = combinations(make_policy(keys=(), identities=many, root=None, threshold=threshold), at=workshop.now)
    assert (len(found.met), found.complete) == (MAX_COMBINATIONS, False)


def test_the_search_ends_where_nothing_is_to_be_found(workshop: Any) -> None:
    """The first 21 have something in common, and nothing with the rest: the last step of each way shows it."""
    lacks = [str(number % 4) if number < 21 else "4" for number in range(26)]
    many = tuple(identity(f"{i:02}", scope=agents(*{"0", "1", "2", "3", "4"} - {gap})) for i, gap in enumerate(lacks))
    found = combinations(make_policy(keys=(), identities=many, root=None, threshold=22), at=workshop.now)
    assert (found.met, found.complete) == ((), False)
