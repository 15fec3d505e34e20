"""The acceptance profile as written (TOML). Published as `profile.v0.1.schema.json` beside this file."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from in_toto_done_receipt.results.model import SandboxLevel
from in_toto_done_receipt.results.states import Assurance
from in_toto_done_receipt.wire.record import Record

Text = Annotated[str, Meta(min_length=1, max_length=4096)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Seconds = Annotated[int, Meta(ge=1, le=100 * 366 * 86_400)]
EvidenceKind = Literal["path", "file", "text", "command", "tests", "output"]

# Keys that design names and a later version brings: naming one is an error, so that nobody believes it is in force.
UNAVAILABLE: Final[dict[str, str]] = {
    "include": "choosing single rules",
    "exclude": "leaving out single rules",
    "tests": "running tests in the clean room",
    "contract": "contract coverage from the base tree",
    "change": "the scope of a change read from git",
    "source": "binding to a repository read from git",
    "exception": "exceptions",
}


class EvidenceDemand(Record):
    """One claim that must be confirmed by evidence of this kind.

    `argv`: the command that must have run (kind command). `paths`: each must be confirmed (kinds path, file, text).
    """

    claim: Text
    kind: EvidenceKind
    argv: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


class CommandEntry(Record):
    """One command that may run again, and what success is. `timeout` in seconds."""

    argv: tuple[str, ...]
    exit_code: Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)] = 0
    stdout_contains: Text | None = None
    timeout: Annotated[int, Meta(ge=1, le=86_400)] | None = None


class SandboxDemand(Record):
    """The level that commands need, and what a command may see beside its copy of the tree."""

    required: SandboxLevel = "bubblewrap"
    read_only: tuple[Text, ...] = ()
    variables: dict[str, str] = msgspec.field(default_factory=dict)


class FreshnessDemand(Record):
    """How old a run may be, and how far clocks may differ. Seconds."""

    max_age: Seconds | None = None
    skew: Annotated[int, Meta(ge=0, le=86_400)] | None = None


class AgentDemand(Record):
    """The models that may have answered, as the provider names them."""

    models: tuple[Text, ...]


class UsageDemand(Record):
    """What a run may have used. A limit makes the field in the receipt required."""

    max_input_tokens: Count | None = None
    max_output_tokens: Count | None = None
    max_iterations: Count | None = None
    max_tool_calls: Count | None = None


class Profile(Record):
    """One acceptance.toml."""

    version: Literal[1]
    collection: str | None = None
    minimum_assurance: Assurance | None = None
    evidence: tuple[EvidenceDemand, ...] = ()
    command: tuple[CommandEntry, ...] = ()
    sandbox: SandboxDemand | None = None
    freshness: FreshnessDemand | None = None
    agent: AgentDemand | None = None
    usage: UsageDemand | None = None
    predicate_types: tuple[Text, ...] | None = None
    plugins: tuple[Text, ...] | None = None
    limits: dict[str, int] | None = None
