"""Attack: `click.py` or a `*.dist-info` in the current directory becomes part of the verifier.
Answer: the console script and `python -I -m` take nothing from there; a plug-in is loaded by name only.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk

ROOT = Path(__file__).parents[2]
SCRIPT = Path(sys.executable).parent / "done-receipt"
STARTS = {"console script": [str(SCRIPT)], "python -I -m": [sys.executable, "-I", "-m", "in_toto_done_receipt"]}
EVIL = "import pathlib\npathlib.Path(__file__).with_name('ran').touch()\n"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # whoever sets it, means it
NAMES = ("click", "msgspec", "json", "wasmtime", "cryptography", "in_toto_done_receipt", "sitecustomize", "evil")


@pytest.fixture
def planted(desk: Desk) -> list[str]:
    """A case whose folder, from which the verifier starts, is the attacker's."""
    arguments = desk.lay(generate.Case(why=""))
    for name in NAMES:
        desk.write(f"{name}.py", EVIL)
    desk.write("evil-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    desk.write("evil-1.0.dist-info/entry_points.txt", "[in_toto.predicate_handlers]\nevil = evil:HANDLER\n")
    desk.write("acceptance.toml", 'version = 1\nminimumAssurance = "reported"\n')
    desk.write("pyvenv.cfg", "home = .\n")
    return arguments


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_threat_24_nothing_of_the_current_directory_runs(desk: Desk, planted: list[str], start: list[str]) -> None:
    if not SCRIPT.exists():
        pytest.skip("the project is not installed")
    command = [*start, "verify", *planted, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["result"]["profileDigest"] is None
    assert not (desk.folder / "ran").exists()


def test_threat_24_a_plug_in_there_is_not_found_even_by_name(desk: Desk, planted: list[str]) -> None:
    command = [*STARTS["python -I -m"], "verify", *planted, "--plugin", "evil"]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (done.returncode, "plug-in evil is not installed" in done.stderr) == (4, True)
    assert not (desk.folder / "ran").exists()


def test_threat_24_the_docs_never_say_python_m_without_isolation() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    bad = re.compile(r"python3?(?! -I| -P -I) -m in_toto_done_receipt")
    assert [page.name for page in pages if bad.search(page.read_text(encoding="utf-8"))] == []
