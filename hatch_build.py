"""Ship policy/ inside the wheel and precompile the policy module for Pulley, wasmtime's portable interpreter.

Runs when a wheel or an editable install is built, never when a wheel is installed. The compiler is the wasmtime that
[build-system] pins; at run time another one, or other bytes, mean compiling admission.wasm in memory.
"""

import hashlib
import json
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface[Any]):
    """Fills the build's list of files; named in pyproject.toml."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        policy = Path(self.root, "policy")
        for needed in ("admission.wasm", "catalogue.json"):
            if not (policy / needed).is_file():
                raise SystemExit(f"error: policy/{needed} is missing\nhint: it is kept in git; `make policy` makes it")
        precompile(policy / "admission.wasm", policy / "admission.pulley", policy / "admission.pulley.json")
        if version == "standard":  # an editable install reads policy/ in the checkout; a copy would go stale
            # not in pyproject.toml: there it would apply to editable installs too
            build_data["force_include"][str(policy)] = "in_toto_done_receipt/policy"


def precompile(wasm: Path, artefact: Path, record: Path) -> None:
    """Write the Pulley form of `wasm` to `artefact`, and to `record` what made it, from what, and its digest."""
    import wasmtime

    config = wasmtime.Config()
    config.target = "pulley64"
    config.epoch_interruption = True  # these must be the settings of the run time, or it compiles in memory
    config.signals_based_traps = False
    source = wasm.read_bytes()
    code = bytes(wasmtime.Module(wasmtime.Engine(config), source).serialize())
    artefact.write_bytes(code)
    facts = {
        "wasmtime": installed("wasmtime"),
        "module_sha256": hashlib.sha256(source).hexdigest(),
        "sha256": hashlib.sha256(code).hexdigest(),
    }
    record.write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n", encoding="utf-8")
