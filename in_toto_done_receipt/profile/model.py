"""The acceptance profile as written (TOML). Published as `profile.v0.1.schema.json` beside this file."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from in_toto_done_receipt.results.model import SandboxLevel
from in_toto_done_receipt.results.states import Assurance
from in_toto_done_receipt.wire.record import Record

Text = Annotated[str, Meta(min_length=1, max_length=4096)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Seconds = Annotated[int, Meta(ge=1, le=100 * 366 * 86_400)]
Collection = Literal["minimal", "ci", "protected-branch", "release"]
EvidenceKind = Literal["path", "file", "text", "command", "tests", "output"]

# A test runner that the clean room knows; `junit` is any other one that writes a JUnit file.
Runner = Literal["pytest", "unittest", "go", "node", "cargo", "junit"]

# Ways to see that a test runner tells the truth: planted tests, existing ones in two halves, a gate before each test, a
# value that equals nothing.
Canary = Literal["planted", "halves", "gate", "value"]


class EvidenceDemand(Record):
    """One claim that must be confirmed by evidence of this kind.

    `argv`: the command that must have run (kinds command and tests). `runner`: what must have run the tests (kind
    tests). `paths`: each must be confirmed (kinds path, file, text).
    """

    claim: Text
    kind: EvidenceKind
    argv: tuple[str, ...] = ()
    runner: Runner | None = None
    paths: tuple[str, ...] = ()


class CommandEntry(Record):
    """One command that may run again, and what success is. `timeout` in seconds."""

    argv: tuple[str, ...]
    exit_code: Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)] = 0
    stdout_contains: Text | None = None
    timeout: Annotated[int, Meta(ge=1, le=86_400)] | None = None


class PlantEntry(Record):
    """A file of tests for runner `junit` to find. `{token}` in any of these stands for a name that nobody can guess.

    `failing` and `passing` are the ids, as the report has them (`classname::name`), of tests that must end so.
    """

    path: Text
    text: Annotated[str, Meta(min_length=1, max_length=65_536)]
    failing: tuple[Text, ...]
    passing: tuple[Text, ...]


class TestsDemand(Record):
    """The verifier's own test command. `{junit}` in a word of `argv` stands for the file that the runner writes.

    `negative_control`: new tests must fail on the old product. `canaries`: layers that must have been active. `reruns`:
    how often red tests run again. `jobs`: how many runs at a time. `writable`: tests may write into their copy of the
    tree. `timeout` in seconds, of one run. `plant`: canaries for runner `junit`. `node_modules`: an absolute path.
    `cache`: an absolute path of the verifier's own, for build products of runner `go`.
    """

    __test__ = False

    runner: Runner
    argv: tuple[str, ...]
    negative_control: bool = False
    canaries: tuple[Canary, ...] | None = None
    reruns: Annotated[int, Meta(ge=0, le=10)] = 1
    jobs: Annotated[int, Meta(ge=1, le=2)] = 1
    writable: bool = False
    timeout: Annotated[int, Meta(ge=1, le=86_400)] | None = None
    plant: tuple[PlantEntry, ...] | None = None
    node_modules: Text | None = None
    cache: Text | None = None


class ContractDemand(Record):
    """Globs on the base tree: what must be sealed, and what counts as test or harness file beside the built-in set."""

    sealed: tuple[Text, ...] | None = None
    protected: tuple[Text, ...] | None = None


class ChangeDemand(Record):
    """Globs on paths of the change: the only ones it may touch, and ones that it may never touch."""

    allowed: tuple[Text, ...] | None = None
    protected: tuple[Text, ...] | None = None


class SourceDemand(Record):
    """The repository that receipt and certificates must name, spelled as they spell it."""

    repository: Text


class ExceptionEntry(Record):
    """One requirement that is waived until `expires`, by whom and why; only for this term and subject, where named.

    `term` is what follows the colon of a code in the decision; `subject` is the name of a matched subject.
    """

    code: Text
    reason: Text
    approver: Text
    expires: datetime
    term: Text | None = None
    subject: Text | None = None


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
    collection: Collection | None = None
    include: tuple[Text, ...] | None = None
    exclude: tuple[Text, ...] | None = None
    minimum_assurance: Assurance | None = None
    evidence: tuple[EvidenceDemand, ...] = ()
    command: tuple[CommandEntry, ...] = ()
    tests: TestsDemand | None = None
    contract: ContractDemand | None = None
    change: ChangeDemand | None = None
    source: SourceDemand | None = None
    sandbox: SandboxDemand | None = None
    freshness: FreshnessDemand | None = None
    agent: AgentDemand | None = None
    usage: UsageDemand | None = None
    predicate_types: tuple[Text, ...] | None = None
    plugins: tuple[Text, ...] | None = None
    exception: tuple[ExceptionEntry, ...] = ()
    limits: dict[str, int] | None = None
