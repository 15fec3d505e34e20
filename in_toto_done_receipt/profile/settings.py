"""What is in force: defaults, then profiles (all of them hold: the stricter value wins), then flags, which only
tighten. Loosening takes a named override, and the name is kept for the decision.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from in_toto_done_receipt.errors import ProfileError, UsageError
from in_toto_done_receipt.predicates.done_receipt.v0_1 import PREDICATE_TYPE
from in_toto_done_receipt.profile.limits import effective_limits
from in_toto_done_receipt.profile.load import COLLECTIONS
from in_toto_done_receipt.profile.model import CommandEntry, EvidenceDemand, Profile
from in_toto_done_receipt.results.model import SANDBOX_LEVELS, SandboxLevel
from in_toto_done_receipt.results.states import ASSURANCE_ORDER, Assurance
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.record import Record, to_tree
from in_toto_done_receipt.wire.value import Value

DEFAULT_SKEW: Final = 300  # seconds: clocks of honest machines, and the whole seconds of Rekor v1

# What --override can name, each for the loosening that it permits.
OVERRIDES: Final = (
    "minimumAssurance",
    "sandbox.required",
    "command",
    "predicateTypes",
    "limits",
    "freshness.skew",
    "identity-near-evidence",
)


class Exemption(Record):
    """One exception in force: it satisfies the requirement `code` (only for this term and subject, where named).

    `expires` is RFC 3339 in UTC; an exception whose time has come exempts from nothing.
    """

    code: str
    reason: str
    approver: str
    expires: str
    term: str | None = None
    subject: str | None = None


class Settings(Value, kw_only=True):
    """Everything that decides how a receipt is examined and what is demanded of it.

    `backdated`: the verifier evaluates as of a time that has passed.

    `origins` says for each dotted key where its value comes from: default, a profile's name, or a flag.
    `digest` is the sha256 of the canonical profile documents, None without a profile.
    """

    collection: str = "minimal"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    exceptions: tuple[Exemption, ...] = ()
    unsigned: bool = False
    backdated: bool = False
    minimum_assurance: Assurance = "fully_rechecked"
    evidence: tuple[EvidenceDemand, ...] = ()
    commands: tuple[CommandEntry, ...] = ()
    sandbox_required: SandboxLevel = "bubblewrap"
    read_only: tuple[str, ...] = ()
    variables: Mapping[str, str] = msgspec.field(default_factory=lambda: MappingProxyType({}))
    max_age: int | None = None
    skew: int = DEFAULT_SKEW
    models: tuple[str, ...] | None = None
    usage: Mapping[str, int] = msgspec.field(default_factory=lambda: MappingProxyType({}))
    predicate_types: tuple[str, ...] = (PREDICATE_TYPE,)
    plugins: tuple[str, ...] = ()
    limits: Mapping[str, int] = msgspec.field(default_factory=lambda: effective_limits({}))
    overrides: tuple[str, ...] = ()
    digest: str | None = None
    origins: Mapping[str, str] = msgspec.field(default_factory=lambda: MappingProxyType({}))

    def policy_document(self) -> dict[str, Any]:
        """The `profile` member of the policy input."""
        document: dict[str, Any] = {
            "collection": self.collection,
            "include": list(self.include),
            "exclude": list(self.exclude),
            "exceptions": [to_tree(exemption) for exemption in self.exceptions],
            "unsigned": self.unsigned,
            "backdated": self.backdated,
            "minimumAssurance": self.minimum_assurance,
            "evidence": [{**to_tree(demand), "claim": demand.claim} for demand in self.evidence],
            "sandbox": {"required": self.sandbox_required},
            "predicateTypes": list(self.predicate_types),
            "digest": self.digest,
            "overrides": list(self.overrides),
        }
        if self.models is not None:
            document["agent"] = {"models": list(self.models)}
        if self.usage:
            document["usage"] = dict(self.usage)
        return document


def from_profiles(profiles: Mapping[str, Profile]) -> Settings:
    """The settings of these profiles (name in messages -> profile), all in force at once. Raises ProfileError."""
    settings = Settings()
    for name, profile in profiles.items():
        settings = _tighten(settings, profile, name)
    if profiles:
        trees = [to_tree(profile) for profile in profiles.values()]
        settings = replace(settings, digest=sha256_hex(canonical(trees)))
    return settings


def _tighten(settings: Settings, profile: Profile, name: str) -> Settings:
    changes: dict[str, Any] = {}
    changes |= _lists(settings, profile, name)
    changes |= _scalars(settings, profile)
    changes |= _sections(settings, profile, name)
    origins = {**settings.origins, **{_KEYS[key]: name for key in changes}}
    return replace(settings, **changes, origins=MappingProxyType(origins))


# Field of Settings -> the dotted key by which profiles, overrides and `profile show` call it.
_KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "collection": "collection",
        "unsigned": "unsigned",
        "minimum_assurance": "minimumAssurance",
        "evidence": "evidence",
        "commands": "command",
        "sandbox_required": "sandbox.required",
        "read_only": "sandbox.readOnly",
        "variables": "sandbox.variables",
        "max_age": "freshness.maxAge",
        "skew": "freshness.skew",
        "models": "agent.models",
        "usage": "usage",
        "predicate_types": "predicateTypes",
        "plugins": "plugins",
        "limits": "limits",
    }
)


def described(settings: Settings) -> list[tuple[str, Any, str]]:
    """(dotted key, value, origin) of every setting, for `profile show`."""
    rows: list[tuple[str, Any, str]] = []
    for name, key in _KEYS.items():
        value = getattr(settings, name)
        if name in ("evidence", "commands"):
            value = [to_tree(item) for item in value]
        elif isinstance(value, Mapping):
            value = dict(value)
        elif isinstance(value, tuple):
            value = list(value)
        rows.append((key, value, settings.origins.get(key, "default")))
    return rows


def _lists(settings: Settings, profile: Profile, name: str) -> dict[str, Any]:
    """Lists are united: every demand of every profile holds, every command of every profile may run."""
    changes: dict[str, Any] = {}
    if profile.evidence:
        changes["evidence"] = tuple(dict.fromkeys(settings.evidence + profile.evidence))
    for entry in profile.command:
        other = next((known for known in settings.commands if known.argv == entry.argv), None)
        if other is not None and other != entry:
            raise ProfileError(f"{name}: command {entry.argv[0]}: another profile says something else about this argv")
    if profile.command:
        changes["commands"] = tuple(dict.fromkeys(settings.commands + profile.command))
    if profile.plugins is not None:
        changes["plugins"] = tuple(dict.fromkeys(settings.plugins + profile.plugins))
    if profile.sandbox is not None and profile.sandbox.read_only:
        changes["read_only"] = tuple(dict.fromkeys(settings.read_only + profile.sandbox.read_only))
    if profile.sandbox is not None and profile.sandbox.variables:
        for key, value in profile.sandbox.variables.items():
            if settings.variables.get(key, value) != value:
                raise ProfileError(f"{name}: sandbox.variables.{key}: another profile sets another value")
        changes["variables"] = MappingProxyType({**settings.variables, **profile.sandbox.variables})
    return changes


def _scalars(settings: Settings, profile: Profile) -> dict[str, Any]:
    """The first profile replaces the default; a further one can only be stricter."""
    changes: dict[str, Any] = {}
    if profile.collection is not None:
        first = "collection" not in settings.origins
        changes["collection"] = (
            profile.collection if first else max(settings.collection, profile.collection, key=COLLECTIONS.index)
        )
    if profile.minimum_assurance is not None:
        first = "minimumAssurance" not in settings.origins
        changes["minimum_assurance"] = (
            profile.minimum_assurance
            if first
            else max(settings.minimum_assurance, profile.minimum_assurance, key=ASSURANCE_ORDER.index)
        )
    if profile.sandbox is not None:
        first = "sandbox.required" not in settings.origins
        changes["sandbox_required"] = (
            profile.sandbox.required
            if first
            else max(settings.sandbox_required, profile.sandbox.required, key=SANDBOX_LEVELS.index)
        )
    return changes


def _sections(settings: Settings, profile: Profile, name: str) -> dict[str, Any]:
    changes: dict[str, Any] = {}
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
        merged = dict(settings.usage)
        for key, value in to_tree(profile.usage).items():
            merged[key] = min(value, merged.get(key, value))
        changes["usage"] = MappingProxyType(merged)
    if profile.limits:
        set_before = settings.limits if "limits" in settings.origins else {}
        lowest = {key: min(value, set_before.get(key, value)) for key, value in profile.limits.items()}
        changes["limits"] = MappingProxyType({**settings.limits, **lowest})
    return changes


def _common(known: tuple[str, ...] | None, more: tuple[str, ...], where: str) -> tuple[str, ...]:
    """Allow lists of several profiles: only what all of them allow."""
    both = tuple(item for item in more if known is None or item in known)
    if not both:
        raise ProfileError(f"{where}: has nothing in common with another profile's")
    return both


def with_flag(settings: Settings, name: str, value: Any, *, flag: str, looser: bool) -> Settings:
    """The settings with one field taken from a flag.

    `looser` says that the flag loosens the value in force. Loosening what a profile said takes `--override KEY`, else
    ProfileError is raised; loosening a mere default is what the flag is for. Does not compare the values itself.
    """
    key = _KEYS[name]
    if looser and key in settings.origins and key not in settings.overrides:
        raise ProfileError(
            f"{flag}: loosens {key}, which {settings.origins[key]} sets",
            hint=f"if you mean to, add --override {key}; the decision will show it",
        )
    origins = MappingProxyType({**settings.origins, key: flag})
    return replace(settings, **{name: value}, origins=origins)


def with_overrides(settings: Settings, names: tuple[str, ...]) -> Settings:
    """The settings with these overrides permitted. Raises UsageError for a name that is none."""
    for name in names:
        if name not in OVERRIDES:
            raise UsageError(f"--override {name}: no such override", hint=f"valid: {', '.join(OVERRIDES)}")
    return replace(settings, overrides=tuple(dict.fromkeys(settings.overrides + names)))
