"""The policy module as wasmtime can run it: precompiled when it is exactly ours, else compiled here.

Deserialising runs what the bytes say, and wasmtime checks only that its own major version and settings match: a
flipped byte is not noticed. So the bytes are read once, hashed, and only then handed over. The record lies beside the
file: it detects damage and mix-ups, not somebody who can write to the installation.
"""

import hashlib
import json
from pathlib import Path
from typing import Final

import wasmtime

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.errors import EngineUnavailable

MODULE: Final = "admission.wasm"
PRECOMPILED: Final = "admission.pulley"
RECORD: Final = "admission.pulley.json"


def new_engine(*, jit: bool) -> wasmtime.Engine:
    """An engine for Cranelift (`jit`) or for Pulley, the portable interpreter; hatch_build.py has the same settings."""
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.parallel_compilation = False  # its threads do not survive fork(): a child that compiles would hang
    config.signals_based_traps = False  # else faulthandler, enabled later than us, ends the process at a trap
    if not jit:
        config.target = "pulley64"
    return wasmtime.Engine(config)


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


def load(engine: wasmtime.Engine, folder: Path, *, jit: bool) -> tuple[wasmtime.Module, str]:
    """The module and, in words, where its code came from (`doctor` prints it)."""
    source = read_module(folder)
    reason = "compiled in memory"
    if not jit:
        code, reason = _precompiled(folder, source)
        if code is not None:
            return wasmtime.Module.deserialize(engine, code), reason
    return wasmtime.Module(engine, source), reason


def installed_wasmtime() -> str | None:
    """The version, read from the folder's name: the package has no __version__, and importlib.metadata takes 15 ms."""
    found = [path.name for path in Path(wasmtime.__file__).parent.parent.glob("wasmtime-*.dist-info")]
    return found[0].removeprefix("wasmtime-").removesuffix(".dist-info") if len(found) == 1 else None


def _precompiled(folder: Path, source: bytes) -> tuple[bytes | None, str]:
    try:
        record = json.loads((folder / RECORD).read_bytes())
        code = (folder / PRECOMPILED).read_bytes()
    except (OSError, ValueError):
        return None, "compiled in memory: no precompiled module"
    if not isinstance(record, dict) or record.get("wasmtime") is None:
        return None, "compiled in memory: the record of the precompiled module is not one"
    if installed_wasmtime() != record["wasmtime"]:
        return None, f"compiled in memory: precompiled by wasmtime {record['wasmtime']}"
    if record.get("module_sha256") != hashlib.sha256(source).hexdigest():
        return None, "compiled in memory: precompiled from another policy"
    if record.get("sha256") != hashlib.sha256(code).hexdigest():
        return None, "compiled in memory: the precompiled module was changed"
    return code, "precompiled"
