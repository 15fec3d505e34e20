"""Weak lines of a trust file: nothing here is wrong, and each lets in more than its author may think, or less."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from in_toto_done_receipt.trust.identity import SOURCE_CLAIMS, repository
from in_toto_done_receipt.trust.model import RootFile, Scope, TextRule, TrustedIdentity, TrustedKey, TrustPolicy
from in_toto_done_receipt.trust.pattern import has_lone_dot
from in_toto_done_receipt.wire.paths import twin_key
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.rfc3339 import format_time

OLD_ROOT_DAYS: Final = 180  # Sigstore's own root changes a few times a year
SOON_DAYS: Final = 30
STRONG_RSA_BITS: Final = 3072  # NIST SP 800-57 part 1: 2,048 bits until the end of 2030

_EXPRESSION_CHARACTERS: Final = frozenset(".[(*+?{|^")

# A workflow of somebody else, on the forge that most identities come from.
_STRANGER_ON_GITHUB: Final = "https://github.com/o7/r7/.github/workflows/w7.yml@refs/heads/b7"
_FREE_TEXT_CLAIM: Final = "githubWorkflowName"  # `name:` in the workflow file


def weak_lines(policy: TrustPolicy, *, at: datetime) -> tuple[str, ...]:
    """One sentence per weak line. `at` is the time by which ages and windows are judged."""
    lines = [line for entry in policy.entries for line in _window_lines(entry, at)]
    if policy.root is not None:
        lines += _age_lines(policy.root, at)
    return lasting_lines(policy) + tuple(lines)


def lasting_lines(policy: TrustPolicy) -> tuple[str, ...]:
    """The weak lines that are weak whatever the time is."""
    lines = [line for key in policy.keys for line in _key_lines(key)]
    lines += [line for identity in policy.identities for line in _identity_lines(identity)]
    lines += _overlap_lines(policy.identities)
    lines += _principal_lines(policy)
    if policy.root is not None:
        lines += _root_lines(policy.root)
        if policy.identities and not policy.root.certificate_logs:
            fact = "no ctlogs: a certificate that no certificate log has seen counts too"
            lines.append(f"trusted root {quote(policy.root.name)}: {fact}")
    return tuple(lines)


def _where(entry: TrustedKey | TrustedIdentity) -> str:
    return f"{'key' if isinstance(entry, TrustedKey) else 'identity'} {quote(entry.name)}"


def _key_lines(key: TrustedKey) -> list[str]:
    where = _where(key)
    lines = _scope_lines(where, key.scope)
    if key.not_after is None:
        lines.append(f"{where}: no notAfter: it is trusted for ever")
    kind, _, bits = key.algorithm.partition("-")
    if kind == "rsa" and int(bits) < STRONG_RSA_BITS:
        lines.append(f"{where}: RSA of {bits} bits: take at least {STRONG_RSA_BITS}, or Ed25519")
    return lines


def _window_lines(entry: TrustedKey | TrustedIdentity, at: datetime) -> list[str]:
    where = _where(entry)
    lines = []
    if entry.not_after is not None and entry.not_after < at:
        fact = f"notAfter {format_time(entry.not_after)} has passed"
        lines.append(f"{where}: {fact}: what it signs now does not count, what it signed before only with that time")
    elif entry.not_after is not None and (entry.not_after - at).days < SOON_DAYS:
        lines.append(f"{where}: notAfter {format_time(entry.not_after)} is in less than {SOON_DAYS} days")
    if entry.not_before is not None and entry.not_before > at:
        fact = f"notBefore {format_time(entry.not_before)} is in the future"
        lines.append(f"{where}: {fact}: what it signs now does not count")
    return lines


def _identity_lines(identity: TrustedIdentity) -> list[str]:
    where = _where(identity)
    lines = _scope_lines(where, identity.scope)
    lines += _rule_lines(f"{where}: subjectRegexp", identity.subject)
    lines += _rule_lines(f"{where}: issuerRegexp", identity.issuer)
    for name, rules in identity.claim_rules:
        lines += [
            f"{where}: claimsRegexp.{name} has a dot that is not escaped: it stands for any character"
            for rule in rules
            if rule.pattern is not None and has_lone_dot(rule.text)
        ]
    lines += _meant_lines(where, identity)
    if identity.issuer.exact and not identity.issuer.text.startswith("https://"):
        lines.append(f"{where}: issuer does not begin with https://, as those of Sigstore do")
    if not identity.transparency:
        lines.append(f"{where}: transparency is false: nobody can find in a log what was signed in its name")
    return lines


def _meant_lines(where: str, identity: TrustedIdentity) -> Iterable[str]:
    """Whether subject and claims together still say who is meant."""
    claims = [name for name, _ in identity.claim_rules]
    sourced = any(name in SOURCE_CLAIMS for name in claims)
    if identity.subject.anything and not sourced:
        beside = "the claims do not say which repository" if claims else "and no claim says which"
        yield f"{where}: anySubject, {beside}: whoever the issuer vouches for is let in"
    elif not sourced and repository(identity.subject.text) is not None and identity.subject.exact:
        yield f"{where}: no claim on the source repository: what the workflow signs for other repositories is refused"
    elif not sourced and identity.subject.pattern is not None:
        if identity.subject.matches(_STRANGER_ON_GITHUB):
            yield f"{where}: subjectRegexp matches the workflows of any GitHub repository"
        elif ".yml" in identity.subject.text.replace("\\", ""):
            yield f"{where}: no claim on the source repository: what is signed for other repositories is refused"
    if claims == [_FREE_TEXT_CLAIM]:
        yield f"{where}: {_FREE_TEXT_CLAIM} is the only claim: whoever may edit a workflow chooses its name"


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
    if has_lone_dot(rule.text):
        lines.append(f"{where} has a dot that is not escaped: it stands for any character")
    return lines


def _overlap_lines(identities: tuple[TrustedIdentity, ...]) -> Iterable[str]:
    """Entries that fit one certificate: which of them speaks for it, and who counts as one."""
    exact = [identity for identity in identities if identity.subject.exact and identity.issuer.exact]
    for wide in identities:
        for named in exact:
            if wide.subject.exact or named.principal == wide.principal:
                continue
            if wide.subject.matches(named.subject.text) and wide.issuer.matches(named.issuer.text):
                yield f"{_where(wide)}: fits {quote(named.subject.text)} too, for which {_where(named)} alone speaks"
    for position, first in enumerate(exact):
        for second in exact[position + 1 :]:
            if first.principal == second.principal:
                continue
            both, names = f"{_where(first)} and {_where(second)}", (first.subject.text, second.subject.text)
            if _same_mailbox(*names):
                yield f"{both}: one mail address under two principals: they count as one"
            elif _same_mailbox(*map(_untagged, names)):
                yield f"{both}: what follows + is no other mailbox with most providers, and they count as two"


def _same_mailbox(first: str, second: str) -> bool:
    return "@" in first and "://" not in first and twin_key(first) == twin_key(second)


def _untagged(address: str) -> str:
    name, at, domain = address.rpartition("@")
    return name.partition("+")[0] + at + domain


def _principal_lines(policy: TrustPolicy) -> Iterable[str]:
    names = sorted({entry.principal for entry in policy.entries})
    spellings: dict[str, list[str]] = {}
    for name in names:
        spellings.setdefault(twin_key(name), []).append(name)
    for alike in spellings.values():
        if len(alike) > 1:
            yield f"principals {' and '.join(map(quote, alike))} differ only in case: they count as one"
    if policy.mode == "signed" and policy.threshold == 1 and len(spellings) > 1:
        yield f"threshold is 1: each of the {len(spellings)} principals can vouch for everything alone"


def _root_lines(root: RootFile) -> list[str]:
    where = f"trusted root {quote(root.name)}"
    lines = []
    if not root.pinned:
        lines.append(f"{where}: no sha256: whoever can change the file says whom to trust")
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
    age = root.age(at)
    days = age // 86400
    if root.max_age is not None and age > root.max_age:
        return [f"{where}: {days} days old, more than maxAge allows: what is signed with it is refused"]
    return [f"{where}: {days} days old: what was revoked or added since is not known"] if days > OLD_ROOT_DAYS else []
