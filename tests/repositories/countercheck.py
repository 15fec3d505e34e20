"""agent-countercheck on the cases of the clean room: the same two commits, its own checks file at base, set up as its
documentation advises.

It reads no receipt: what a case is about that a receipt says, or that the verifier alone has, it cannot be asked.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from tests.repositories.history import build_history
from tests.repositories.rooms import CASES, tool_of

Verdict = Literal["verified", "failed", "unverified"]

PROTECTED: Final = MappingProxyType(
    {
        "pytest": ("tests/**", "**/conftest.py", "pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml"),
        "unittest": ("tests/**",),
        "node": ("test/**",),
        "cargo": ("tests/**",),
    }
)
RUNS: Final = MappingProxyType(
    {
        "pytest": "{tool} -m pytest -q -c tests/pytest.ini --rootdir=. --confcutdir=tests -o addopts= tests",
        "unittest": "{tool} -m unittest discover -s tests -q",
        "node": "{tool} --test test",
        "cargo": "{tool} test --offline --quiet",
    }
)
# What only a receipt, a policy or a flag of the verifier's makes a case of.
ABOUT_RECEIPTS: Final = frozenset({"statement", "freshness", "subjects", "evidence-path", "evidence-other"})


def can_be_asked(name: str) -> bool:
    """Whether the change itself is what the case is about, and its checks run in reasonable time."""
    case = CASES / name
    expected = json.loads((case / "expected.json").read_bytes())
    profile = (case / "acceptance.toml").read_text(encoding="utf-8")
    about = {reason.partition(".")[0] for reason in expected.get("reasons", ())}
    own = expected.get("provides") or expected.get("environment") or (case / "overlay").exists()
    quiet = name.endswith("_fail") and not about & {"test-inventory", "harness-canary", "change-scope"}
    return not (own or quiet or 'runner = "go"' in profile or "--merge-onto" in expected["arguments"])


def asked(name: str, folder: Path) -> tuple[list[str], Path, Mapping[str, str]]:
    """How it is asked about the case: the words, the folder to ask in, the environment."""
    history = json.loads((CASES / name / "history.json").read_bytes())
    runner = (CASES / name / "acceptance.toml").read_text(encoding="utf-8").partition('runner = "')[2].partition('"')[0]
    history["commits"] = [_with_checks(history["commits"][0], runner), *history["commits"][1:]]
    repo, ids = build_history(history, folder)
    repo.git("checkout", "-q", "work")
    command = [str(Path(sys.executable).with_name("countercheck")), "verify", "--base", ids["base"]]
    command += ["--claim", "All tests pass.", "--agent", "worker", "--out", str(folder / "out"), "--json"]
    return command, repo.path, _environment(folder, tool_of(runner))


def verdict_on(name: str, folder: Path) -> Verdict:
    """What it says of the case. Raises for anything but a verdict."""
    command, place, environment = asked(name, folder)
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, check=False)
    receipt: dict[str, Any] = json.loads(done.stdout)
    verdict: Verdict = receipt["verdict"]
    if {"verified": 0, "failed": 2, "unverified": 3}[verdict] != done.returncode:
        raise AssertionError(f"{verdict} and exit code {done.returncode}")
    return verdict


def _with_checks(commit: dict[str, Any], runner: str) -> dict[str, Any]:
    run = RUNS[runner].replace("{tool}", tool_of(runner))
    protected = ", ".join(f'"{glob}"' for glob in PROTECTED[runner])
    checks = f"protected = [{protected}]\n\n[[check]]\nname = \"tests\"\nrun = '{run}'\ntimeout_secs = 15\n"
    more = {".countercheck/checks.toml": checks, ".gitignore": "target/\n__pycache__/\n"}
    more |= {"tests/pytest.ini": "[pytest]\npythonpath = .\n"} if runner == "pytest" else {}
    return {**commit, "files": {**more, **commit["files"]}}


def _environment(folder: Path, tool: str) -> Mapping[str, str]:
    tools = os.pathsep.join([str(Path(tool).parent), "/usr/local/bin", "/usr/bin", "/bin"])
    return {"PATH": tools, "HOME": str(folder), "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}
