import pytest

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.trust.identity import CertificateFacts, match_identities, match_identity, repository
from in_toto_done_receipt.trust.model import ANY_SUBJECT, TextRule, TrustedIdentity
from in_toto_done_receipt.trust.pattern import compile_pattern

WORKFLOW = "https://github.com/org/repo/.github/workflows/release.yml@refs/heads/main"
SHARED = "https://github.com/builders/shared/.github/workflows/build.yml@refs/tags/v1"
ISSUER = "https://token.actions.githubusercontent.com"


def facts(subject: str = WORKFLOW, issuer: str = ISSUER, **claims: str) -> CertificateFacts:
    return CertificateFacts(subject=subject, issuer=issuer, claims=claims)


def trusted(subject: str = WORKFLOW, issuer: str = ISSUER, *, name: str = "ci", **claims: str) -> TrustedIdentity:
    return TrustedIdentity(
        name=name,
        principal=name,
        subject=TextRule(text=subject),
        issuer=TextRule(text=issuer),
        claim_rules=tuple((name, (TextRule(text=value),)) for name, value in sorted(claims.items())),
    )


OWN = {"sourceRepositoryURI": "https://github.com/org/repo"}


def reason_of(certificate: CertificateFacts, *identities: TrustedIdentity) -> str:
    with pytest.raises(SignatureNotTrusted, match=r"certificate|the identity") as caught:
        match_identity(certificate, identities)
    return caught.value.reason


def test_exact_identity_matches() -> None:
    assert match_identity(facts(**OWN), (trusted(),)).name == "ci"


@pytest.mark.parametrize(
    "subject",
    [WORKFLOW[:-1], WORKFLOW + "x", WORKFLOW.upper(), WORKFLOW.replace("main", "mai.*"), "https://github.com/org/repo"],
    ids=["prefix", "longer", "case", "expression", "repository"],
)
def test_other_subject(subject: str) -> None:
    assert reason_of(facts(**OWN), trusted(subject)) == "signature.identity"


@pytest.mark.parametrize("issuer", [ISSUER + "/", ISSUER[:-1], "https://oauth2.sigstore.dev/auth"])
def test_other_issuer(issuer: str) -> None:
    assert reason_of(facts(**OWN), trusted(issuer=issuer)) == "signature.issuer"


def test_expression_matches_the_whole_subject() -> None:
    pattern = r"https://github\.com/org/repo/\.github/workflows/[a-z]+\.yml@refs/heads/main"
    identity = TrustedIdentity(
        name="ci",
        principal="ci",
        subject=TextRule(text=pattern, pattern=compile_pattern(pattern)),
        issuer=TextRule(text=ISSUER),
    )
    assert match_identity(facts(**OWN), (identity,)) is identity
    assert reason_of(facts(WORKFLOW + "-evil", **OWN), identity) == "signature.identity"
    assert reason_of(facts("x" + WORKFLOW, **OWN), identity) == "signature.identity"


@pytest.mark.parametrize("claims", [{}, {"runnerEnvironment": "self-hosted"}, {"runnerEnvironment": ""}])
def test_other_claim(claims: dict[str, str]) -> None:
    identity = trusted(runnerEnvironment="github-hosted")
    assert reason_of(facts(**OWN, **claims), identity) == "signature.claims"


def test_shared_builder_needs_a_source_repository() -> None:
    certificate = facts(SHARED, **OWN)
    assert reason_of(certificate, trusted(SHARED)) == "signature.shared_builder"
    assert reason_of(certificate, trusted(SHARED, runnerEnvironment="x")) == "signature.claims"
    assert match_identity(certificate, (trusted(SHARED, **OWN),)).name == "ci"


def test_shared_builder_rule_on_the_owner_is_not_enough() -> None:
    owner = {"sourceRepositoryOwnerURI": "https://github.com/org"}
    assert reason_of(facts(SHARED, **OWN, **owner), trusted(SHARED, **owner)) == "signature.shared_builder"


def test_shared_builder_for_another_repository() -> None:
    certificate = facts(SHARED, sourceRepositoryURI="https://github.com/eve/repo")
    assert reason_of(certificate, trusted(SHARED, **OWN)) == "signature.claims"


def test_shared_builder_is_seen_in_the_build_signer_too() -> None:
    certificate = facts("https://example.com/agent", buildSignerURI=SHARED, **OWN)
    assert reason_of(certificate, trusted("https://example.com/agent")) == "signature.shared_builder"


def test_shared_builder_without_any_source_in_the_certificate() -> None:
    assert reason_of(facts(), trusted()) == "signature.shared_builder"


def test_own_workflow_is_no_shared_builder_whatever_the_case() -> None:
    assert match_identity(facts(sourceRepositoryURI="https://github.com/Org/Repo"), (trusted(),)).name == "ci"


def test_own_workflow_in_an_old_certificate() -> None:
    assert match_identity(facts(githubWorkflowRepository="org/repo"), (trusted(),)).name == "ci"
    assert reason_of(facts(githubWorkflowRepository="eve/repo"), trusted()) == "signature.shared_builder"


def test_first_identity_that_fits_is_taken() -> None:
    identities = (trusted("x", name="a"), trusted(name="b"), trusted(name="c"))
    assert match_identity(facts(**OWN), identities).name == "b"


def test_entry_that_came_closest_is_reported() -> None:
    identities = (trusted(issuer="https://other", name="a"), trusted("x", name="b"))
    assert reason_of(facts(**OWN), *identities) == "signature.issuer"


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        (WORKFLOW, "https://github.com/org/repo"),
        ("https://ghe.example/Org/Repo/.github/workflows/a.yml@x", "https://ghe.example/org/repo"),
        ("https://gitlab.com/g/sub/p//.gitlab-ci.yml@refs/heads/main", "https://gitlab.com/g/sub/p"),
        ("https://github.com/a/.github/workflows/b.yml@refs/heads/x", None),
        ("https://example.com/agent", None),
        ("dev@example.com", None),
        ("spiffe://example/a//b", None),
        ("https://github.com/o/r@x/.github/workflows/a.yml", None),
        ("", None),
    ],
)
def test_repository_of_a_workflow(uri: str, expected: str | None) -> None:
    assert repository(uri) == expected


def expression(pattern: str, name: str = "wide") -> TrustedIdentity:
    rule = TextRule(text=pattern, pattern=compile_pattern(pattern))
    return TrustedIdentity(name=name, principal=name, subject=rule, issuer=TextRule(text=ISSUER))


def test_all_that_fit_are_found() -> None:
    identities = (
        expression(r"https://github\.com/.*"),
        expression(r"https://[a-z.]+/org/.*", "other"),
        trusted("else"),
    )
    assert [one.name for one in match_identities(facts(**OWN), identities)] == ["wide", "other"]


def test_who_is_named_exactly_is_nobody_else_by_an_expression() -> None:
    identities = (expression(r"https://github\.com/org/.*"), trusted(name="named"))
    assert [one.name for one in match_identities(facts(**OWN), identities)] == ["named"]


def test_who_is_named_exactly_and_fails_its_claims_does_not_pass_by_an_expression() -> None:
    identities = (expression(r"https://github\.com/org/.*"), trusted(name="named", runnerEnvironment="github-hosted"))
    certificate = facts(**OWN, runnerEnvironment="self-hosted")
    assert reason_of(certificate, *identities) == "signature.claims"


def test_of_several_entries_with_one_subject_the_claims_choose() -> None:
    first = trusted(SHARED, name="tool", sourceRepositoryURI="https://github.com/org/tool")
    second = trusted(SHARED, name="repo", **OWN)
    assert match_identity(facts(SHARED, **OWN), (first, second)).name == "repo"


def claimed(*rules: TextRule) -> TrustedIdentity:
    return TrustedIdentity(
        name="ci",
        principal="ci",
        subject=ANY_SUBJECT,
        issuer=TextRule(text=ISSUER),
        claim_rules=(("sourceRepositoryURI", rules),),
    )


@pytest.mark.parametrize("value", ["https://github.com/org/a", "https://github.com/org/repo-1"])
def test_one_of_several_values_is_enough(value: str) -> None:
    pattern = r"https://github\.com/org/repo-[0-9]"
    who = claimed(TextRule(text="https://github.com/org/a"), TextRule(text=pattern, pattern=compile_pattern(pattern)))
    assert match_identity(facts(sourceRepositoryURI=value), (who,)).name == "ci"
    assert reason_of(facts(sourceRepositoryURI=value + "0"), who) == "signature.claims"


def test_a_claim_that_the_certificate_lacks_fits_no_expression() -> None:
    pattern = "x*"
    assert reason_of(facts(), claimed(TextRule(text=pattern, pattern=compile_pattern(pattern)))) == "signature.claims"


def test_any_subject_is_still_bound_to_the_issuer_and_its_claims() -> None:
    who = claimed(TextRule(text=OWN["sourceRepositoryURI"]))
    assert match_identity(facts("any@mail.example", **OWN), (who,)).name == "ci"
    assert reason_of(facts("any@mail.example", issuer="https://other", **OWN), who) == "signature.issuer"


def test_any_subject_does_not_lift_the_rule_on_shared_builders() -> None:
    who = TrustedIdentity(name="ci", principal="ci", subject=ANY_SUBJECT, issuer=TextRule(text=ISSUER))
    assert reason_of(facts(SHARED, **OWN), who) == "signature.shared_builder"


@pytest.mark.parametrize(
    "identity",
    [
        trusted(WORKFLOW.replace("org", "Org")),
        trusted(issuer=ISSUER + "/"),
        trusted(sourceRepositoryURI="https://github.com/Org/repo/"),
    ],
    ids=["subject", "issuer", "claim"],
)
def test_what_differs_only_in_case_or_a_slash_is_refused_with_a_hint(identity: TrustedIdentity) -> None:
    with pytest.raises(SignatureNotTrusted, match=r"certificate") as caught:
        match_identity(facts(**OWN), (identity,))
    assert caught.value.hint == "they differ only in case or a slash at the end: write it as the certificate has it"


def test_what_differs_otherwise_has_no_such_hint() -> None:
    with pytest.raises(SignatureNotTrusted, match=r"certificate") as caught:
        match_identity(facts(**OWN), (trusted(WORKFLOW + "x"),))
    assert caught.value.hint is None
