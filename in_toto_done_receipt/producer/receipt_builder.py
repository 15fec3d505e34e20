"""`ReceiptBuilder`: a harness feeds it from its run and gets the bytes of a statement to sign.

    builder = ReceiptBuilder(task="write report", agent="worker", model="gpt-5")
    builder.seals({"tests/test_report.py": "a157…", "conftest.py": None})
    builder.claim("report", "report exists", evidence=[...])
    builder.subject("report.md", "96a1…")
    builder.finish(finished_on=now, verdict="passed", iterations=3, tool_calls=5, input_tokens=100, output_tokens=20)
    payload = builder.build()

Around a run, it writes a receipt whatever happens in it:

    with ReceiptBuilder(task="write report", agent="worker", clock=now, out=Path("runs/7/statement.json")) as builder:
        ...   # the run; an exception becomes the outcome "failed", is written down, and goes on its way

It reads no clock but the one it is given, no file and no key. What it returns is accepted by this package's own reader
and agrees with itself; what it was told is not checked against the world (`producer.build` does that).
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from in_toto_done_receipt.errors import MalformedInput, MalformedStatement, ProducerError
from in_toto_done_receipt.predicates.done_receipt.coherence import coherence_faults
from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.predicates.done_receipt.summary import summary_line
from in_toto_done_receipt.predicates.done_receipt.v0_1 import PREDICATE_TYPE, read_predicate
from in_toto_done_receipt.producer.verdict import OUTCOME_REASONS, Outcome, VerdictWord, item_name, verdict
from in_toto_done_receipt.producer.written import write_payload
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.dsse import MAX_PAYLOAD_BYTES
from in_toto_done_receipt.wire.rfc3339 import format_time
from in_toto_done_receipt.wire.statement import STATEMENT_V1, read_statement

MAX_ERROR_CHARS: Final = 2000  # of an exception's words: some print a whole document
# Name and sha256 of the canonical manifest of an empty directory: the subject of a run that named no output.
EMPTY_MANIFEST: Final = (
    "OUTPUT_MANIFEST.json",
    sha256_hex(canonical({"schema": "agent-output-manifest/v1", "file_count": 0, "files": [], "total_bytes": 0})),
)

Digests = str | Mapping[str, str]  # a sha256 in hex, or a map of algorithms


class ReceiptBuilder:
    """Assembles one receipt. Every method returns the builder; `finish` must have been called before `build`."""

    def __init__(
        self,
        *,
        task: str,
        agent: str,
        model: str | None = None,
        task_uri: str | None = None,
        harness: Mapping[str, Any] | None = None,
        clock: Callable[[], datetime] | None = None,
        out: Path | None = None,
    ) -> None:
        """`harness` is an in-toto ResourceDescriptor with `uri` or `digest`.

        The task's digest is that of `task`, unless `task_uri` says that the whole text is elsewhere. `clock` and `out`
        are for use around a run, in a `with` statement: when it ends, and where the receipt goes then.
        """
        self._clock = clock
        self._out = out
        self._started: datetime | None = None
        self._counts: dict[str, int] = {}
        digest = None if task_uri is not None else {"sha256": sha256_hex(_utf8(task, "task"))}
        self._task = _present(description=task, uri=task_uri, digest=digest)
        self._agent = _present(id=agent, model=model, harness=dict(harness) if harness is not None else None)
        self._seals: dict[str, dict[str, str] | None] = {}
        self._subjects: list[tuple[str, dict[str, str]]] = []
        self._claims: list[dict[str, Any]] = []
        self._audit: dict[str, Any] | None = None
        self._context: dict[str, Any] | None = None
        self._source: dict[str, Any] | None = None
        self._manifest: dict[str, Any] | None = None
        self._run: dict[str, Any] | None = None
        self._verdict: tuple[VerdictWord, str, Outcome] = ("unchecked", "", "completed")
        self._breach: str | None = None

    def seals(self, entries: Mapping[str, Digests | None]) -> Self:
        """The acceptance contract as it stood before the first turn: path to digest, None for "must not exist"."""
        for path, digest in entries.items():
            self._seals[path] = None if digest is None else _digests(digest)
        return self

    def subject(self, name: str, digest: Digests) -> Self:
        """One output of the run."""
        self._subjects.append((name, _digests(digest)))
        return self

    def manifest(self, name: str, digest: Digests) -> Self:
        """The canonical manifest of the whole output; it becomes a subject as well."""
        self._manifest = {"name": name, "digest": _digests(digest)}
        return self.subject(name, digest)

    def claim(self, identity: str, statement: str, *, evidence: Iterable[Mapping[str, Any]] = ()) -> Self:
        """One claim in the agent's words, with evidence items as the predicate writes them."""
        self._claims.append({"id": identity, "statement": statement, "evidence": [dict(item) for item in evidence]})
        return self

    def audit(self, request_id: str | None = None, *, records: int | None = None, head: str | None = None) -> Self:
        """Where the full record is: the host's id for it; number of records and digest of the last, both or neither."""
        self._audit = _present(requestId=request_id, records=records, head=head)
        return self

    def with_audit_request(self, request_id: str) -> Self:
        """The host's id of the run in its audit log; what `audit` said of the log itself stays."""
        self._audit = {**(self._audit or {}), "requestId": request_id}
        return self

    def count(
        self,
        *,
        iterations: int | None = None,
        tool_calls: int | None = None,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
    ) -> Self:
        """What the run has come to so far, for a receipt of a run that never gets to `finish`."""
        self._counts |= _present(
            iterations=iterations, tool_calls=tool_calls, input_tokens=input_tokens, output_tokens=output_tokens
        )
        return self

    def source(
        self, *, base: tuple[str, str | None], head: tuple[str, str | None], repository: str | None = None
    ) -> Self:
        """From which commit to which one the work went, each with its tree where known; ids in full."""
        ends = {
            word: {"digest": _present(gitCommit=commit, gitTree=tree)}
            for word, (commit, tree) in (("base", base), ("head", head))
        }
        self._source = _present(repository=repository, **ends)
        return self

    def context(self, *, packet_digest: str, input_commit: str, output_manifest_digest: str) -> Self:
        """What the work was handed out as; a verifier compares all three exactly."""
        self._context = {
            "packet": {"digest": {"sha256": packet_digest}},
            "input": {"digest": {"gitCommit": input_commit}},
            "outputManifest": {"digest": {"sha256": output_manifest_digest}},
        }
        return self

    def finish(
        self,
        *,
        finished_on: datetime,
        outcome: Outcome = "completed",
        verdict: VerdictWord = "unchecked",
        reason: str = "",
        breach: str | None = None,
        started_on: datetime | None = None,
        iterations: int | None = None,
        tool_calls: int | None = None,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
    ) -> Self:
        """How the run ended. `verdict` is the acceptance check's word, `unchecked` when nobody asked for one.

        The receipt passes only if the verdict passed, the run completed, `breach` is None and every evidence item is
        ok. Counts that are not given here are those of `count`. Raises ProducerError for a time without a zone, and for
        one of two token counts.
        """
        self.count(iterations=iterations, tool_calls=tool_calls, input_tokens=input_tokens, output_tokens=output_tokens)
        counts, started = self._counts, started_on or self._started
        input_tokens, output_tokens = counts.get("input_tokens"), counts.get("output_tokens")
        if (input_tokens is None) != (output_tokens is None):
            raise ProducerError("input and output tokens are given together or not at all")
        usage = None if input_tokens is None else {"inputTokens": input_tokens, "outputTokens": output_tokens}
        self._run = _present(
            outcome=outcome,
            startedOn=None if started is None else _time(started, "started_on"),
            finishedOn=_time(finished_on, "finished_on"),
            iterations=counts.get("iterations"),
            toolCalls=counts.get("tool_calls"),
            usage=usage,
        )
        self._verdict = (verdict, reason, outcome)
        self._breach = breach
        return self

    def build(self) -> bytes:
        """The statement: RFC 8785, no newline. Raises ProducerError naming the member that cannot be said."""
        return self._made()[0]

    def write(self, path: Path) -> str:
        """Write the statement, and the folders above it that are missing; the payload's sha256.

        Read it with `written.read_receipt`, whose `intact` takes this digest. Raises ProducerError as `build`, and
        OutputError.
        """
        return write_payload(path, self.build())

    def __enter__(self) -> Self:
        if self._clock is None:
            raise ProducerError("nobody says when the run ends", hint="give clock=, such as lambda: datetime.now(UTC)")
        self._started = self._clock()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """A run that raised has failed, whatever it had said before; one that said nothing is unchecked."""
        assert self._clock is not None  # noqa: S101 - __enter__ looked
        if error is not None:
            self.failed(error, finished_on=self._clock())
        elif self._run is None:
            self.finish(finished_on=self._clock())
        if self._out is not None:
            self.write(self._out)

    def failed(self, error: BaseException, *, finished_on: datetime) -> Self:
        """The run ended with this exception: outcome failed, whatever was said before.

        A run that got to name no output has the manifest of an empty directory as its subject. One of two token counts
        is dropped.
        """
        if not self._subjects:
            self.subject(*EMPTY_MANIFEST)
        if len(self._counts.keys() & {"input_tokens", "output_tokens"}) == 1:
            self._counts = {name: n for name, n in self._counts.items() if not name.endswith("_tokens")}
        reason = f"{OUTCOME_REASONS['failed']}: {_shown(error)}"
        return self.finish(
            finished_on=finished_on, outcome="failed", verdict="failed", reason=reason, breach=self._breach
        )

    def summary(self) -> str:
        """The receipt's one line, as build logs and pull requests show it."""
        return summary_line(self._made()[1])

    def _made(self) -> tuple[bytes, DoneReceipt]:
        payload = _canonical(self._tree())
        if len(payload) > MAX_PAYLOAD_BYTES:
            raise ProducerError(f"the receipt has {len(payload)} bytes, verifiers read {MAX_PAYLOAD_BYTES}")
        return payload, read_back(payload)

    def _tree(self) -> dict[str, Any]:
        if self._run is None:
            raise ProducerError("the run has not finished", hint="call finish() before build()")
        if not self._subjects:
            raise ProducerError(
                "a receipt needs a subject, the run named none", hint="a run without outputs names its manifest"
            )
        return {
            "_type": STATEMENT_V1,
            "subject": [{"name": name, "digest": digest} for name, digest in self._subjects],
            "predicateType": PREDICATE_TYPE,
            "predicate": _present(
                task=self._task,
                agent=self._agent,
                run=_present(**self._run, auditLog=self._audit),
                source=self._source,
                context=self._context,
                manifest=self._manifest,
                contract=self._contract(),
                verdict=self._settled(),
                claims=self._claims,
            ),
        }

    def _contract(self) -> dict[str, Any]:
        paths = sorted(self._seals, key=lambda path: _utf8(path, "sealed path"))
        return {
            "sealed": [{"name": path, "digest": digest} for path in paths if (digest := self._seals[path]) is not None],
            "absent": [path for path in paths if self._seals[path] is None],
            "breach": self._breach,
        }

    def _settled(self) -> dict[str, object]:
        word, reason, outcome = self._verdict
        return verdict(word, reason, outcome=outcome, breach=self._breach, not_ok=not_ok_items(self._claims))


def not_ok_items(claims: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """`CLAIM[i] (KIND)` for every evidence item whose `ok` is not true."""
    return tuple(
        item_name(str(claim["id"]), index, str(item.get("kind")))
        for claim in claims
        for index, item in enumerate(claim["evidence"])
        if item.get("ok") is not True
    )


def read_back(payload: bytes) -> DoneReceipt:
    """What our own reader makes of the payload. Raises ProducerError when it refuses, or sees a contradiction."""
    try:
        statement = read_statement(payload)
        receipt = read_predicate(statement)
    except MalformedStatement as error:
        place = f"{error.pointer}: " if error.pointer and error.pointer not in error.message else ""
        raise ProducerError(f"cannot be said in a receipt: {place}{error.message}", hint=error.hint) from None
    except MalformedInput as error:
        raise ProducerError(f"cannot be said in a receipt: {error.message}", hint=error.hint) from None
    for fault in coherence_faults(receipt, statement):
        raise ProducerError(f"the receipt would contradict itself: {fault.message}")
    return receipt


def _canonical(tree: dict[str, Any]) -> bytes:
    try:
        return canonical(tree)
    except MalformedInput as error:
        raise ProducerError(f"cannot be said in a receipt: {error.message}", hint=error.hint) from None


def _shown(error: BaseException) -> str:
    """The exception's type and its words, as far as a receipt can say them."""
    words = str(error).encode("utf-8", "backslashreplace").decode()
    return f"{type(error).__name__}: {words[:MAX_ERROR_CHARS]}" if words else type(error).__name__


def _present(**members: Any) -> dict[str, Any]:
    """The members that are not None: a receipt says a thing or leaves it out."""
    return {name: value for name, value in members.items() if value is not None}


def _digests(digest: Digests) -> dict[str, str]:
    return {"sha256": digest} if isinstance(digest, str) else dict(digest)


def _utf8(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ProducerError(f"{what} is not UTF-8 text: {text!a}") from None


def _time(moment: datetime, what: str) -> str:
    if moment.utcoffset() is None:
        raise ProducerError(f"{what} has no time zone: {moment.isoformat()}")
    return format_time(moment)
