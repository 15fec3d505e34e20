"""agent-receipt/v1 by hand: what the case directories and the differential test are made of."""

import base64
import copy
import hashlib
import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

Json = dict[str, Any]

CREATED = "2026-11-30T12:00:00.123456+00:00"
REPORT = "# Report\nSTATUS: PASS\n"
WORK: dict[str, bytes] = {"report.md": REPORT.encode(), "src/a.py": b"print('hello')\n"}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def hashed(path: str, data: bytes, *, expect: str | None = None) -> Json:
    return {
        "kind": "file_hash",
        "detail": {"path": path, "expect_sha256": expect},
        "ok": expect in (None, sha256(data)),
        "observed": {"sha256": sha256(data), "bytes": len(data)},
    }


def exists(path: str, *, must_be_file: bool = True, is_file: bool = True) -> Json:
    return {
        "kind": "path_exists",
        "detail": {"path": path, "must_be_file": must_be_file},
        "ok": is_file or not must_be_file,
        "observed": {"exists": True, "is_file": is_file, "is_dir": not is_file},
    }


def text(path: str, literal: str, data: bytes) -> Json:
    matched = literal in data.decode(errors="replace")
    return {
        "kind": "text_contains",
        "detail": {"path": path, "literal": literal},
        "ok": matched,
        "observed": {"bytes": len(data), "matched": matched},
    }


def command(argv: list[str], *, expect: int = 0, code: int = 0, timeout: int = 20) -> Json:
    empty = sha256(b"")
    return {
        "kind": "command",
        "detail": {"cmd": argv, "expect_exit": expect, "stdout_contains": None, "timeout": timeout},
        "ok": code == expect,
        "observed": {
            "exit_code": code,
            "stdout_sha256": empty,
            "stderr_sha256": empty,
            "stdout_bytes": 0,
            "stderr_bytes": 0,
            "output_truncated": False,
            "stdout_contains_matched": True,
        },
    }


def failed(item: Json, error: str = "FileNotFoundError") -> Json:
    """The same item, which its author could not look at."""
    return {**item, "ok": False, "observed": {"error": error}}


def receipt(*evidence: Json, **members: Any) -> Json:
    """A receipt of one claim, sealed; `overall_ok` is what the items come to unless it is given."""
    tree: Json = {
        "schema": "agent-receipt/v1",
        "created_at": CREATED,
        "agent": "worker",
        "task": "write report",
        "claims": [{"id": "report", "statement": "report exists", "evidence": list(evidence)}],
        "overall_ok": all(item["ok"] for item in evidence),
        "content_digest": "",
        "context": None,
        "signatures": [],
    }
    return seal(tree | members)


def seal(tree: Json) -> Json:
    """The receipt with the digest of its content."""
    return {**tree, "content_digest": content_digest(tree)}


def content_digest(tree: Json) -> str:
    body = {name: value for name, value in tree.items() if name not in ("content_digest", "signatures")}
    return sha256(json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode())


def key(name: str) -> Ed25519PrivateKey:
    """A key from a fixed seed: no private key lies in the repository."""
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(f"test key {name}".encode()).digest())


def public_pem(name: str) -> bytes:
    return key(name).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def sign(tree: Json, name: str, *, label: str | None = None) -> Json:
    signature = key(name).sign(b"agent-receipt/v1\x00" + bytes.fromhex(tree["content_digest"]))
    entry = {"algorithm": "ed25519", "key_id": label or name, "signature": base64.b64encode(signature).decode()}
    return {**copy.deepcopy(tree), "signatures": [*tree["signatures"], entry]}


def written(tree: Json) -> bytes:
    """As the original stores it."""
    return (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode()
