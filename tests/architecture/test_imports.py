"""What a command imports: help nothing that takes long to load, a verification only what this receipt needs."""

import subprocess
import sys
from pathlib import Path

import pytest

PROBE = """
import runpy, sys
sys.argv = ["done-receipt", *sys.argv[1:]]
try:
    runpy.run_module("in_toto_done_receipt", run_name="__main__")
finally:
    names = {name.partition(".")[0] for name in sys.modules}
    own = {name for name in sys.modules if name.startswith("in_toto_done_receipt.")}
    print(*sorted(names | own), file=sys.stderr)
"""
HEAVY = {
    "cryptography",
    "distributed",
    "fastapi",
    "google",  # protobuf
    "in_toto_attestation",
    "jsonschema",
    "pydantic",
    "requests",
    "rich",
    "securesystemslib",
    "sigstore",
    "tuf",
    "uvicorn",
    "wasmtime",  # its Python package, which nobody loads
    "in_toto_done_receipt.admission.wasm",  # its C library
}


def help_of(*command: str) -> tuple[str, set[str]]:
    """What `done-receipt COMMAND --help` prints, and the heavy packages that it imported."""
    argv = [sys.executable, "-P", "-c", PROBE, *command, "--help"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return done.stdout, HEAVY & set(done.stderr.split())


def commands(text: str) -> list[str]:
    """The names in the list of commands at the end of a help text."""
    lines = text.partition("Commands:\n")[2].splitlines()
    return [line.split()[0] for line in lines if line.startswith("  ") and line[2:3].isalpha()]


def test_help_imports_nothing_heavy() -> None:
    text, heavy = help_of()
    assert "Usage:" in text
    assert heavy == set()
    assert "verify" in commands(text)
    assert {name: found for name in commands(text) if (found := help_of(name)[1])} == {}


CASE = Path(__file__).parents[2] / "testdata" / "receipts" / "honest"
OWN = "in_toto_done_receipt"
# Loaded only for those who need it: commands to run, manifests to scan, files to make, receipts to refuse.
ELSEWHERE = {
    f"{OWN}.observe.sandbox.run",
    f"{OWN}.observe.sandbox.probe",
    f"{OWN}.observe.manifest.scan",
    f"{OWN}.observe.manifest.read",
    f"{OWN}.producer.build",
    f"{OWN}.predicates.done_receipt.schema_faults",
    f"{OWN}.wire.json_fault",
    "tomllib",
}


def loaded_by(*line: str | Path, code: int) -> set[str]:
    """The modules of a whole `verify`: top-level names of others, full names of ours."""
    argv = [sys.executable, "-P", "-c", PROBE, "verify", *map(str, line), "--quiet"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=CASE)
    assert done.returncode == code, done.stderr
    return set(done.stderr.splitlines()[-1].split())


def test_a_key_signed_receipt_loads_what_it_needs() -> None:
    key = ["--trusted-key", "worker=../trust/worker.pub"]
    loaded = loaded_by("receipt.json", *key, "--root", "workspace", "--at", "2026-11-30T13:00:00Z", code=0)
    assert loaded & HEAVY == {"cryptography", "in_toto_done_receipt.admission.wasm"}
    assert loaded & ELSEWHERE == set()
    assert {f"{OWN}.trust.certified", f"{OWN}.trust.managed"} & loaded == set()


@pytest.mark.parametrize("name", ["local-rekor1", "local-rekor2"])
def test_a_sigstore_bundle_loads_no_sigstore(name: str, shared: Path) -> None:
    folder = shared / "corpus" / "sigstore"
    who = ["--certificate-identity", "dev@example.com", "--certificate-oidc-issuer", "https://oidc.local.test"]
    root = ["--trusted-root", str(folder / f"{name}-trusted_root.json")]
    loaded = loaded_by(folder / f"{name}-bundle.json", *who, *root, code=12)
    assert loaded & HEAVY == {"cryptography", "in_toto_done_receipt.admission.wasm"}
    assert loaded & ELSEWHERE <= {"tomllib"}
    assert ("rfc3161_client" in loaded) == (name == "local-rekor2")
