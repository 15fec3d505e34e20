"""The rules of the harness's own reader and writer, in Python: what it takes, what it hashes, what it says of a chain.

Independent of the package: shared code would make its tests agree with its faults. Checked against the vectors of the
original in the corpus where it is at hand.
"""

import hashlib
import json
import re
from typing import Any, Final

ORDER: Final = [
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
]
INTEGERS: Final = {
    "finished_ms": (-(2**63), 2**63 - 1),
    "iters": (0, 2**32 - 1),
    "tools_called": (0, 2**32 - 1),
    "input_tokens": (0, 2**32 - 1),
    "output_tokens": (0, 2**32 - 1),
}
ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def text(value: str) -> str:
    return '"' + re.sub(r'["\\\x00-\x1f]', lambda m: ESCAPES.get(m[0]) or f"\\u{ord(m[0]):04x}", value) + '"'


def scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else text(value) if isinstance(value, str) else str(value)


def parts(path: str) -> list[tuple[int, bytes]]:
    found = [(1, b"")] if path.startswith("/") else []
    for index, part in enumerate(path.split("/")):
        if part == ".." or part not in ("", "."):
            found.append((3, b"") if part == ".." else (4, part.encode()))
        elif part == "." and index == 0:
            found.append((2, b""))
    return found


def entries(receipt: dict[str, Any]) -> list[tuple[str, Any]]:
    kept: dict[tuple[tuple[int, bytes], ...], tuple[str, Any]] = {}
    for path, digest in receipt["contract"]["entries"].items():
        key = tuple(parts(path))
        kept[key] = (kept[key][0] if key in kept else path, digest)
    return [kept[key] for key in sorted(kept)]


def compact(receipt: dict[str, Any], digest: str) -> str:
    rows = []
    for name in ORDER:
        value = digest if name == "digest" else receipt.get(name)
        if name == "contract":
            inner = ",".join(f"{text(path)}:{scalar(found)}" for path, found in entries(receipt))
            rows.append(f'"contract":{{"entries":{{{inner}}}}}')
        else:
            rows.append(f"{text(name)}:{scalar(value)}")
    return "{" + ",".join(rows) + "}"


def preimage(receipt: dict[str, Any]) -> bytes:
    return compact(receipt, "").encode()


def digest_of(receipt: dict[str, Any]) -> str:
    return hashlib.sha256(preimage(receipt)).hexdigest()


def intact(receipt: dict[str, Any]) -> bool:
    return bool(receipt["digest"] == digest_of(receipt))


def pretty(receipt: dict[str, Any]) -> bytes:
    ordered = {name: receipt.get(name) for name in ORDER}
    ordered["contract"] = {"entries": dict(entries(receipt))}
    return (json.dumps(ordered, indent=2, ensure_ascii=False) + "\n").encode()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("duplicate field")
    return dict(pairs)


def read_json(data: bytes) -> dict[str, Any]:
    """What the original's `read_json` gives, with missing options as None. Raises ValueError where it fails."""
    receipt = json.loads(data.decode("utf-8"), object_pairs_hook=_once)
    if not isinstance(receipt, dict):
        raise ValueError("no object")  # noqa: TRY004 - what the callers take for "does not read it"
    for name in ORDER:
        value = receipt.get(name)
        if name in ("seal_breach", "audit_request") and value is None:
            receipt[name] = None
        elif name in INTEGERS:
            low, high = INTEGERS[name]
            if type(value) is not int or not low <= value <= high:
                raise ValueError(name)
        elif name == "contract":
            if not isinstance(value, dict) or not isinstance(value.get("entries"), dict):
                raise ValueError(name)
        elif not isinstance(value, bool if name in ("passed", "checked") else str):
            raise ValueError(name)
    return receipt


def summary(receipt: dict[str, Any]) -> str:
    if receipt["seal_breach"] is not None:
        return f"REFUSED — the acceptance contract moved during the run ({receipt['seal_breach']})"
    if not receipt["checked"]:
        calls = receipt["tools_called"]
        return f"UNCHECKED — the model stopped after {calls} tool call(s); nothing verified it"
    if not receipt["passed"]:
        return f"FAILED — {receipt['reason']}"
    count = len(entries(receipt))
    sealed = f" against {count} sealed file(s), which did not move" if count else ", nothing sealed"
    return f"PASSED — checked{sealed}, {receipt['iters']} iteration(s)"


def receipt(**changes: Any) -> dict[str, Any]:
    """A receipt as the original writes it, with these members, and its digest."""
    made: dict[str, Any] = {
        "schema": "harness.receipt.v1",
        "task": "ship it",
        "model": "model-1",
        "finished_ms": 1_730_000_000_000,
        "iters": 3,
        "tools_called": 5,
        "input_tokens": 100,
        "output_tokens": 20,
        "passed": True,
        "checked": True,
        "reason": "",
        "contract": {"entries": {}},
        "seal_breach": None,
        "audit_request": None,
        **changes,
    }
    made["digest"] = digest_of(made)
    return made


def chain(records: list[dict[str, Any]]) -> list[bytes]:
    """The lines of an audit chain over these records, each with its line end."""
    lines, previous = [], b"genesis"
    for number, record in enumerate(records):
        raw = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()
        digest = hashlib.sha256(previous + raw).hexdigest().encode()
        lines.append(b'{"seq":%d,"prev":"%b","hash":"%b","record":%b}\n' % (number, previous, digest, raw))
        previous = digest
    return lines


def record(kind: str, request: str | None = "req-7", **detail: Any) -> dict[str, Any]:
    named = {} if request is None else {"request": request}
    return {"ts": "2026-08-17T09:00:00Z", **named, "kind": kind, "detail": detail}


def run_records(request: str | None = "req-7", *, passed: bool = True, breach: bool = False) -> list[dict[str, Any]]:
    """The records of a run that agrees with `receipt()`."""
    answers = [(60, 15, "on it"), (40, 5, "done")]
    found = [record("request", request, question="ship it")]
    for tokens_in, tokens_out, answer in answers:
        found.append(
            record("response", request, answer=answer, input_tokens=tokens_in, output_tokens=tokens_out, tool_calls=1)
        )
    found += [record("tool_use", request, args={"n": number}, ok=True, tool="write") for number in range(5)]
    found.append(record("acceptance", request, check="files-exist", passed=passed, reason="" if passed else "no"))
    found += [record("seal_breach", request, detail="a was modified")] if breach else []
    return [*found, record("session_end", request)]
