"""What a trust file says, in plain words: who is let in, what is demanded of them, and who together meet the threshold.

Explains a policy that `trust.file` has read; judges nothing but windows.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from in_toto_done_receipt.trust.identity import shown
from in_toto_done_receipt.trust.model import Scope, TrustedIdentity, TrustedKey, TrustPolicy
from in_toto_done_receipt.trust.principals import entry_groups
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.rfc3339 import format_time
from in_toto_done_receipt.wire.value import Value

Entry = TrustedKey | TrustedIdentity

MAX_COMBINATIONS: Final = 20  # that are named; more are not counted
_MAX_STEPS: Final = 10_000  # of the search for them: a file may have 200 entries


class Explained(Value, kw_only=True):
    """One entry. `current` says whether what it signs now counts."""

    kind: str
    name: str
    principal: str
    lets_in: str
    only_for: tuple[str, ...]
    demands: tuple[str, ...]
    window: str
    current: bool


class Combinations(Value, kw_only=True):
    """Which persons meet the threshold with what they sign now. Not `complete`: there may be more."""

    needed: int
    anybody: tuple[str, ...]  # who counts at all
    met: tuple[tuple[str, ...], ...]
    complete: bool


def explain(entry: Entry, *, at: datetime) -> Explained:
    """The entry in plain words."""
    by_key = isinstance(entry, TrustedKey)
    return Explained(
        kind="key" if by_key else "identity",
        name=entry.name,
        principal=entry.principal,
        lets_in=_key_lets_in(entry) if isinstance(entry, TrustedKey) else _identity_lets_in(entry),
        only_for=tuple(_only_for(entry.scope)),
        demands=tuple(_demands(entry)),
        window=_window(entry),
        current=entry.valid_at(at),
    )


def combinations(policy: TrustPolicy, *, at: datetime) -> Combinations:
    """Who together meets the threshold: persons that count, with scopes that leave something to speak for together."""
    persons = [
        (_person(group), tuple({entry.scope for entry in group if entry.valid_at(at)}))
        for group in entry_groups(policy.keys, policy.identities)
    ]
    able = sorted((name, scopes) for name, scopes in persons if scopes) if persons else []
    met: list[tuple[str, ...]] = []
    steps = 0
    for steps, names in enumerate(_search(able, policy.threshold, (), (Scope(),)), start=1):
        if names is not None:
            met.append(names)
        if len(met) > MAX_COMBINATIONS or steps > _MAX_STEPS:
            break
    complete = len(met) <= MAX_COMBINATIONS and steps <= _MAX_STEPS
    return Combinations(
        needed=policy.threshold,
        anybody=tuple(name for name, _ in able),
        met=tuple(met[:MAX_COMBINATIONS]),
        complete=complete,
    )


def _search(
    able: Sequence[tuple[str, tuple[Scope, ...]]], needed: int, chosen: tuple[str, ...], left: Sequence[Scope]
) -> Iterator[tuple[str, ...] | None]:
    """Every combination, and a None for each step on the way. `left` is what the chosen ones can speak for together."""
    if needed == 0:
        yield chosen
        return
    yield None
    for position, (name, scopes) in enumerate(able[: len(able) - needed + 1]):
        common = {both for one in left for other in scopes if (both := _common(one, other)) is not None}
        if common:
            yield from _search(able[position + 1 :], needed - 1, (*chosen, name), tuple(common))


def _common(one: Scope, other: Scope) -> Scope | None:
    """What both may speak for, or None when that is nothing."""
    fields: dict[str, Any] = {}
    for name in Scope.__struct_fields__:
        first, second = getattr(one, name), getattr(other, name)
        both = first if second is None else second if first is None else first & second
        if both is not None and not both:
            return None
        fields[name] = both
    return Scope(**fields)


def _person(group: Sequence[Entry]) -> str:
    return " = ".join(sorted({entry.principal for entry in group}))


def _key_lets_in(key: TrustedKey) -> str:
    how = "OpenPGP signatures by whoever holds" if key.openpgp else "whoever holds"
    return f"{how} the private half of the {key.algorithm} key {key.fingerprint}"


def _identity_lets_in(identity: TrustedIdentity) -> str:
    subject = identity.subject
    if subject.exact:
        return f"exactly {shown(subject.text)}"
    who = (
        "whoever the issuer vouches for" if subject.anything else f"whoever fits {shown(subject.text)} from end to end"
    )
    return f"{who}; all of them count as one signer"


def _demands(entry: Entry) -> Iterator[str]:
    if isinstance(entry, TrustedIdentity):
        for name, rules in (("issuer", (entry.issuer,)), *entry.claim_rules):
            texts = " or ".join(shown(rule.text) for rule in rules)
            yield f"{name} is {texts}" if rules[0].exact else f"{name} fits {texts} from end to end"
    if entry.transparency:
        yield "an entry in a transparency log of the trusted root"
    if entry.timestamp:
        yield "a timestamp by an authority of the trusted root"


def _only_for(scope: Scope) -> Iterator[str]:
    named = (
        ("agent", scope.agents),
        ("model", scope.models),
        ("repository", scope.repositories),
        ("predicate type", scope.predicate_types),
    )
    for name, values in named:
        if values is not None:
            yield f"{name} {' or '.join(quote(value) for value in sorted(values))}"


def _window(entry: Entry) -> str:
    if entry.not_before is None and entry.not_after is None:
        return "always"
    words = (("from", entry.not_before), ("until", entry.not_after))
    return " ".join(f"{word} {format_time(moment)}" for word, moment in words if moment is not None)
