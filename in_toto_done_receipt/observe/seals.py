"""The acceptance contract: what has to stay as it was, written down before the work, looked at again afterwards."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from in_toto_done_receipt.errors import LimitExceeded, MalformedInput, ObservationError, ProducerError
from in_toto_done_receipt.observe.globs import compile_glob, expand
from in_toto_done_receipt.observe.look import hash_file, path_type
from in_toto_done_receipt.observe.workspace import PathType, Workspace
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.digests import ACCEPTED, digest_fault
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.paths import check_path, utf8_order
from in_toto_done_receipt.wire.record import Record, convert, to_tree, unknown_members
from in_toto_done_receipt.wire.strict_json import loads
from in_toto_done_receipt.wire.value import Value

SCHEMA: Final = "https://w3id.org/done-receipt/contract/v0.1"
MAX_SEALS: Final = 10_000  # sealed and absent together; verification.md, "Limits"
_CONTRACT_BYTES: Final = 64 << 20  # 10,000 paths of 4,096 bytes, with room for their digests
_BREACH_BYTES: Final = 1 << 20  # bytes that `contract.breach` may have
_A: Final[Mapping[PathType, str]] = {
    "file": "a file",
    "directory": "a directory",
    "symlink": "a symbolic link",
    "other": "a special file",
    "absent": "absent",
}

Change = Literal["modified", "created", "deleted", "not_a_file", "unreadable"]


class SealedFile(Record):
    """A file of the contract: digests by accepted algorithm, `sha256` among them."""

    name: str
    digest: dict[str, str]


class Contract(Record):
    """A contract file: sealed files and paths that have to stay absent, each sorted by UTF-8 bytes."""

    schema: str
    sealed: tuple[SealedFile, ...]
    absent: tuple[str, ...]

    def digests(self) -> dict[str, dict[str, str]]:
        """The sealed files as `look_again` takes them: digests by path."""
        return {file.name: file.digest for file in self.sealed}


class SealChange(Value, kw_only=True):
    """One path that is not as the contract has it; `detail` is in words, with both values where there are two."""

    path: str
    change: Change
    detail: str


def seal(ws: Workspace, patterns: Sequence[str], *, limit: int = MAX_SEALS) -> Contract:
    """The contract over what the patterns name now; a literal path that does not exist is sealed as absent.

    Raises ProducerError naming the pattern for one that matches nothing, a directory, a link, a special or unreadable
    file, or a name that no contract can hold; ConfigurationError for a pattern that is none.
    """
    sealed: dict[str, SealedFile] = {}
    absent: set[str] = set()
    for pattern in patterns:
        found = _expanded(ws, pattern)
        if not found:
            absent.add(_absent(pattern))
        for path in found:
            if path not in sealed:
                sealed[path] = _sealed(ws, path, pattern)
            if len(sealed) + len(absent) > limit:
                raise ProducerError(f"pattern {escape(pattern)}: limit seals is {limit}, got more")
    return Contract(
        schema=SCHEMA,
        sealed=tuple(sealed[name] for name in sorted(sealed, key=utf8_order)),
        absent=tuple(sorted(absent, key=utf8_order)),
    )


def _expanded(ws: Workspace, pattern: str) -> list[str]:
    try:
        return expand(ws, pattern)
    except ObservationError as fault:
        raise ProducerError(f"pattern {escape(pattern)}: {fault.message}", hint=fault.hint) from None


def _absent(pattern: str) -> str:
    glob = compile_glob(pattern)
    if not glob.literal:
        hint = "write [[] for [ if you mean the character itself" if "[" in pattern else None
        raise ProducerError(f"pattern {escape(pattern)} matches nothing", hint=hint)
    fault = check_path(glob.pattern)
    if fault:
        raise ProducerError(f"pattern {escape(pattern)}: {fault}")
    return glob.pattern


def _sealed(ws: Workspace, path: str, pattern: str) -> SealedFile:
    where = f"pattern {escape(pattern)}: {escape(path)}" if path != pattern else escape(path)
    fault = check_path(path)
    if fault:
        raise ProducerError(f"{where} cannot be sealed: {fault}")
    try:
        kind = path_type(ws, path)
        if kind != "file":
            hint = f"write {escape(path)}/** for everything below it" if kind == "directory" else None
            raise ProducerError(f"{where} is {_A[kind]}, and only files can be sealed", hint=hint)
        return SealedFile(name=path, digest=hash_file(ws, path).digests)
    except ObservationError as error:
        raise ProducerError(f"{where} cannot be sealed: {error.message}") from None


def write_contract(contract: Contract) -> bytes:
    """The bytes of a contract file: RFC 8785 and a newline."""
    return canonical(to_tree(contract)) + b"\n"


def read_contract(data: bytes, *, what: str = "contract", limit: int = MAX_SEALS) -> Contract:
    """The contract in a file, in any layout of strict JSON.

    Ensures known schema, no other members, paths of the `path` type, unique over both lists, each list in order of
    UTF-8 bytes, digests of accepted algorithms with sha256 among them. Raises MalformedInput naming the place,
    LimitExceeded (seals). Does not look at any file.
    """
    what = escape(what)
    tree = loads(data, what=what, max_bytes=_CONTRACT_BYTES)
    contract = convert(tree, Contract, what=what)
    unknown = unknown_members(tree, Contract)
    if unknown:
        raise MalformedInput(f"{what}: {escape(unknown[0])} is an unknown member")
    if contract.schema != SCHEMA:
        raise MalformedInput(f"{what}: /schema is {escape(contract.schema[:100])}, expected {SCHEMA}")
    count = len(contract.sealed) + len(contract.absent)
    if count > limit:
        raise LimitExceeded("seals", allowed=limit, value=count, where=what)
    _check_names([file.name for file in contract.sealed], f"{what}: /sealed", "/name")
    _check_names(contract.absent, f"{what}: /absent", "")
    both = {file.name for file in contract.sealed}.intersection(contract.absent)
    if both:
        raise MalformedInput(f"{what}: {escape(min(both))} is both sealed and absent")
    for index, file in enumerate(contract.sealed):
        _check_digest(file.digest, f"{what}: /sealed/{index}/digest")
    return contract


def _check_names(names: Sequence[str], place: str, member: str) -> None:
    previous = b""
    for index, name in enumerate(names):
        fault = check_path(name)
        if fault:
            raise MalformedInput(f"{place}/{index}{member}: {fault}")
        raw = name.encode()
        if raw <= previous:
            order = "there twice" if raw == previous else "not in order of UTF-8 bytes"
            raise MalformedInput(f"{place}/{index}{member}: {escape(name)} is {order}")
        previous = raw


def _check_digest(digest: Mapping[str, str], place: str) -> None:
    if "sha256" not in digest:
        raise MalformedInput(f"{place} has no sha256")
    for algorithm, value in digest.items():
        if algorithm not in ACCEPTED:
            raise MalformedInput(f"{place}: {escape(algorithm[:40])} is none of {', '.join(ACCEPTED)}")
        fault = digest_fault(algorithm, value)
        if fault:
            raise MalformedInput(f"{place}/{algorithm}: {fault}")


def look_again(ws: Workspace, sealed: Mapping[str, Mapping[str, str]], absent: Iterable[str]) -> tuple[SealChange, ...]:
    """What is not as sealed, in order of the paths' UTF-8 bytes; empty when everything held.

    `sealed` has digests by path, of which every accepted algorithm is compared. What cannot be looked at is listed as
    `unreadable`: neither held nor broken.
    """
    changes = [*(_changed(ws, name, digest) for name, digest in sealed.items()), *(_created(ws, p) for p in absent)]
    return tuple(sorted(filter(None, changes), key=lambda change: utf8_order(change.path)))


def _changed(ws: Workspace, path: str, digest: Mapping[str, str]) -> SealChange | None:
    algorithms = [name for name in ACCEPTED if name in digest]
    if not algorithms:
        return SealChange(path=path, change="unreadable", detail="no digest of an accepted algorithm is sealed")
    try:
        kind = path_type(ws, path)
        if kind == "absent":
            return SealChange(path=path, change="deleted", detail="sealed as a file, it is absent now")
        if kind != "file":
            return SealChange(path=path, change="not_a_file", detail=f"sealed as a file, it is {_A[kind]} now")
        seen = hash_file(ws, path, algorithms=algorithms).digests
    except ObservationError as fault:
        change: Change = "not_a_file" if fault.kind == "symlink" else "unreadable"
        return SealChange(path=path, change=change, detail=fault.message)
    for name in algorithms:
        if seen[name] != digest[name]:
            return SealChange(path=path, change="modified", detail=f"{name} is {seen[name]}, sealed {digest[name]}")
    return None


def _created(ws: Workspace, path: str) -> SealChange | None:
    try:
        kind = path_type(ws, path)
    except ObservationError as fault:
        # A link on the way: whoever follows it may find the path there, so it can no longer be called absent.
        change: Change = "created" if fault.kind == "symlink" else "unreadable"
        return SealChange(path=path, change=change, detail=fault.message)
    if kind == "absent":
        return None
    return SealChange(path=path, change="created", detail=f"sealed as absent, it is {_A[kind]} now")


def breach_text(changes: Sequence[SealChange]) -> str | None:
    """The text of `contract.breach` for these changes, None when there are none.

    What is no file any more counts as modified. Raises ProducerError for an unreadable one: nobody can say that it
    held. Text beyond the 1 MiB that a receipt may hold ends with how many more there are.
    """
    for change in changes:
        if change.change == "unreadable":
            raise ProducerError(f"sealed path cannot be looked at again: {change.detail}")
    items = [f"{c.path} was {'modified' if c.change == 'not_a_file' else c.change}" for c in changes]
    text = "; ".join(items)
    if len(text.encode()) > _BREACH_BYTES:
        text = _cut(items)
    return text or None


def _cut(items: list[str]) -> str:
    kept, size = 0, 0
    room = _BREACH_BYTES - len(f"; {len(items)} more")
    while size + len(items[kept].encode()) + len("; ") <= room:
        size += len(items[kept].encode()) + len("; ")
        kept += 1
    return "; ".join([*items[:kept], f"{len(items) - kept} more"])
