from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.trust.check import weak_lines
from in_toto_done_receipt.trust.model import (
    ANY_SUBJECT,
    UNSIGNED,
    RootFile,
    Scope,
    TextRule,
    TrustedIdentity,
    make_policy,
)
from in_toto_done_receipt.trust.pattern import compile_pattern

NARROW = Scope(agents=frozenset({"a"}))
WORKFLOW = "https://github.com/o/r/.github/workflows/a.yml@refs/heads/main"


def identity(text: str, *, regexp: bool = False, **members: Any) -> TrustedIdentity:
    rule = fits(text) if regexp else TextRule(text=text)
    given: dict[str, Any] = {
        "name": "ci",
        "principal": "ci",
        "scope": NARROW,
        "subject": rule,
        "issuer": TextRule(text="https://i"),
    }
    return TrustedIdentity(**given | members)


def fits(text: str) -> TextRule:
    return TextRule(text=text, pattern=compile_pattern(text))


def lines(workshop: Any, *, keys: tuple[Any, ...] = (), identities: tuple[Any, ...] = (), root: Any = None) -> str:
    policy = make_policy(keys=keys, identities=identities, root=root, threshold=1)
    return "\n".join(weak_lines(policy, at=workshop.now))


def key(workshop: Any, name: str = "alice", copy: int = 0, **members: Any) -> Any:
    given = {"not_after": workshop.now + timedelta(90), "scope": NARROW} | members
    return workshop.trusted(workshop.private_key("ed25519", copy), name, **given)


def test_nothing_weak(workshop: Any) -> None:
    assert lines(workshop, keys=(key(workshop),)) == ""
    assert lines(workshop, identities=(identity("a@b.example"),)) == ""


def test_unsigned_policy_has_no_weak_lines_of_its_own(workshop: Any) -> None:
    assert weak_lines(UNSIGNED, at=workshop.now) == ()


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"scope": Scope()}, "no scope"),
        ({"not_after": None}, "no notAfter"),
        ({"not_after": timedelta(-1)}, "has passed"),
        ({"not_after": timedelta(10)}, "in less than 30 days"),
        ({"not_before": timedelta(1)}, "in the future"),
        ({"algorithm": "rsa-2048"}, "RSA of 2048 bits"),
    ],
)
def test_weak_key(workshop: Any, members: dict[str, Any], message: str) -> None:
    given = {name: workshop.now + value if isinstance(value, timedelta) else value for name, value in members.items()}
    algorithm = given.pop("algorithm", "ed25519")
    assert message in lines(workshop, keys=(replace(key(workshop, **given), algorithm=algorithm),))


@pytest.mark.parametrize(
    ("weak", "message"),
    [
        (identity(WORKFLOW, scope=Scope()), "no scope"),
        (identity(WORKFLOW), "no claim on the source repository"),
        (identity(r"https://github\.com/.*", regexp=True), "matches the workflows of any GitHub repository"),
        (identity(r".*/o/r/\.github/workflows/a\.yml@refs/heads/main", regexp=True), "starts with a wildcard"),
        (identity("https://github.com/o/r/.*", regexp=True), "a dot that is not escaped"),
        (identity(r"https://github\.com/o/r/.*", regexp=True), "ends with a wildcard"),
        (identity(r"https://github\.com/o/r/\.github/workflows/(a|b).yml@x", regexp=True), "a dot that is not escaped"),
        (identity(r"https://github\.com/o/r/\.github/workflows/a\.yml@x", regexp=True), "no claim on the source repo"),
        (identity("a", claim_rules=(("buildTrigger", (fits("p.sh"),)),)), "claimsRegexp.buildTrigger has a dot"),
        (identity("a", claim_rules=(("githubWorkflowName", (fits("x"),)),)), "githubWorkflowName is the only claim"),
        (identity("a", issuer=TextRule(text="http://i")), "issuer does not begin with https://"),
        (identity("a", transparency=False), "transparency is false"),
        (identity("a", subject=ANY_SUBJECT), "anySubject, and no claim says which"),
        (
            identity("a", subject=ANY_SUBJECT, claim_rules=(("buildTrigger", (TextRule(text="push"),)),)),
            "anySubject, the claims do not say which repository",
        ),
    ],
)
def test_weak_identity(workshop: Any, weak: TrustedIdentity, message: str) -> None:
    assert message in lines(workshop, identities=(weak,))


def test_claim_on_the_source_repository_is_not_weak(workshop: Any) -> None:
    strong = identity(WORKFLOW, claim_rules=(("sourceRepositoryURI", (TextRule(text="https://github.com/o/r"),)),))
    assert lines(workshop, identities=(strong,)) == ""


@pytest.mark.parametrize(
    "text", [r"https://github\.com/o/r/[a-z]+@.*", r"[^.]+@x\.example", r"(a|b\.c)*", ".{3}@a", "a(.*)b"]
)
def test_dots_that_are_meant(workshop: Any, text: str) -> None:
    assert "not escaped" not in lines(workshop, identities=(identity(text, regexp=True),))


@pytest.mark.parametrize("text", ["a.b", "(a.b)*", "(a|.)c", "a(b(.))"])
def test_dots_that_are_not(workshop: Any, text: str) -> None:
    assert "a dot that is not escaped" in lines(workshop, identities=(identity(text, regexp=True),))


def test_window_of_an_identity(workshop: Any) -> None:
    past = identity("a", not_after=workshop.now - timedelta(1))
    assert 'identity "ci": notAfter ' in lines(workshop, identities=(past,))
    assert "does not count, what it signed before only with that time" in lines(workshop, identities=(past,))


def test_any_subject_of_one_repository_is_not_weak(workshop: Any) -> None:
    rules = (("sourceRepositoryURI", (TextRule(text="https://github.com/o/r"),)),)
    assert lines(workshop, identities=(identity("", subject=ANY_SUBJECT, claim_rules=rules),)) == ""


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("al@x.example", "Al@X.example", "one mail address under two principals: they count as one"),
        ("al+a@x.example", "al+b@x.example", "what follows + is no other mailbox"),
        ("al+a@x.example", "AL@x.example", "what follows + is no other mailbox"),
        ("al@x.example", "bo@x.example", None),
        (WORKFLOW + "+a", WORKFLOW + "+b", None),
    ],
)
def test_one_mailbox_as_two_principals(workshop: Any, first: str, second: str, message: str | None) -> None:
    both = (identity(first, name="1", principal="1"), identity(second, name="2", principal="2"))
    found = lines(workshop, identities=both)
    assert ("mail" in found) == (message is not None)
    assert (message or "") in found


def test_one_mailbox_as_one_principal_is_not_weak(workshop: Any) -> None:
    assert "mail" not in lines(workshop, identities=(identity("a+b@x.example"), identity("a@x.example", name="2")))


def test_an_expression_that_fits_who_is_named(workshop: Any) -> None:
    wide = identity("[a-z]+@x", regexp=True, name="wide", principal="wide")
    found = lines(workshop, identities=(wide, identity("al@x", principal="al")))
    assert 'identity "wide": fits "al@x" too, for which identity "ci" alone speaks' in found
    elsewhere = identity("al@x", principal="al", issuer=TextRule(text="https://j"))
    assert "alone speaks" not in lines(workshop, identities=(wide, elsewhere))
    assert "alone speaks" not in lines(workshop, identities=(wide, identity("al@x", principal="wide")))


def test_principals_that_differ_only_in_case(workshop: Any) -> None:
    found = lines(workshop, keys=(key(workshop, "Alice"), key(workshop, "alice", 1)))
    assert 'principals "Alice" and "alice" differ only in case: they count as one' in found
    assert "threshold is 1" not in found


def test_threshold_of_one_with_several_principals(workshop: Any) -> None:
    both = (key(workshop), key(workshop, "bob", 1))
    assert "threshold is 1: each of the 2 principals" in lines(workshop, keys=both)


@pytest.mark.parametrize(
    ("obtained", "max_age", "message"),
    [
        (None, 1, "no obtainedOn"),
        (-181, None, "181 days old: what was revoked or added since is not known"),
        (-2, 86400, "2 days old, more than maxAge allows"),
        (1, 1, "in the future"),
        (-1, None, "no maxAge"),
        (-1, None, "no sha256"),
    ],
)
def test_weak_root(workshop: Any, obtained: int | None, max_age: int | None, message: str) -> None:
    root = RootFile(
        name="root.json",
        data=b"",
        sha256="0" * 64,
        newest_validity_start=workshop.now,
        obtained_on=None if obtained is None else workshop.now + timedelta(obtained),
        max_age=max_age,
    )
    assert message in lines(workshop, root=root)


def test_root_that_is_pinned_and_young_is_not_weak(workshop: Any) -> None:
    root = RootFile(
        name="root.json",
        data=b"",
        sha256="0" * 64,
        newest_validity_start=workshop.now,
        obtained_on=workshop.now,
        max_age=10,
        pinned=True,
    )
    assert lines(workshop, root=root) == ""


@pytest.mark.parametrize("listed", [True, False])
def test_root_without_certificate_logs(workshop: Any, listed: bool) -> None:
    root = RootFile(
        name="root.json",
        data=b"",
        sha256="0" * 64,
        newest_validity_start=workshop.now,
        certificate_logs=listed,
    )
    for identities in ((), (identity("a@b.example"),)):
        weak = "no ctlogs" in lines(workshop, identities=identities, root=root)
        assert weak == (not listed and bool(identities))
