"""Weak lines of a trust file: nothing here is wrong, and each lets in more than its author may think."""

from datetime import datetime
from typing import Final

from in_toto_done_receipt.trust.identity import SOURCE_CLAIMS, repository
from in_toto_done_receipt.trust.model import RootFile, Scope, TextRule, TrustedIdentity, TrustedKey, TrustPolicy
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.rfc3339 import format_time

OLD_ROOT_DAYS: Final = 180  # Sigstore's own root changes a few times a year
SOON_DAYS: Final = 30

_EXPRESSION_CHARACTERS: Final = frozenset(".[(*+?{|^")


# A workflow of somebody else, on the forge that most identities come from.
_STRANGER_ON_GITHUB: Final = "https://github.com/o7/r7/.github/workflows/w7.yml@refs/heads/b7"


def weak_lines(policy: TrustPolicy, *, at: datetime) -> tuple[str, ...]:
    """One sentence per weak line. `at` is the time by which ages and windows are judged."""
    lines = [line for key in policy.keys for line in _window_lines(key, at)]
    if policy.root is not None:
        lines += _age_lines(policy.root, at)
    return lasting_lines(policy) + tuple(lines)


def lasting_lines(policy: TrustPolicy) -> tuple[str, ...]:
    """The weak lines that are weak whatever the time is."""
    lines = [line for key in policy.keys for line in _key_lines(key)]
    lines += [line for identity in policy.identities for line in _identity_lines(identity)]
    principals = {key.principal for key in policy.keys} | {identity.principal for identity in policy.identities}
    if policy.mode == "signed" and policy.threshold == 1 and len(principals) > 1:
        lines.append(f"threshold is 1: each of the {len(principals)} principals can vouch for everything alone")
    if policy.root is not None:
        lines += _root_lines(policy.root)
    return tuple(lines)


def _key_lines(key: TrustedKey) -> list[str]:
    where = f"key {quote(key.name)}"
    lines = _scope_lines(where, key.scope)
    if key.not_after is None:
        lines.append(f"{where}: no notAfter: it is trusted for ever")
    return lines


def _window_lines(key: TrustedKey, at: datetime) -> list[str]:
    where = f"key {quote(key.name)}"
    lines = []
    if key.not_after is not None and key.not_after < at:
        lines.append(f"{where}: notAfter {format_time(key.not_after)} has passed: its signatures count no more")
    elif key.not_after is not None and (key.not_after - at).days < SOON_DAYS:
        lines.append(f"{where}: notAfter {format_time(key.not_after)} is in less than {SOON_DAYS} days")
    if key.not_before is not None and key.not_before > at:
        lines.append(f"{where}: notBefore {format_time(key.not_before)} is in the future: its signatures do not count")
    return lines


def _identity_lines(identity: TrustedIdentity) -> list[str]:
    where = f"identity {quote(identity.name)}"
    lines = _scope_lines(where, identity.scope)
    lines += _rule_lines(f"{where}: subjectRegexp", identity.subject)
    lines += _rule_lines(f"{where}: issuerRegexp", identity.issuer)
    sourced = any(name in SOURCE_CLAIMS for name, _ in identity.claim_rules)
    if not sourced and _may_be_a_workflow(identity.subject):
        lines.append(f"{where}: no claim on the source repository: other repositories may use the same workflow")
    if not sourced and identity.subject.pattern is not None and identity.subject.matches(_STRANGER_ON_GITHUB):
        lines.append(f"{where}: subjectRegexp matches the workflows of any GitHub repository")
    return lines


def _may_be_a_workflow(rule: TextRule) -> bool:
    return rule.pattern is not None or repository(rule.text) is not None


def _scope_lines(where: str, scope: Scope) -> list[str]:
    return [f"{where}: no scope: it may speak for every agent, model and repository"] if scope.unlimited else []


def _rule_lines(where: str, rule: TextRule) -> list[str]:
    if rule.pattern is None:
        return []
    text = rule.text.removeprefix("^")
    lines = []
    if not text or text[0] in _EXPRESSION_CHARACTERS:
        lines.append(f"{where} starts with a wildcard: anybody may choose what stands before the rest")
    if text.removesuffix("$").endswith((".*", ".+")) and "@" not in text:
        lines.append(f"{where} ends with a wildcard and names no ref or mail domain after @")
    if any(part[:1].isalnum() for part in text.split(".")[1:]):
        lines.append(f"{where} has a dot that is not escaped: it stands for any character")
    return lines


def _root_lines(root: RootFile) -> list[str]:
    where = f"trusted root {quote(root.name)}"
    lines = []
    if root.obtained_on is None:
        since = format_time(root.newest_validity_start)
        lines.append(f"{where}: no obtainedOn: its age counts from {since}, when it last changed")
    if root.max_age is None:
        lines.append(f"{where}: no maxAge: it is trusted however old it gets")
    return lines


def _age_lines(root: RootFile, at: datetime) -> list[str]:
    where = f"trusted root {quote(root.name)}"
    if root.obtained_on is not None and root.obtained_on > at:
        return [f"{where}: obtainedOn {format_time(root.obtained_on)} is in the future"]
    days = (at - (root.obtained_on or root.newest_validity_start)).days
    return [f"{where}: {days} days old: what was revoked or added since is not known"] if days > OLD_ROOT_DAYS else []
