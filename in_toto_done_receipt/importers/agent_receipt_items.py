"""One evidence item of an agent-receipt/v1: from its shape to an item of a done receipt."""

from pathlib import PurePosixPath
from typing import Any, Final, TypeVar

from in_toto_done_receipt.errors import MalformedStatement
from in_toto_done_receipt.importers import agent_receipt_shape as shape
from in_toto_done_receipt.predicates.done_receipt import model
from in_toto_done_receipt.predicates.done_receipt.types import PathType
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.value import Value

S = TypeVar("S", bound=shape.Closed)


class Item(Value, kw_only=True):
    """One item in the new form, with what the whole receipt is judged by.

    `path` is the path itself, `spelled` how the receipt spells it; `sha256` is the observed digest of a hashed file;
    `argv` and `seconds` are a command's.
    """

    claim: int
    place: str
    evidence: model.Evidence
    path: str | None = None
    spelled: str | None = None
    sha256: str | None = None
    argv: tuple[str, ...] | None = None
    seconds: int = 0


def read_item(evidence: shape.Evidence, *, place: str, claim: int, what: str) -> Item:
    """The item. Raises MalformedStatement for members, values or an `ok` that the original refuses."""
    reader = _Reader(evidence, place, claim, what)
    return _KINDS[evidence.kind](reader)


class _Reader:
    """The parts of one item, each read as its kind demands."""

    def __init__(self, evidence: shape.Evidence, place: str, claim: int, what: str) -> None:
        self.kind, self.ok, self.place, self.claim, self.what = evidence.kind, evidence.ok, place, claim, what
        self._detail, self._observed = evidence.detail, evidence.observed

    def detail(self, type_: type[S]) -> S:
        return self._read(self._detail, type_, "/detail")

    def observed(self, type_: type[S]) -> S | model.ErrorForm:
        """The success form, or what failed; then `ok` has to be false."""
        if self._observed.keys() != {"error"}:
            return self._read(self._observed, type_, "/observed")
        failure = self._read(self._observed, shape.Failure, "/observed")
        self.demand_ok(False, reason="statement.error_form")
        return model.ErrorForm(error=failure.error)

    def demand_ok(self, follows: bool, *, reason: str = "statement.evidence_ok") -> None:
        """Raises unless `ok` is what follows from detail and observed."""
        if self.ok != follows:
            words = {True: "true", False: "false"}
            fact = f"ok is {words[self.ok]}, yet by what was observed it is {words[follows]}"
            raise self.fault("/ok", fact, reason=reason)

    def fault(self, member: str, fact: str, *, reason: str = "statement.format") -> MalformedStatement:
        pointer = self.place + member
        return MalformedStatement(f"{self.what}: {pointer}: {fact}", pointer=pointer, reason=reason)

    def path(self, spelled: str) -> str:
        """The path without the spellings that a POSIX path may have; it names something below the root."""
        path = PurePosixPath(spelled)
        if "\\" in spelled or path.is_absolute() or not path.parts or ".." in path.parts:
            fact = f"expected a relative path below the root, without `..` or backslash, got {quote(spelled)}"
            raise self.fault("/detail/path", fact)
        return str(path)

    def _read(self, tree: dict[str, Any], type_: type[S], member: str) -> S:
        return shape.read_part(tree, type_, what=self.what, place=self.place + member)


def _hash(reader: _Reader) -> Item:
    detail = reader.detail(shape.HashDetail)
    path, said = reader.path(detail.path), reader.observed(shape.HashObserved)
    observed: model.FileObserved | model.ErrorForm
    sha256 = None
    if isinstance(said, model.ErrorForm):
        observed = said
    else:
        sha256 = said.sha256
        reader.demand_ok(detail.expect_sha256 in (None, sha256))
        observed = model.FileObserved(sha256=sha256, bytes=said.bytes)
    evidence = model.FileEvidence(path=path, expected_sha256=detail.expect_sha256, ok=reader.ok, observed=observed)
    return _item(reader, evidence, path=path, spelled=detail.path, sha256=sha256)


def _exists(reader: _Reader) -> Item:
    detail = reader.detail(shape.ExistsDetail)
    path, said = reader.path(detail.path), reader.observed(shape.ExistsObserved)
    observed: model.PathObserved | model.ErrorForm
    if isinstance(said, model.ErrorForm):
        observed = said
    else:
        if (said.is_file and said.is_dir) or (not said.exists and (said.is_file or said.is_dir)):
            raise reader.fault("/observed", "exists, is_file and is_dir contradict each other")
        reader.demand_ok(said.exists and (said.is_file or not detail.must_be_file))
        observed = model.PathObserved(type=_type(said))
    expect: Any = "file" if detail.must_be_file else "present"
    evidence = model.PathEvidence(path=path, expect=expect, ok=reader.ok, observed=observed)
    return _item(reader, evidence, path=path, spelled=detail.path)


def _type(said: shape.ExistsObserved) -> PathType:
    if said.is_file:
        return "file"
    if said.is_dir:
        return "directory"
    return "other" if said.exists else "absent"


def _text(reader: _Reader) -> Item:
    detail = reader.detail(shape.TextDetail)
    path, said = reader.path(detail.path), reader.observed(shape.TextObserved)
    observed: model.TextObserved | model.ErrorForm
    if isinstance(said, model.ErrorForm):
        observed = said
    else:
        reader.demand_ok(said.matched)
        observed = model.TextObserved(matched=said.matched, bytes=said.bytes)
    evidence = model.TextEvidence(path=path, literal=detail.literal, ok=reader.ok, observed=observed)
    return _item(reader, evidence, path=path, spelled=detail.path)


def _command(reader: _Reader) -> Item:
    detail, said = reader.detail(shape.CommandDetail), reader.observed(shape.CommandObserved)
    observed = said if isinstance(said, model.ErrorForm) else _ended(reader, detail, said)
    evidence = model.CommandEvidence(argv=detail.cmd, expected=_expected(detail), ok=reader.ok, observed=observed)
    return _item(reader, evidence, argv=detail.cmd, seconds=detail.timeout)


def _expected(detail: shape.CommandDetail) -> model.CommandExpected | None:
    """What the worker took for success; recorded, and no verifier's measure."""
    if detail.expect_exit == 0 and detail.stdout_contains is None:
        return None
    code = detail.expect_exit or None
    return model.CommandExpected(exit_code=code, stdout_contains=detail.stdout_contains)


def _ended(reader: _Reader, detail: shape.CommandDetail, said: shape.CommandObserved) -> model.CommandObserved:
    if said.output_truncated:
        raise reader.fault("/observed/output_truncated", "expected false, got true")
    if detail.stdout_contains is None and not said.stdout_contains_matched:
        raise reader.fault("/observed/stdout_contains_matched", "expected true, as no text was looked for, got false")
    reader.demand_ok(said.exit_code == detail.expect_exit and said.stdout_contains_matched)
    return model.CommandObserved(
        exit_code=said.exit_code,
        stdout=model.Blob(sha256=said.stdout_sha256, bytes=said.stdout_bytes),
        stderr=model.Blob(sha256=said.stderr_sha256, bytes=said.stderr_bytes),
        stdout_matched=None if detail.stdout_contains is None else said.stdout_contains_matched,
    )


def _item(
    reader: _Reader,
    evidence: model.Evidence,
    *,
    path: str | None = None,
    spelled: str | None = None,
    sha256: str | None = None,
    argv: tuple[str, ...] | None = None,
    seconds: int = 0,
) -> Item:
    return Item(
        claim=reader.claim,
        place=reader.place,
        evidence=evidence,
        path=path,
        spelled=spelled,
        sha256=sha256,
        argv=argv,
        seconds=seconds,
    )


_KINDS: Final = {"file_hash": _hash, "path_exists": _exists, "text_contains": _text, "command": _command}
