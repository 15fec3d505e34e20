from datetime import timedelta
from typing import Any

import pytest

from in_toto_done_receipt.trust.check import weak_lines
from in_toto_done_receipt.trust.model import UNSIGNED, RootFile, Scope, TextRule, TrustedIdentity, make_policy
from in_toto_done_receipt.trust.pattern import compile_pattern

NARROW = Scope(agents=frozenset({"a"}))
WORKFLOW = "https://github.com/o/r/.github/workflows/a.yml@refs/heads/main"


def identity(subject: str, *, regexp: bool = False, **members: Any) -> TrustedIdentity:
    rule = TextRule(text=subject, pattern=compile_pattern(subject) if regexp else None)
    given = {"scope": NARROW} | members
    return TrustedIdentity(name="ci", principal="ci", subject=rule, issuer=TextRule(text="https://i"), **given)


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
    ],
)
def test_weak_key(workshop: Any, members: dict[str, Any], message: str) -> None:
    given = {name: workshop.now + value if isinstance(value, timedelta) else value for name, value in members.items()}
    assert message in lines(workshop, keys=(key(workshop, **given),))


@pytest.mark.parametrize(
    ("weak", "message"),
    [
        (identity(WORKFLOW, scope=Scope()), "no scope"),
        (identity(WORKFLOW), "no claim on the source repository"),
        (identity(r"https://github\.com/.*", regexp=True), "matches the workflows of any GitHub repository"),
        (identity(r".*/o/r/\.github/workflows/a\.yml@refs/heads/main", regexp=True), "starts with a wildcard"),
        (identity("https://github.com/o/r/.*", regexp=True), "a dot that is not escaped"),
        (identity(r"https://github\.com/o/r/.*", regexp=True), "ends with a wildcard"),
    ],
)
def test_weak_identity(workshop: Any, weak: TrustedIdentity, message: str) -> None:
    assert message in lines(workshop, identities=(weak,))


def test_claim_on_the_source_repository_is_not_weak(workshop: Any) -> None:
    strong = identity(WORKFLOW, claim_rules=(("sourceRepositoryURI", (TextRule(text="https://github.com/o/r"),)),))
    assert lines(workshop, identities=(strong,)) == ""


def test_threshold_of_one_with_several_principals(workshop: Any) -> None:
    both = (key(workshop), key(workshop, "bob", 1))
    assert "threshold is 1: each of the 2 principals" in lines(workshop, keys=both)


@pytest.mark.parametrize(
    ("obtained", "max_age", "message"),
    [(None, 1, "no obtainedOn"), (-181, 1, "181 days old"), (1, 1, "in the future"), (-1, None, "no maxAge")],
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
