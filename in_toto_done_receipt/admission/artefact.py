"""The policy module as wasmtime can run it: precompiled when it is exactly ours, else compiled here.

Deserialising runs what the bytes say, and wasmtime checks only that its own major version and settings match: a
flipped byte is not noticed. So the bytes are read once, hashed, and only then handed over. The record lies beside the
file: it detects damage and mix-ups, not somebody who can write to the installation.
"""

import hashlib
import json
from pathlib import Path
from typing import Final

from in_toto_done_receipt.admission import wasm
from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.errors import EngineUnavailable

MODULE: Final = "admission.wasm"
PRECOMPILED: Final = "admission.pulley"
RECORD: Final = "admission.pulley.json"


def read_module(folder: Path) -> bytes:
    """The compiled policy, if it is the one that the catalogue beside it names. Raises EngineUnavailable."""
    try:
        source = (folder / MODULE).read_bytes()
    except OSError as error:
        raise EngineUnavailable(f"{folder / MODULE}: {error.strerror}") from None
    found, named = hashlib.sha256(source).hexdigest(), load_catalogue(folder).module_sha256
    if found != named:
        raise EngineUnavailable(
            f"{folder / MODULE}: digest is {found}, the catalogue says {named}",
            hint="install the package again; in a checkout, `make policy`",
        )
    return source


def load(engine: wasm.Engine, folder: Path, *, jit: bool) -> tuple[wasm.Module, str]:
    """The module and, in words, where its code came from (`doctor` prints it)."""
    source, reason = read_module(folder), "compiled in memory"
    if not jit:
        code, reason = _precompiled(folder)
        if code is not None:
            return wasm.Module(engine, code, precompiled=True), reason
    return wasm.Module(engine, source), reason


def _precompiled(folder: Path) -> tuple[bytes | None, str]:
    try:
        record = json.loads((folder / RECORD).read_bytes())
        code = (folder / PRECOMPILED).read_bytes()
    except (OSError, ValueError):
        return None, "compiled in memory: no precompiled module"
    if not isinstance(record, dict) or record.get("wasmtime") is None:
        return None, "compiled in memory: the record of the precompiled module is not one"
    if wasm.installed_version() != record["wasmtime"]:
        return None, f"compiled in memory: precompiled by wasmtime {record['wasmtime']}"
    if record.get("module_sha256") != load_catalogue(folder).module_sha256:
        return None, "compiled in memory: precompiled from another policy"
    if record.get("sha256") != hashlib.sha256(code).hexdigest():
        return None, "compiled in memory: the precompiled module was changed"
    return code, "precompiled"
