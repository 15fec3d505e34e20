"""Attack: a shared reusable workflow signs for any repository.
Answer: where the builder's repository is not the source's, a rule on the source repository is mandatory.
"""

from typing import Any

import pytest

from in_toto_done_receipt.trust.identity import CLAIM_NAMES
from tests.threats.conftest import Desk
from tests.threats.keyless import GITHUB, ROOT, bundle, case, identity

BUILDER = "https://github.com/builders/shared/.github/workflows/build.yml@refs/tags/v1"
OWN = "https://github.com/acme/tool/.github/workflows/build.yml@refs/heads/main"
GITLAB = "https://gitlab.example.org/builders/shared//build.yml@refs/heads/main"
TOOL = {"sourceRepositoryURI": "https://github.com/acme/tool"}
EVIL = {"sourceRepositoryURI": "https://github.com/evil/tool"}
RULE = 'claims = { sourceRepositoryURI = "https://github.com/acme/tool" }'


def trust(subject: str = BUILDER, more: str = "") -> str:
    return identity("ci", subject=subject, issuer=GITHUB, more=more) + ROOT


def reason(desk: Desk, text: str, **plan: Any) -> str:
    """How it ended: `admitted`, or why the signature was not trusted."""
    seen = desk.verify(case(text, bundle(issuer=GITHUB, **plan)))
    if seen.code == 0:
        return "admitted"
    assert seen.code == 10
    (found,) = seen.reasons - {"statement.not_examined"}
    return found.removeprefix("signature.")


@pytest.mark.parametrize("claims", [TOOL, EVIL, {}], ids=["wanted", "stranger's", "unnamed"])
@pytest.mark.parametrize("subject", [BUILDER, GITLAB])
def test_threat_15_a_shared_builder_needs_a_rule(desk: Desk, subject: str, claims: dict[str, str]) -> None:
    assert reason(desk, trust(subject), identity=subject, claims=claims) == "shared_builder"


def test_threat_15_the_rule_lets_in_its_repository_alone(desk: Desk) -> None:
    assert reason(desk, trust(more=RULE), identity=BUILDER, claims=TOOL) == "admitted"
    assert reason(desk, trust(more=RULE), identity=BUILDER, claims=EVIL) == "claims"
    assert reason(desk, trust(more=RULE), identity=BUILDER) == "claims"


def test_threat_15_a_workflow_of_the_source_itself_needs_none(desk: Desk) -> None:
    assert reason(desk, trust(OWN), identity=OWN, claims=TOOL) == "admitted"


@pytest.mark.parametrize("claims", [EVIL, {}], ids=["stranger's", "unnamed"])
def test_threat_15_a_workflow_that_others_call_is_a_shared_builder(desk: Desk, claims: dict[str, str]) -> None:
    assert reason(desk, trust(OWN), identity=OWN, claims=claims) == "shared_builder"


def test_threat_15_the_builder_may_stand_in_a_claim_only(desk: Desk) -> None:
    claims = TOOL | {"buildSignerURI": BUILDER}
    assert reason(desk, trust(OWN), identity=OWN, claims=claims) == "shared_builder"
    assert reason(desk, trust(OWN, RULE), identity=OWN, claims=claims) == "admitted"


@pytest.mark.parametrize(
    "rule",
    [
        'claims = { runnerEnvironment = "github-hosted" }',
        'claims = { sourceRepositoryOwnerURI = "https://github.com/acme" }',
        'claims = { sourceRepositoryRef = "refs/heads/main" }',
    ],
)
def test_threat_15_a_rule_on_something_else_is_none(desk: Desk, rule: str) -> None:
    claims = TOOL | {
        "runnerEnvironment": "github-hosted",
        "sourceRepositoryOwnerURI": "https://github.com/acme",
        "sourceRepositoryRef": "refs/heads/main",
    }
    assert reason(desk, trust(more=rule), identity=BUILDER, claims=claims) == "shared_builder"


@pytest.mark.parametrize(
    ("rule", "claims"),
    [
        ('claims = { sourceRepositoryIdentifier = "7" }', {"sourceRepositoryIdentifier": "7"}),
        ('claims = { githubWorkflowRepository = "acme/tool" }', {"githubWorkflowRepository": "acme/tool"}),
        ("claims = { sourceRepositoryURI = ['https://github.com/a/b', 'https://github.com/acme/tool'] }", TOOL),
        (r"claimsRegexp = { sourceRepositoryURI = 'https://github\.com/acme/[a-z]+' }", TOOL),
    ],
    ids=["number", "old name", "one of two", "expression"],
)
def test_threat_15_other_spellings_of_the_rule(desk: Desk, rule: str, claims: dict[str, str]) -> None:
    assert reason(desk, trust(more=rule), identity=BUILDER, claims=claims) == "admitted"
    assert reason(desk, trust(more=rule), identity=BUILDER, claims=EVIL) == "claims"


@pytest.mark.parametrize(
    "rule",
    [
        "claimsRegexp = { sourceRepositoryURI = '.*' }",
        r"claimsRegexp = { sourceRepositoryURI = 'https://github\.com/.*' }",
        r"claimsRegexp = { sourceRepositoryURI = 'https://github\.com/[^/]+/[^/]+' }",
        "claimsRegexp = { sourceRepositoryIdentifier = '[0-9]+' }",
        "claimsRegexp = { githubWorkflowRepository = '[^/]+/[^/]+' }",
        "claimsRegexp = { sourceRepositoryURI = ['https://a', '.+'] }",
    ],
)
def test_threat_15_a_rule_that_every_repository_fits_is_refused(desk: Desk, rule: str) -> None:
    seen = desk.run("verify", *desk.lay(case(trust(more=rule), bundle())))
    assert (seen.code, "matches anybody" in seen.err) == (4, True)


def test_threat_15_any_subject_and_an_expression_do_not_lift_it(desk: Desk) -> None:
    anybody = trust().replace(f'subject = "{BUILDER}"', "anySubject = true")
    assert reason(desk, anybody, identity=BUILDER, claims=TOOL) == "shared_builder"
    wide = trust(r"~https://github\.com/builders/.*")
    assert reason(desk, wide, identity=BUILDER, claims=TOOL) == "shared_builder"


def test_threat_15_flags_say_it_too(desk: Desk) -> None:
    arguments = desk.lay(case(trust(), bundle(issuer=GITHUB, identity=BUILDER, claims=TOOL)))
    arguments[arguments.index("--trust") : arguments.index("--trust") + 2] = [
        *("--certificate-identity", BUILDER, "--certificate-oidc-issuer", GITHUB),
        *("--trusted-root", "trusted_root.json"),
    ]
    assert desk.run("verify", *arguments).code == 10
    assert desk.run("verify", *arguments, "--certificate-source-repository", TOOL["sourceRepositoryURI"]).code == 0
    assert desk.run("verify", *arguments, "--certificate-source-repository", EVIL["sourceRepositoryURI"]).code == 10


@pytest.mark.parametrize("name", [name for name in CLAIM_NAMES.values() if name != "buildSignerURI"])
def test_threat_15_every_claim_that_is_demanded_is_compared(desk: Desk, name: str) -> None:
    text = identity("dev", more=f'claims = {{ {name} = "https://right.example/value" }}') + ROOT
    for value, code in (("https://right.example/value", 0), ("https://right.example/Value", 10), (None, 10)):
        claims = {} if value is None else {name: value}
        assert desk.verify(case(text, bundle(claims=claims))).code == code
