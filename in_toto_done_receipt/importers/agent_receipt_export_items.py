"""One evidence item of a done receipt as an item of an agent-receipt/v1, or what that cannot say of it."""

from typing import Any, Final

from in_toto_done_receipt.importers import agent_receipt_shape as shape
from in_toto_done_receipt.predicates.done_receipt import model
from in_toto_done_receipt.wire.escape import CONTROL_OR_FORMAT, escape

Json = dict[str, Any]

VERIFIER_SECONDS: Final = 20  # what the original gives a command when it looks again


def unsayable_text(text: str) -> str | None:
    """Why the old format cannot hold this text, or None."""
    if not text:
        return "an empty text"
    if len(text) > shape.MAX_STRING:
        return f"a text of {len(text)} characters, more than {shape.MAX_STRING}"
    found = CONTROL_OR_FORMAT.search(text)
    return None if found is None else f"a text with the control or format character {escape(found.group())}"


def seconds_of_each(receipt: model.DoneReceipt) -> int:
    """The time limit to write for each command, so that five fit into the old budget."""
    count = sum(item.kind == "command" for claim in receipt.claims for item in claim.evidence)
    return max(1, min(VERIFIER_SECONDS, shape.MAX_SECONDS_OF_COMMANDS // max(1, count)))


def item_of(item: model.Evidence, *, seconds: int) -> Json | str:
    """The old item; or, as text that begins with a pointer below the item, what it cannot say."""
    written: tuple[str, Json, Json] | str
    match item:
        case model.PathEvidence():
            written = _path(item)
        case model.FileEvidence():
            written = _file(item)
        case model.TextEvidence():
            written = _text(item)
        case model.CommandEvidence():
            written = _command(item, seconds)
        case _:
            written = f"/kind: evidence of kind {escape(item.kind)}"
    if isinstance(written, str):
        return written
    kind, detail, observed = written
    return {"kind": kind, "detail": detail, "ok": item.ok, "observed": observed}


def _path(item: model.PathEvidence) -> tuple[str, Json, Json] | str:
    if item.expect not in ("file", "present"):
        return f"/expect: that a path is {item.expect}"
    if fault := unsayable_text(item.path):
        return f"/path: {fault}"
    detail = {"path": item.path, "must_be_file": item.expect == "file"}
    said = item.observed
    if isinstance(said, model.ErrorForm):
        return "path_exists", detail, _error(said)
    if said.type == "symlink":
        return "/observed/type: a symbolic link"
    if said.type == "other" and item.expect == "present":
        return "/observed/type: that a special file is not ok"
    observed = {
        "exists": said.type != "absent",
        "is_file": said.type == "file",
        "is_dir": said.type == "directory",
    }
    return "path_exists", detail, observed


def _file(item: model.FileEvidence) -> tuple[str, Json, Json] | str:
    if fault := unsayable_text(item.path):
        return f"/path: {fault}"
    detail = {"path": item.path, "expect_sha256": item.expected_sha256}
    said = item.observed
    if isinstance(said, model.ErrorForm):
        return "file_hash", detail, _error(said)
    if said.bytes > shape.MAX_FILE_BYTES:
        return f"/observed/bytes: a file of {said.bytes} bytes, more than {shape.MAX_FILE_BYTES}"
    return "file_hash", detail, {"sha256": said.sha256, "bytes": said.bytes}


def _text(item: model.TextEvidence) -> tuple[str, Json, Json] | str:
    for name, value in (("path", item.path), ("literal", item.literal)):
        if fault := unsayable_text(value):
            return f"/{name}: {fault}"
    detail = {"path": item.path, "literal": item.literal}
    said = item.observed
    if isinstance(said, model.ErrorForm):
        return "text_contains", detail, _error(said)
    if said.bytes > shape.MAX_FILE_BYTES:
        return f"/observed/bytes: a file of {said.bytes} bytes, more than {shape.MAX_FILE_BYTES}"
    return "text_contains", detail, {"bytes": said.bytes, "matched": said.matched}


def _command(item: model.CommandEvidence, seconds: int) -> tuple[str, Json, Json] | str:
    if len(item.argv) > shape.MAX_COMMAND_ARGUMENTS:
        return f"/argv: {len(item.argv)} arguments, more than {shape.MAX_COMMAND_ARGUMENTS}"
    contains = None if item.expected is None else item.expected.stdout_contains
    for place, text in [(f"/argv/{index}", text) for index, text in enumerate(item.argv)] + [
        ("/expected/stdoutContains", contains or "none")
    ]:
        if fault := unsayable_text(text):
            return f"{place}: {fault}"
    detail = {
        "cmd": list(item.argv),
        "expect_exit": 0 if item.expected is None else item.expected.exit_code or 0,
        "stdout_contains": contains,
        "timeout": seconds,
    }
    said = item.observed
    if isinstance(said, model.ErrorForm):
        return "command", detail, _error(said)
    for name, stream in (("stdout", said.stdout), ("stderr", said.stderr)):
        if stream.bytes > shape.MAX_COMMAND_OUTPUT:
            return f"/observed/{name}/bytes: {stream.bytes} bytes of output, more than {shape.MAX_COMMAND_OUTPUT}"
    observed = {
        "exit_code": said.exit_code,
        "stdout_sha256": said.stdout.sha256,
        "stderr_sha256": said.stderr.sha256,
        "stdout_bytes": said.stdout.bytes,
        "stderr_bytes": said.stderr.bytes,
        "output_truncated": False,
        "stdout_contains_matched": True if contains is None else said.stdout_matched is True,
    }
    return "command", detail, observed


def _error(said: model.ErrorForm) -> Json:
    return {"error": said.error}
