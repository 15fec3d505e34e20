"""What is in force: defaults, then profiles (`union` joins them), then flags, which only tighten. Loosening takes a
named override, and the name is kept for the decision.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from in_toto_done_receipt.errors import ProfileError, UsageError
from in_toto_done_receipt.predicates.done_receipt.v0_1 import PREDICATE_TYPE
from in_toto_done_receipt.profile.limits import effective_limits
from in_toto_done_receipt.profile.model import CommandEntry, EvidenceDemand, TestsDemand
from in_toto_done_receipt.results.model import SandboxLevel
from in_toto_done_receipt.results.states import Assurance
from in_toto_done_receipt.wire.config import nearest
from in_toto_done_receipt.wire.record import Record, to_tree
from in_toto_done_receipt.wire.value import Value

DEFAULT_SKEW: Final = 300  # seconds: clocks of honest machines, and the whole seconds of Rekor v1

# What --override can name, each for the loosening that it permits; a flag stands for each but the last.
OVERRIDES: Final = (
    "minimumAssurance",
    "sandbox.required",
    "command",
    "predicateTypes",
    "limits",
    "freshness.maxAge",
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

    `backdated`: the verifier evaluates as of a time that has passed. `change_allowed` None: the change may touch
    anything. `origins` says for each dotted key where its value comes from: default, a profile's name, or a flag.
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
    tests: TestsDemand | None = None
    contract_sealed: tuple[str, ...] = ()
    contract_protected: tuple[str, ...] = ()
    change_allowed: tuple[str, ...] | None = None
    change_protected: tuple[str, ...] = ()
    repository: str | None = None
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
        return document | self._sections()

    def _sections(self) -> dict[str, Any]:
        """The members that are there only when something is asked for: that alone makes their rules demanded."""
        sections: dict[str, Any] = {}
        if self.tests is not None:
            # What they come to, and not how they are run: that is in the profile's digest.
            sections["tests"] = {
                "runner": self.tests.runner,
                "argv": list(self.tests.argv),
                "negativeControl": self.tests.negative_control,
                "canaries": list(self.tests.canaries or ()),
            }
        if self.contract_sealed or self.contract_protected:
            sections["contract"] = {"sealed": list(self.contract_sealed), "protected": list(self.contract_protected)}
        if self.change_allowed is not None or self.change_protected:
            allowed = {} if self.change_allowed is None else {"allowed": list(self.change_allowed)}
            sections["change"] = allowed | {"protected": list(self.change_protected)}
        if self.repository is not None:
            sections["source"] = {"repository": self.repository}
        if self.models is not None:
            sections["agent"] = {"models": list(self.models)}
        if self.usage:
            sections["usage"] = dict(self.usage)
        return sections


# Field of Settings -> the dotted key by which profiles, overrides and `profile show` call it.
KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "collection": "collection",
        "include": "include",
        "exclude": "exclude",
        "unsigned": "unsigned",
        "backdated": "backdated",
        "minimum_assurance": "minimumAssurance",
        "predicate_types": "predicateTypes",
        "plugins": "plugins",
        "evidence": "evidence",
        "commands": "command",
        "exceptions": "exception",
        "tests": "tests",
        "contract_sealed": "contract.sealed",
        "contract_protected": "contract.protected",
        "change_allowed": "change.allowed",
        "change_protected": "change.protected",
        "repository": "source.repository",
        "sandbox_required": "sandbox.required",
        "read_only": "sandbox.readOnly",
        "variables": "sandbox.variables",
        "max_age": "freshness.maxAge",
        "skew": "freshness.skew",
        "models": "agent.models",
        "usage": "usage",
        "limits": "limits",
    }
)


def with_flag(settings: Settings, name: str, value: Any, *, flag: str, looser: bool) -> Settings:
    """The settings with one field taken from a flag.

    `looser` says that the flag loosens the value in force. Loosening what a profile said takes `--override KEY`, else
    ProfileError is raised; loosening a mere default is what the flag is for. Does not compare the values itself.
    """
    key = KEYS[name]
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
            raise UsageError(f"--override {name}: no such override", hint=nearest(name, list(OVERRIDES)))
    return replace(settings, overrides=tuple(dict.fromkeys(settings.overrides + names)))
