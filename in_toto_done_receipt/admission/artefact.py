"""The policy module as wasmtime can run it: precompiled when it is exactly ours, else compiled here.

Deserialising runs what the bytes say, and wasmtime checks only that its own major version and settings match: a
flipped byte is not noticed. So the bytes are read once, hashed, and only then handed over. The record lies beside the
file: it detects damage and mix-ups, not somebody who can write to the installation.
"""

import hashlib
import json
from pathlib import Path
from typing import Final, NamedTuple

from in_toto_done_receipt.admission import wasm
from in_toto_done_receipt.errors import EngineUnavailable

MODULE: Final = "admission.wasm"
PRECOMPILED: Final = "admission.pulley"
RECORD: Final = "admission.pulley.json"
CATALOGUE: Final = "catalogue.json"


class Made(NamedTuple):
    """What the catalogue says of the module: who compiled it, from which sources, and its digest."""

    opa: str
    policy_digest: str
    module_sha256: str


def made(folder: Path) -> Made:
    """Read from the catalogue beside the module, without the library that reads all of it: that takes 20 ms to load.

    Raises EngineUnavailable when it is missing or not one.
    """
    path = folder / CATALOGUE
    try:
        tree = json.loads(path.read_bytes())
        found = Made(*(tree[name] for name in Made._fields))
    except OSError as error:
        raise EngineUnavailable(f"{path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise EngineUnavailable(f"{path}: is not a catalogue") from None
    if not all(isinstance(value, str) for value in found):
        raise EngineUnavailable(f"{path}: is not a catalogue")
    return found


def read_module(folder: Path, named: str) -> bytes:
    """The compiled policy, if its digest is the one that the catalogue names. Raises EngineUnavailable."""
    try:
        source = (folder / MODULE).read_bytes()
    except OSError as error:
        raise EngineUnavailable(f"{folder / MODULE}: {error.strerror}") from None
    found = hashlib.sha256(source).hexdigest()
    if found != named:
        raise EngineUnavailable(
            f"{folder / MODULE}: digest is {found}, the catalogue says {named}",
            hint="install the package again; in a checkout, `make policy`",
        )
    return source


def load(engine: wasm.Engine, folder: Path, named: str, *, jit: bool) -> tuple[wasm.Module, str]:
    """The module and, in words, where its code came from (`doctor` prints it)."""
    source, reason = read_module(folder, named), "compiled in memory"
    if not jit:
        code, reason = _precompiled(folder, named)
        if code is not None:
            return wasm.Module(engine, code, precompiled=True), reason
    return wasm.Module(engine, source), reason


def _precompiled(folder: Path, named: str) -> tuple[bytes | None, str]:
    try:
        record = json.loads((folder / RECORD).read_bytes())
        code = (folder / PRECOMPILED).read_bytes()
    except (OSError, ValueError):
        return None, "compiled in memory: no precompiled module"
    if not isinstance(record, dict) or record.get("wasmtime") is None:
        return None, "compiled in memory: the record of the precompiled module is not one"
    if wasm.installed_version() != record["wasmtime"]:
        return None, f"compiled in memory: precompiled by wasmtime {record['wasmtime']}"
    if record.get("module_sha256") != named:
        return None, "compiled in memory: precompiled from another policy"
    if record.get("sha256") != hashlib.sha256(code).hexdigest():
        return None, "compiled in memory: the precompiled module was changed"
    return code, "precompiled"
