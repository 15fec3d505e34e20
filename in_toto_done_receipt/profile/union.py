"""Several profiles at once: all of them hold. Lists of demands are united, allow lists intersected, of two values the
stricter one counts, and what cannot hold together is an error.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec.structs import replace

from in_toto_done_receipt.errors import ProfileError
from in_toto_done_receipt.profile.load import COLLECTIONS
from in_toto_done_receipt.profile.model import EvidenceDemand, ExceptionEntry, Profile, TestsDemand
from in_toto_done_receipt.profile.settings import KEYS, Exemption, Settings
from in_toto_done_receipt.results.model import SANDBOX_LEVELS
from in_toto_done_receipt.results.states import ASSURANCE_ORDER
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.record import to_tree
from in_toto_done_receipt.wire.rfc3339 import format_time

Changes = dict[str, Any]

# Fields whose values come from several profiles together, so that each of them is an origin.
_UNITED: Final = frozenset(
    {
        "include",
        "exceptions",
        "evidence",
        "commands",
        "tests",
        "contract_sealed",
        "contract_protected",
        "change_protected",
        "plugins",
        "read_only",
        "variables",
        "usage",
        "limits",
    }
)


def from_profiles(profiles: Mapping[str, Profile]) -> Settings:
    """The settings of these profiles (name in messages -> profile), all in force at once. Raises ProfileError."""
    settings = Settings()
    _check_excludes(profiles)
    for name, profile in profiles.items():
        settings = _joined(settings, profile, name)
    _check_together(settings)
    if profiles:
        trees = [to_tree(profile) for profile in profiles.values()]
        settings = replace(settings, digest=sha256_hex(canonical(trees)))
    return settings


def _joined(settings: Settings, profile: Profile, name: str) -> Settings:
    changes = _lists(settings, profile, name) | _scalars(settings, profile)
    changes |= _clean_room(settings, profile, name) | _sections(settings, profile, name)
    origins = dict(settings.origins)
    for field, value in changes.items():
        key = KEYS[field]
        if key not in origins or (field not in _UNITED and value != getattr(settings, field)):
            origins[key] = name
        elif field in _UNITED:
            origins[key] = f"{origins[key]}, {name}"
    return replace(settings, **changes, origins=MappingProxyType(origins))


def _lists(settings: Settings, profile: Profile, name: str) -> Changes:
    """Every demand of every profile holds, every command of every profile may run."""
    changes: Changes = {}
    for entry in profile.command:
        other = next((known for known in settings.commands if known.argv == entry.argv), None)
        if other is not None and other != entry:
            raise ProfileError(f"{name}: command {entry.argv[0]}: another profile says something else about this argv")
    exceptions = tuple(_exemption(entry) for entry in profile.exception)
    for made in exceptions:
        if any(_place(made) == _place(known) and made != known for known in settings.exceptions):
            raise ProfileError(f"{name}: exception {made.code}: another profile says something else about it")
    sandbox = profile.sandbox
    found: dict[str, tuple[Any, ...]] = {
        "include": profile.include or (),
        "exclude": profile.exclude or (),
        "commands": profile.command,
        "exceptions": exceptions,
        "plugins": profile.plugins or (),
        "read_only": () if sandbox is None else sandbox.read_only,
    }
    for field, items in found.items():
        if items:
            changes[field] = _united(getattr(settings, field), items)
    if profile.evidence:
        changes["evidence"] = _evidence(settings.evidence, profile.evidence, name)
    if sandbox is not None and sandbox.variables:
        for key, value in sandbox.variables.items():
            if settings.variables.get(key, value) != value:
                raise ProfileError(f"{name}: sandbox.variables.{key}: another profile sets another value")
        changes["variables"] = MappingProxyType({**settings.variables, **sandbox.variables})
    return changes


def _united(known: Iterable[Any], more: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys([*known, *more]))


def _evidence(
    known: tuple[EvidenceDemand, ...], more: tuple[EvidenceDemand, ...], name: str
) -> tuple[EvidenceDemand, ...]:
    """One demand for each claim and kind: it asks for what any of the profiles asks."""
    merged = {(demand.claim, demand.kind): demand for demand in known}
    for demand in more:
        old = merged.get((demand.claim, demand.kind), demand)
        for member, one, two in (("argv", old.argv, demand.argv), ("runner", old.runner, demand.runner)):
            if one and two and one != two:
                raise ProfileError(
                    f"{name}: evidence {demand.claim}/{demand.kind}: another profile has another {member}"
                )
        merged[demand.claim, demand.kind] = replace(
            demand,
            argv=demand.argv or old.argv,
            runner=demand.runner or old.runner,
            paths=_united(old.paths, demand.paths),
        )
    return tuple(merged.values())


def _exemption(entry: ExceptionEntry) -> Exemption:
    values = {field: getattr(entry, field) for field in ("code", "reason", "approver", "term", "subject")}
    return Exemption(expires=format_time(entry.expires), **values)


def _place(exemption: Exemption) -> tuple[str | None, ...]:
    return exemption.code, exemption.term, exemption.subject


def _scalars(settings: Settings, profile: Profile) -> Changes:
    """The first profile replaces the default; a further one can only be stricter."""
    said = {
        "collection": (profile.collection, COLLECTIONS),
        "minimum_assurance": (profile.minimum_assurance, ASSURANCE_ORDER),
        "sandbox_required": (None if profile.sandbox is None else profile.sandbox.required, SANDBOX_LEVELS),
    }
    changes: Changes = {}
    for field, (value, weakest_first) in said.items():
        if value is None:
            continue
        first = KEYS[field] not in settings.origins
        changes[field] = value if first else max(getattr(settings, field), value, key=weakest_first.index)
    return changes


def _clean_room(settings: Settings, profile: Profile, name: str) -> Changes:
    """What is demanded of the change, its tests and its contract."""
    changes: Changes = {}
    if profile.tests is not None:
        changes["tests"] = _tests(settings.tests, profile.tests, name)
    contract, change = profile.contract, profile.change
    if contract is not None and contract.sealed:
        changes["contract_sealed"] = _united(settings.contract_sealed, contract.sealed)
    if contract is not None and contract.protected:
        changes["contract_protected"] = _united(settings.contract_protected, contract.protected)
    if change is not None and change.protected:
        changes["change_protected"] = _united(settings.change_protected, change.protected)
    if change is not None and change.allowed is not None:
        changes["change_allowed"] = _common(settings.change_allowed, change.allowed, f"{name}: change.allowed")
    if profile.source is not None:
        if settings.repository not in (None, profile.source.repository):
            raise ProfileError(
                f"{name}: source.repository: is {profile.source.repository}, another profile says {settings.repository}"
            )
        changes["repository"] = profile.source.repository
    return changes


def _tests(known: TestsDemand | None, more: TestsDemand, name: str) -> TestsDemand:
    """There is one test command; whatever one profile asks of it beside that is asked."""
    if known is None:
        return more
    if (known.runner, known.argv) != (more.runner, more.argv):
        raise ProfileError(f"{name}: tests: another profile has another runner or argv")
    for key in ("plant", "node_modules", "cache"):
        if None not in (one := getattr(known, key), two := getattr(more, key)) and one != two:
            raise ProfileError(f"{name}: tests: another profile has another {key.replace('_m', 'M')}")
    limits = [seconds for seconds in (known.timeout, more.timeout) if seconds is not None]
    return TestsDemand(
        runner=more.runner,
        argv=more.argv,
        negative_control=known.negative_control or more.negative_control,
        canaries=_united(known.canaries or (), more.canaries or ()) or None,
        reruns=min(known.reruns, more.reruns),
        jobs=min(known.jobs, more.jobs),
        writable=known.writable and more.writable,
        timeout=min(limits, default=None),
        plant=more.plant or known.plant,
        node_modules=more.node_modules or known.node_modules,
        cache=more.cache or known.cache,
    )


def _sections(settings: Settings, profile: Profile, name: str) -> Changes:
    changes: Changes = {}
    if profile.freshness is not None and profile.freshness.max_age is not None:
        changes["max_age"] = min(profile.freshness.max_age, settings.max_age or profile.freshness.max_age)
    if profile.freshness is not None and profile.freshness.skew is not None:
        first = "freshness.skew" not in settings.origins
        changes["skew"] = profile.freshness.skew if first else min(settings.skew, profile.freshness.skew)
    if profile.agent is not None:
        changes["models"] = _common(settings.models, profile.agent.models, f"{name}: agent.models")
    if profile.predicate_types is not None:
        known = settings.predicate_types if "predicateTypes" in settings.origins else None
        changes["predicate_types"] = _common(known, profile.predicate_types, f"{name}: predicateTypes")
    if profile.usage is not None:
        changes["usage"] = _lowest(settings.usage, to_tree(profile.usage))
    if profile.limits:
        set_before = settings.limits if "limits" in settings.origins else {}
        lowest = {key: min(value, set_before.get(key, value)) for key, value in profile.limits.items()}
        changes["limits"] = MappingProxyType({**settings.limits, **lowest})
    return changes


def _lowest(known: Mapping[str, int], more: Mapping[str, int]) -> Mapping[str, int]:
    merged = dict(known)
    for key, value in more.items():
        merged[key] = min(value, merged.get(key, value))
    return MappingProxyType(merged)


def _common(known: tuple[str, ...] | None, more: tuple[str, ...], where: str) -> tuple[str, ...]:
    """Allow lists of several profiles: only what all of them allow."""
    both = tuple(item for item in more if known is None or item in known)
    if not both:
        raise ProfileError(f"{where}: has nothing in common with another profile's")
    return both


def _check_excludes(profiles: Mapping[str, Profile]) -> None:
    """A rule is left out only if every profile leaves it out: any other one still demands it."""
    for name, profile in profiles.items():
        for selector in profile.exclude or ():
            other = next((o for o, one in profiles.items() if selector not in (one.exclude or ())), None)
            if other is not None:
                raise ProfileError(
                    f"{name}: exclude: {selector} is left out here and not by {other}",
                    hint="every profile holds: leave it out in each of them, or in none",
                )


def _check_together(settings: Settings) -> None:
    """What contradicts each other, in one profile or in two."""
    origins = settings.origins
    if settings.collection == "release":
        by = f"collection release ({origins['collection']})"
        if settings.exceptions:
            raise ProfileError(f"{origins['exception']}: exception: {by} admits none", hint="protected-branch does")
        if settings.sandbox_required != "bubblewrap":
            level = settings.sandbox_required
            raise ProfileError(f"{origins['sandbox.required']}: sandbox.required: is {level}, {by} wants bubblewrap")
    if clash := set(settings.change_allowed or ()) & set(settings.change_protected):
        raise ProfileError(f"{origins['change.protected']}: change: {min(clash)} is allowed and protected")
    for demand in settings.evidence:
        if demand.kind != "tests":
            continue
        where = f"{origins['evidence']}: evidence {demand.claim}/tests"
        if settings.tests is None:
            raise ProfileError(f"{where}: nothing runs tests again", hint="say how in [tests]")
        if demand.runner not in (None, settings.tests.runner):
            raise ProfileError(f"{where}: runner is {demand.runner}, [tests] says {settings.tests.runner}")
        if demand.argv and demand.argv != settings.tests.argv:
            raise ProfileError(f"{where}: argv is another one than that of [tests]")
