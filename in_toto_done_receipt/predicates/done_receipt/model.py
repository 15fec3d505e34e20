"""The typed model of a done receipt: what the rest of the package knows of one. Read by `v0_1`, written as it stands.

An optional member that is absent is None. Types and limits are in `types`; what neither types nor patterns can say is
in `extra_rules`.
"""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from in_toto_done_receipt.predicates.done_receipt.types import (
    Argv,
    Breach,
    Count,
    ExitCode,
    Expect,
    GitId,
    Line,
    Outcome,
    PathText,
    PathType,
    Positive,
    Reason,
    Sha256,
    Sha384,
    Sha512,
    ShortText,
    Text,
    Time,
)
from in_toto_done_receipt.wire.record import Record


class Digests(Record, kw_only=True):
    """Digests of one content; sha256 is always there."""

    sha256: Sha256
    sha384: Sha384 | None = None
    sha512: Sha512 | None = None

    def as_map(self) -> dict[str, str]:
        """Algorithm to lowercase hex, for `wire.digests.digests_match`."""
        named = {"sha256": self.sha256, "sha384": self.sha384, "sha512": self.sha512}
        return {algorithm: value for algorithm, value in named.items() if value is not None}


class File(Record, kw_only=True):
    """A file by its name and what is in it."""

    name: PathText
    digest: Digests


class Task(Record, kw_only=True):
    """What was asked. `digest` is over the UTF-8 bytes of the full task text."""

    description: Text
    uri: Line | None = None
    digest: Digests | None = None


class ResourceDescriptor(Record, kw_only=True):
    """in-toto's ResourceDescriptor, with `uri` or `digest`. `content` and `annotations` are kept and never used."""

    name: str | None = None
    uri: Line | None = None
    digest: Annotated[dict[str, Line], Meta(min_length=1)] | None = None
    content: str | None = None
    download_location: Line | None = None
    media_type: Line | None = None
    annotations: dict[str, Any] | None = None


class Agent(Record, kw_only=True):
    """Who answered, by its own account."""

    id: Line
    model: Line | None = None
    harness: ResourceDescriptor | None = None


class Usage(Record, kw_only=True):
    """Tokens spent."""

    input_tokens: Count
    output_tokens: Count


class AuditLog(Record, kw_only=True):
    """Where the full record of the run is. `head` is the sha256 of the last of `records` records."""

    request_id: Line | None = None
    records: Positive | None = None
    head: Sha256 | None = None


class Run(Record, kw_only=True):
    """How the run went."""

    outcome: Outcome
    started_on: Time | None = None
    finished_on: Time
    iterations: Count | None = None
    tool_calls: Count | None = None
    usage: Usage | None = None
    audit_log: AuditLog | None = None


class RevisionDigest(Record, kw_only=True):
    """Ids of a commit and of its tree."""

    git_commit: GitId
    git_tree: GitId | None = None


class Revision(Record, kw_only=True):
    """A revision of the repository."""

    digest: RevisionDigest


class Source(Record, kw_only=True):
    """From where to where the work went."""

    repository: Line | None = None
    base: Revision
    head: Revision


class ContextSha256(Record, kw_only=True, forbid_unknown_fields=True):
    """The digest of a document of the context."""

    sha256: Sha256


class ContextCommit(Record, kw_only=True, forbid_unknown_fields=True):
    """The digest of the context's input."""

    git_commit: GitId


class ContextDocument(Record, kw_only=True, forbid_unknown_fields=True):
    """A document of the context."""

    digest: ContextSha256


class ContextInput(Record, kw_only=True, forbid_unknown_fields=True):
    """The input of the context."""

    digest: ContextCommit


class Context(Record, kw_only=True, forbid_unknown_fields=True):
    """For which packet, input and output the receipt was made. Closed: nothing else may stand in it."""

    packet: ContextDocument
    input: ContextInput
    output_manifest: ContextDocument


class Contract(Record, kw_only=True):
    """The acceptance contract as the receipt reports it. `breach` None: it did not move."""

    sealed: tuple[File, ...]
    absent: tuple[PathText, ...]
    breach: Breach | None


class Verdict(Record, kw_only=True):
    """What the run's own check said."""

    checked: bool
    passed: bool
    reason: Reason


class ErrorForm(Record, kw_only=True, forbid_unknown_fields=True):
    """Observed instead of a result: the author of the receipt could not look."""

    error: Line


class Blob(Record, kw_only=True):
    """Digest and size of bytes that are not kept."""

    sha256: Sha256
    bytes: Count


class PathObserved(Record, kw_only=True):
    """What stood at the path."""

    type: PathType


class FileObserved(Record, kw_only=True):
    """What was in the file."""

    sha256: Sha256
    bytes: Count


class TextObserved(Record, kw_only=True):
    """Whether the text was in the file, and the file's size."""

    matched: bool
    bytes: Count


class CommandObserved(Record, kw_only=True):
    """How the command ended; signal n is -n."""

    exit_code: ExitCode
    stdout: Blob
    stderr: Blob
    stdout_matched: bool | None = None


class TestsObserved(Record, kw_only=True):
    """How the test run ended, by its JUnit report."""

    __test__: ClassVar[bool] = False  # its name makes pytest take it for a test

    exit_code: ExitCode
    report: Blob
    passed: Count
    failed: Count
    errored: Count
    skipped: Count


class OutputObserved(Record, kw_only=True):
    """Whether the artifact was a subject."""

    matched: bool


class CommandExpected(Record, kw_only=True):
    """What the receipt's author took for success; never the verifier's measure."""

    exit_code: ExitCode | None = None
    stdout_contains: ShortText | None = None


# An item is its members without `observed`, whose two forms msgspec cannot tell apart: `typed` reads them one by one.
class PathItem(Record, kw_only=True):
    """Members of `path` evidence."""

    path: PathText
    expect: Expect
    ok: bool


class FileItem(Record, kw_only=True):
    """Members of `file` evidence."""

    path: PathText
    expected_sha256: Sha256 | None = None
    ok: bool


class TextItem(Record, kw_only=True):
    """Members of `text` evidence."""

    path: PathText
    literal: ShortText
    ok: bool


class CommandItem(Record, kw_only=True):
    """Members of `command` evidence."""

    argv: Argv
    expected: CommandExpected | None = None
    ok: bool


class TestsItem(Record, kw_only=True):
    """Members of `tests` evidence."""

    __test__: ClassVar[bool] = False

    argv: Argv
    cited: tuple[Line, ...] | None = None
    ok: bool


class OutputItem(Record, kw_only=True):
    """Members of `output` evidence."""

    artifact: File
    ok: bool


class PathEvidence(PathItem, kw_only=True, tag_field="kind", tag="path"):
    """Something stood, or did not stand, at a path."""

    kind: ClassVar[Literal["path"]] = "path"
    observed: PathObserved | ErrorForm


class FileEvidence(FileItem, kw_only=True, tag_field="kind", tag="file"):
    """A file had this content."""

    kind: ClassVar[Literal["file"]] = "file"
    observed: FileObserved | ErrorForm


class TextEvidence(TextItem, kw_only=True, tag_field="kind", tag="text"):
    """A file contained this text."""

    kind: ClassVar[Literal["text"]] = "text"
    observed: TextObserved | ErrorForm


class CommandEvidence(CommandItem, kw_only=True, tag_field="kind", tag="command"):
    """A command ended like this."""

    kind: ClassVar[Literal["command"]] = "command"
    observed: CommandObserved | ErrorForm


class TestsEvidence(TestsItem, kw_only=True, tag_field="kind", tag="tests"):
    """A test run ended like this."""

    kind: ClassVar[Literal["tests"]] = "tests"
    observed: TestsObserved | ErrorForm


class OutputEvidence(OutputItem, kw_only=True, tag_field="kind", tag="output"):
    """An artifact was one of the statement's subjects."""

    kind: ClassVar[Literal["output"]] = "output"
    observed: OutputObserved | ErrorForm


class OtherEvidence(Record, kw_only=True):
    """Evidence of a kind that this version does not know; `tree` is the whole item as it was read."""

    kind: Line
    ok: bool
    observed: dict[str, Any]
    tree: dict[str, Any]


Evidence = PathEvidence | FileEvidence | TextEvidence | CommandEvidence | TestsEvidence | OutputEvidence | OtherEvidence


class Claim(Record, kw_only=True):
    """One claim of the agent, in its own words, and the evidence it names."""

    id: Line
    statement: Text
    evidence: tuple[Evidence, ...]


class DoneReceipt(Record, kw_only=True):
    """The predicate of a done receipt."""

    task: Task
    agent: Agent
    run: Run
    source: Source | None = None
    context: Context | None = None
    manifest: File | None = None
    contract: Contract
    verdict: Verdict
    claims: tuple[Claim, ...]
