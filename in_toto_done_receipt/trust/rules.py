"""Rules on the texts of a certificate, as a trust file or a flag spells them: exact, or an expression.

An expression that anybody matches is refused: it looks like a rule and is none.
"""

from collections.abc import Mapping
from typing import Final

from in_toto_done_receipt.errors import TrustError, UsageError
from in_toto_done_receipt.trust.identity import CLAIM_NAMES, SOURCE_CLAIMS
from in_toto_done_receipt.trust.model import ClaimRules, TextRule
from in_toto_done_receipt.trust.pattern import PatternError, compile_pattern
from in_toto_done_receipt.wire.config import nearest
from in_toto_done_receipt.wire.pointer import quote

Fault = type[TrustError] | type[UsageError]
Values = str | tuple[str, ...]  # of one claim: what it has to be, or several texts of which it has to be one

MAX_ALTERNATIVES: Final = 100  # of one claim

# Nobody's identities. An expression that matches one of them says nothing about who it means.
STRANGERS: Final = (
    "zz9",
    "u7@mail.invalid",
    "u7@mail.test",
    "https://forge.invalid/o7/r7/.github/workflows/w7.yml@refs/heads/b7",
    "https://forge.test/o7/r7",
    "spiffe://domain.invalid/w7",
)
STRANGE_ISSUERS: Final = ("zz9", "https://issuer.invalid", "https://issuer.test/path", "http://issuer.invalid/a/b")
_STRANGE_VALUES: Final = ("zz9 q7",)
# A repository of nobody's, on the forges that most certificates come from too.
_STRANGE_SOURCES: Final = (
    "https://forge.invalid/o7/r7",
    "https://github.com/o7zz9/r7zz9",
    "https://gitlab.com/o7zz9/r7zz9",
    "o7zz9/r7zz9",
    "7070707",
)


# What GitHub's token calls it, and people do.
ELSEWHERE: Final[Mapping[str, str]] = {
    "repository": "sourceRepositoryURI",
    "repository_id": "sourceRepositoryIdentifier",
    "repository_owner": "sourceRepositoryOwnerURI",
    "repository_owner_id": "sourceRepositoryOwnerIdentifier",
    "repository_visibility": "sourceRepositoryVisibilityAtSigning",
    "owner": "sourceRepositoryOwnerURI",
    "sha": "sourceRepositoryDigest",
    "commit": "sourceRepositoryDigest",
    "ref": "sourceRepositoryRef",
    "workflow": "buildSignerURI",
    "job_workflow_ref": "buildSignerURI",
    "job_workflow_sha": "buildSignerDigest",
    "workflow_ref": "buildConfigURI",
    "workflow_sha": "buildConfigDigest",
    "event_name": "buildTrigger",
    "trigger": "buildTrigger",
    "runner_environment": "runnerEnvironment",
    "run_id": "runInvocationURI",
    "environment": "deploymentEnvironment",
    "sub": "tokenSubject",
}


def text_rule(
    exact: str | None, regexp: str | None, names: tuple[str, str], strangers: tuple[str, ...], error: Fault
) -> TextRule | None:
    """The rule that one of two spellings gives, or None when neither is there.

    `names` are the places of the two. Raises `error` for both together, an empty text, an expression that cannot be
    used or that one of `strangers` matches.
    """
    if exact is not None and regexp is not None:
        raise error(f"{names[0]} and {names[1].rpartition('.')[2]} together", hint="give one of them")
    if exact is not None:
        return _exact(exact, names[0], error)
    return None if regexp is None else _expression(regexp, names[1], strangers, error)


def claim_rules(
    exact: Mapping[str, Values] | None, regexp: Mapping[str, Values] | None, where: str, error: Fault
) -> ClaimRules:
    """The rules of `claims` and `claimsRegexp`, sorted by name. Raises `error` as `text_rule` does."""
    rules: dict[str, tuple[TextRule, ...]] = {}
    for member, given in (("claims", exact), ("claimsRegexp", regexp)):
        place = f"{where}.{member}"
        if given is not None and not given:
            raise error(f"{place}: is empty", hint=f"leave {member} out to demand nothing")
        for name, values in (given or {}).items():
            if name not in CLAIM_NAMES.values():
                raise error(f"{place}: unknown claim {quote(name)}", hint=_nearest_claim(name))
            if name in rules:
                raise error(f"{where}.claims.{name} and claimsRegexp.{name} together", hint="give one of them")
            rules[name] = _alternatives(values, f"{place}.{name}", member == "claimsRegexp", name, error)
    return tuple(sorted(rules.items()))


def _nearest_claim(name: str) -> str | None:
    meant = ELSEWHERE.get(name)
    same = next((known for known in CLAIM_NAMES.values() if known.lower() == name.lower()), meant)
    return nearest(name, [*CLAIM_NAMES.values()]) if same is None else f"did you mean {same}?"


def _alternatives(values: Values, where: str, expressions: bool, name: str, error: Fault) -> tuple[TextRule, ...]:
    texts = (values,) if isinstance(values, str) else values
    if not 1 <= len(texts) <= MAX_ALTERNATIVES:
        raise error(
            f"{where}: {len(texts)} values, expected 1 to {MAX_ALTERNATIVES}", hint="leave the claim out for any"
        )
    strangers = _STRANGE_SOURCES + _STRANGE_VALUES if name in SOURCE_CLAIMS else _STRANGE_VALUES
    if expressions:
        return tuple(_expression(text, where, strangers, error) for text in texts)
    return tuple(_exact(text, where, error) for text in texts)


def _exact(text: str, where: str, error: Fault) -> TextRule:
    if not text:
        raise error(f"{where}: is empty")
    return TextRule(text=text)


def _expression(text: str, where: str, strangers: tuple[str, ...], error: Fault) -> TextRule:
    if not text:
        raise error(f"{where}: is empty")
    try:
        pattern = compile_pattern(text)
    except PatternError as fault:
        raise error(f"{where}: {quote(text)}: {fault}") from None
    for stranger in strangers:
        if pattern.fullmatch(stranger):
            raise error(
                f"{where}: {quote(text)} matches anybody, {stranger} too",
                hint="write out at least the host and the owner, or the mail domain",
            )
    return TextRule(text=text, pattern=pattern)
