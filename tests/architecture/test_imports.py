"""What asking for help imports: nothing that takes long to load."""

import subprocess
import sys

PROBE = """
import runpy, sys
sys.argv = ["done-receipt", *sys.argv[1:]]
try:
    runpy.run_module("in_toto_done_receipt", run_name="__main__")
finally:
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
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
    "wasmtime",
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
