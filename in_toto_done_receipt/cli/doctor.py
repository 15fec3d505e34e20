"""`doctor`: what this machine offers to a verification, each thing tried rather than looked up."""

import platform
import sys
from typing import Any, Final

import click

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.opa import find_opa, opa_version
from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.cli.options import format_option, say_facts
from in_toto_done_receipt.errors import DoneReceiptError
from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.observe.sandbox.remedies import remedy
from in_toto_done_receipt.version import VERSION

_LIBRARIES: Final = ("click", "cryptography", "msgspec", "rfc8785", "securesystemslib", "sigstore", "wasmtime")


@click.command()
@format_option
def command(output_format: str, as_json: bool) -> None:
    """Say what this machine offers: sandbox layers after their self-test, policy engines, libraries.

    What a layer is, and what it stops, is in docs/reference/sandbox.md; an absent one comes with how to get it.

    \b
    Example:
      done-receipt doctor
    """
    facts = {
        "version": VERSION,
        "python": f"{platform.python_version()} at {sys.executable}",
        "sandbox": _sandbox(),
        "engines": _engines(),
        "libraries": _libraries(),
    }
    say_facts(facts, _lines(facts), as_json=as_json or output_format == "json")


def _sandbox() -> dict[str, Any]:
    facts = probe()
    layers = []
    for layer in facts.layers:
        hint = remedy(layer, facts.level)
        known = {"name": layer.name, "active": layer.active, "detail": layer.detail}
        layers.append(known if hint is None else {**known, "hint": hint})
    return {"level": facts.level, "layers": layers}


def _engines() -> dict[str, Any]:
    from in_toto_done_receipt.admission.embedded import EmbeddedEngine  # loads wasmtime: not for --help

    found: dict[str, Any] = {}
    try:
        engine = EmbeddedEngine()
        catalogue = load_catalogue()
        found["embedded"] = {
            "version": engine.version,
            "module": engine.origin,
            "policy": engine.policy_digest,
            "rules": len(catalogue.rules),
            "folder": str(policy_folder()),
        }
    except DoneReceiptError as error:
        found["embedded"] = {"error": error.message}
    try:
        opa = find_opa()
        found["opa"] = {"version": opa_version(opa), "path": str(opa)}
    except DoneReceiptError as error:
        found["opa"] = {"error": error.message}
    return found


def _libraries() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found: dict[str, str] = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _lines(facts: dict[str, Any]) -> list[str]:
    lines = [f"done-receipt {facts['version']}, Python {facts['python']}"]
    lines.append(f"sandbox: {facts['sandbox']['level']}")
    for layer in facts["sandbox"]["layers"]:
        state = "active" if layer["active"] else "absent"
        lines.append(f"  {state}  {layer['name']}" + (f": {layer['detail']}" if layer["detail"] else ""))
        if "hint" in layer:
            lines.append(f"          hint: {layer['hint']}")
    for name, engine in facts["engines"].items():
        lines.append(f"engine {name}: " + ", ".join(f"{key} {value}" for key, value in engine.items()))
    lines.append("libraries: " + ", ".join(f"{name} {version}" for name, version in facts["libraries"].items()))
    return lines
