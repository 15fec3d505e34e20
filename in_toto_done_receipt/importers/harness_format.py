"""harness.receipt.v1 as bytes: its members and their ranges, the order of its contract, its digest, its file form."""

import json
from collections.abc import Mapping
from typing import Any, Final

from in_toto_done_receipt.wire.components import Components, components
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.pointer import join, kind_of, quote
from in_toto_done_receipt.wire.serde_json import dump
from in_toto_done_receipt.wire.value import Value

SCHEMA: Final = "harness.receipt.v1"
MEDIA_TYPE: Final = "application/vnd.harness.receipt.v1+json"
# The two reasons that the original writes for a run that did not complete.
BUDGET_REASON: Final = "the run hit its budget before finishing"
FAILED_REASON: Final = "the run did not complete"

MEMBERS: Final = (  # in the order in which the original declares, writes and hashes them
    "schema",
    "task",
    "model",
    "finished_ms",
    "iters",
    "tools_called",
    "input_tokens",
    "output_tokens",
    "passed",
    "checked",
    "reason",
    "contract",
    "seal_breach",
    "audit_request",
    "digest",
)
U32: Final = range(2**32)
I64: Final = range(-(2**63), 2**63)
_RANGES: Final = {
    "finished_ms": I64,
    "iters": U32,
    "tools_called": U32,
    "input_tokens": U32,
    "output_tokens": U32,
}
_OPTIONAL: Final = frozenset({"seal_breach", "audit_request"})  # null for none
_BOOLEANS: Final = frozenset({"passed", "checked"})


class HarnessReceipt(Value, kw_only=True):
    """The receipt's members.

    `entries` are the contract's: path to sha256 (the format takes any text), None for what was absent, a directory or
    could not be read.
    """

    task: str
    model: str
    finished_ms: int
    iters: int
    tools_called: int
    input_tokens: int
    output_tokens: int
    passed: bool
    checked: bool
    reason: str
    entries: dict[str, str | None]
    seal_breach: str | None
    audit_request: str | None
    digest: str = ""


class Fault(Value, kw_only=True):
    """One way in which a document is no receipt: the JSON pointer, what is wrong there, and a reason code."""

    pointer: str
    fact: str
    reason: str


def first_fault(tree: Any) -> Fault | None:
    """What keeps the document from being a receipt: exact members, exact types and ranges, a contract without twins."""
    if not isinstance(tree, dict):
        return Fault(pointer="", fact=f"expected an object, got {kind_of(tree)}", reason="statement.type")
    if tree.get("schema") != SCHEMA:
        got = quote(tree["schema"]) if isinstance(tree.get("schema"), str) else "none"
        return Fault(pointer="/schema", fact=f"expected {SCHEMA}, got {got}", reason="statement.predicate_type")
    fault = _closed(tree, MEMBERS, "")
    for name in MEMBERS:
        fault = fault or value_fault(name, tree[name])
    return fault or _contract_fault(tree["contract"])


def value_fault(name: str, value: Any) -> Fault | None:
    """What is wrong with the value of one member; the contract's entries are looked at elsewhere."""
    where = join("", name)
    if name in _RANGES:
        allowed = _RANGES[name]
        if type(value) is not int:
            return Fault(pointer=where, fact=f"expected an integer, got {_shown(value)}", reason="statement.type")
        if value not in allowed:
            fact = f"expected {allowed[0]} to {allowed[-1]}, got {value}"
            return Fault(pointer=where, fact=fact, reason="statement.range")
        return None
    wanted = bool if name in _BOOLEANS else dict if name == "contract" else str
    if isinstance(value, wanted) or (name in _OPTIONAL and value is None):
        return None
    word = {bool: "a boolean", dict: "an object", str: "a string"}[wanted]
    return Fault(pointer=where, fact=f"expected {word}, got {kind_of(value)}", reason="statement.type")


def _contract_fault(contract: dict[str, Any]) -> Fault | None:
    fault = _closed(contract, ("entries",), "/contract")
    if fault is not None:
        return fault
    entries = contract["entries"]
    if not isinstance(entries, dict):
        fact = f"expected an object, got {kind_of(entries)}"
        return Fault(pointer="/contract/entries", fact=fact, reason="statement.type")
    seen: dict[Components, str] = {}
    for path, digest in entries.items():
        where = join("/contract/entries", path)
        if digest is not None and not isinstance(digest, str):
            fact = f"expected a string or null, got {kind_of(digest)}"
            return Fault(pointer=where, fact=fact, reason="statement.type")
        twin = seen.setdefault(components(path), path)
        if twin != path:
            fact = f"{quote(twin)} and {quote(path)} are one path, part by part"
            return Fault(pointer=where, fact=fact, reason="statement.duplicate")
    return None


def _closed(tree: Mapping[str, Any], members: tuple[str, ...], place: str) -> Fault | None:
    for name in members:
        if name not in tree:
            return Fault(pointer=join(place, name), fact="is missing", reason="statement.required")
    for name in tree:
        if name not in members:
            fact = "is no member of this format, and no digest covers it"
            return Fault(pointer=join(place, name), fact=fact, reason="statement.closed")
    return None


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, float) else kind_of(value)


def receipt_of(tree: dict[str, Any]) -> HarnessReceipt:
    """The receipt of a document that has no fault."""
    others = {name: value for name, value in tree.items() if name not in ("schema", "contract")}
    return HarnessReceipt(**others, entries=tree["contract"]["entries"])


def tree_of(receipt: HarnessReceipt, *, digest: str) -> dict[str, Any]:
    """The document: members in declared order, the contract in the order of its paths' parts."""
    return _ordered({name: _member(receipt, name, digest) for name in MEMBERS})


def _member(receipt: HarnessReceipt, name: str, digest: str) -> Any:
    if name == "schema":
        return SCHEMA
    if name == "contract":
        return {"entries": receipt.entries}
    return digest if name == "digest" else getattr(receipt, name)


def _ordered(tree: dict[str, Any]) -> dict[str, Any]:
    """The members in declared order; of paths that are one part by part the first name with the last value."""
    entries: dict[Components, tuple[str, Any]] = {}
    for path, digest in tree["contract"]["entries"].items():
        key = components(path)
        entries[key] = (entries[key][0] if key in entries else path, digest)
    ordered = {name: tree.get(name) for name in MEMBERS}
    ordered["contract"] = {"entries": dict(entry for _, entry in sorted(entries.items()))}
    return ordered


def preimage(receipt: HarnessReceipt) -> bytes:
    """The bytes that the digest is over: the compact document with an empty digest."""
    return dump(tree_of(receipt, digest="")).encode()


def content_digest(receipt: HarnessReceipt) -> str:
    """The digest that the receipt should have."""
    return sha256_hex(preimage(receipt))


def file_bytes(receipt: HarnessReceipt) -> bytes:
    """The file as the original writes it: two spaces of indent, a line end at the end, its digest recomputed.

    Raises MalformedInput for a lone surrogate, which no file can hold.
    """
    tree = tree_of(receipt, digest=content_digest(receipt))
    return (json.dumps(tree, indent=2, ensure_ascii=False) + "\n").encode()


def intact_for_the_original(tree: Any) -> bool:
    """Whether the original, which is less strict, reads the document and finds it intact.

    It takes any schema and other members, a missing option for null, any text for a file's digest, and the last of
    several paths that are one part by part.
    """
    if not isinstance(tree, dict) or not isinstance(tree.get("contract"), dict):
        return False
    entries = tree["contract"].get("entries")
    if not isinstance(entries, dict) or not all(value is None or isinstance(value, str) for value in entries.values()):
        return False
    for name in MEMBERS:
        missing = name not in tree and name not in _OPTIONAL
        if missing or value_fault(name, tree.get(name)) is not None:
            return False
    return bool(tree["digest"] == sha256_hex(dump({**_ordered(tree), "digest": ""}).encode()))
