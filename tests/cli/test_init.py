"""`init` in a repository of each ecosystem: the draft loads, has no weak line, and says what it leaves open. Where the
runner is installed, a receipt whose tests ran is admitted by it, and one whose tests fail is not.
"""

import json
import re
import shlex
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.profile.lint import open_threats, weak_lines
from in_toto_done_receipt.profile.load import load_profile
from in_toto_done_receipt.profile.union import from_profiles
from tests.cli.conftest import Cli

REPOSITORIES: dict[str, tuple[dict[str, str], str]] = {
    "pytest by its file": ({"pytest.ini": "", "tests/test_a.py": "def test_a(): pass\n"}, "pytest"),
    "pytest by pyproject": (
        {"pyproject.toml": "[tool.pytest.ini_options]\n", "tests/test_a.py": "def test_a(): pass\n"},
        "pytest",
    ),
    "pytest by its tests": ({"tests/test_a.py": "import pytest\n\ndef test_a(): pass\n"}, "pytest"),
    "unittest": ({"tests/test_a.py": "import unittest\n"}, "unittest"),
    "unittest in packages": (
        {"app/__init__.py": "", "app/tests/__init__.py": "", "app/tests/test_a.py": "import unittest\n"},
        "unittest",
    ),
    "go": ({"go.mod": "module example.com/a\n", "a.go": "package a\n", "a_test.go": "package a\n"}, "go"),
    "node": ({"package.json": "{}", "test/a.test.js": "require('node:test')\n"}, "node"),
    "cargo": ({"Cargo.toml": "[package]\n", "src/lib.rs": "", "tests/a.rs": ""}, "cargo"),
}
OTHERS: dict[str, tuple[dict[str, str], str]] = {
    "jest": ({"package.json": '{"devDependencies": {"jest": "29"}}', "a.test.js": ""}, "npm test"),
    "tox": ({"tox.ini": "[tox]\n"}, "tox"),
    "maven": ({"pom.xml": "<project/>", "src/test/java/A.java": ""}, "Maven"),
    "gradle": ({"build.gradle": ""}, "Gradle"),
    "make": ({"Makefile": "test:\n"}, "make"),
}


def laid(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return root


def drafted(cli: Cli, tmp_path: Path, files: dict[str, str]) -> tuple[str, str]:
    """What init prints, and the profile it writes."""
    repository = laid(tmp_path / "repo", files)
    seen = cli("init", "--root", repository, "--out", tmp_path / "gate")
    assert seen.code == 0, seen.err
    return seen.out, (tmp_path / "gate" / "acceptance.toml").read_text()


def with_everything(draft: str) -> str:
    """The draft with all that it leaves out, and the collection that goes with it."""
    text = re.sub(r"(?m)^#(?! )", "", draft)
    return text.replace('collection = "minimal"', 'collection = "ci"')


def tree_of(text: str) -> Any:
    return tomllib.loads(text)


@pytest.mark.parametrize(("files", "runner"), REPOSITORIES.values(), ids=REPOSITORIES)
def test_the_runner_is_found_and_a_later_version_is_told_of_it(
    cli: Cli, tmp_path: Path, files: dict[str, str], runner: str
) -> None:
    _, draft = drafted(cli, tmp_path, files)
    whole = tree_of(with_everything(draft))
    assert whole["tests"]["runner"] == runner
    assert whole["tests"]["argv"] == whole["command"][0]["argv"] == whole["evidence"][0]["argv"]
    assert whole["contract"]["sealed"]
    settings = from_profiles({"draft": load_profile(with_everything(draft).encode(), what="draft")})
    assert settings.collection == "ci"


@pytest.mark.parametrize(("files", "name"), (REPOSITORIES | OTHERS).values(), ids=REPOSITORIES | OTHERS)
def test_the_draft_has_no_weak_line_and_init_says_what_lint_says(
    cli: Cli, tmp_path: Path, files: dict[str, str], name: str
) -> None:
    said, _ = drafted(cli, tmp_path, files)
    found = json.loads(cli("profile", "lint", tmp_path / "gate" / "acceptance.toml", "--json").out)
    assert found["warnings"] == []
    for threat in found["open"]:
        assert f"  - threat {threat['threat']}, {threat['what']}: {threat['closedBy']}\n" in said


@pytest.mark.parametrize(("files", "runner"), REPOSITORIES.values(), ids=REPOSITORIES)
def test_with_everything_that_is_left_out_no_threat_is_open(
    cli: Cli, tmp_path: Path, files: dict[str, str], runner: str
) -> None:
    _, draft = drafted(cli, tmp_path, files)
    settings = from_profiles({"draft": load_profile(with_everything(draft).encode(), what="draft")})
    assert (open_threats(settings), weak_lines(settings, at=datetime.now(UTC))) == ((), ())


@pytest.mark.parametrize(("files", "name"), OTHERS.values(), ids=OTHERS)
def test_a_runner_that_the_clean_room_does_not_know_is_left_to_people(
    cli: Cli, tmp_path: Path, files: dict[str, str], name: str
) -> None:
    said, draft = drafted(cli, tmp_path, files)
    assert f"found {name} by " in said
    assert "command" not in tree_of(draft)
    assert "command" in tree_of(with_everything(draft))


def test_a_repository_without_tests_is_said_to_have_none(cli: Cli, tmp_path: Path) -> None:
    said, draft = drafted(cli, tmp_path, {"README.md": ""})
    assert "found no test runner" in said
    assert "nothing that looks like a test or a harness file" in said
    load_profile(draft.encode(), what="draft")


def test_several_ecosystems_have_a_claim_each(cli: Cli, tmp_path: Path) -> None:
    files = REPOSITORIES["unittest"][0] | REPOSITORIES["node"][0]
    _, draft = drafted(cli, tmp_path, files)
    assert [one["claim"] for one in tree_of(with_everything(draft))["evidence"]] == ["tests-unittest", "tests-node"]


def test_what_tools_have_put_there_is_not_looked_at(cli: Cli, tmp_path: Path) -> None:
    said, _ = drafted(cli, tmp_path, {"node_modules/a/go.mod": "", ".venv/lib/test_a.py": "", "target/Cargo.toml": ""})
    assert "found no test runner" in said


def test_the_line_that_seals_does_so(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said, _ = drafted(cli, tmp_path, REPOSITORIES["pytest by its file"][0])
    monkeypatch.chdir(tmp_path)
    line = next(line for line in said.splitlines() if line.startswith("  done-receipt seal"))
    assert cli(*shlex.split(line)[1:]).code == 0
    contract = json.loads(Path("contract.json").read_text())
    assert [entry["name"] for entry in contract["sealed"]] == ["pytest.ini", "tests/test_a.py"]
    assert {".pytest.ini", "conftest.py", "pytest/__init__.py"} <= set(contract["absent"])


# --- the draft in force ---------------------------------------------------------------------------------------------

GOOD = {
    "unittest": {
        "tests/test_a.py": "import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        import app\n"
        "        self.assertEqual(app.double(2), 4)\n",
        "app.py": "def double(n):\n    return 2 * n\n",
    },
    "node": {
        "package.json": "{}",
        "test/a.test.js": "const test = require('node:test'), assert = require('node:assert')\n"
        "const { double } = require('../app.js')\ntest('a', () => assert.equal(double(2), 4))\n",
        "app.js": "exports.double = n => 2 * n\n",
    },
}
BROKEN = {"unittest": ("app.py", "def double(n):\n    return n\n"), "node": ("app.js", "exports.double = n => n\n")}


@pytest.mark.parametrize("runner", GOOD)
def test_the_draft_admits_tests_that_pass_and_denies_tests_that_fail(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runner: str
) -> None:
    if probe().level != "bubblewrap":
        pytest.skip("the draft demands bubblewrap, which this machine does not have")
    monkeypatch.chdir(tmp_path)
    _, draft = drafted(cli, tmp_path, GOOD[runner])
    if "command" not in tree_of(draft):
        pytest.skip(f"there is no {runner} at the usual places")
    argv = json.dumps(tree_of(draft)["command"][0]["argv"])
    claimed = [
        "--root",
        "repo",
        "--task",
        "t",
        "--agent",
        "a",
        "--claim",
        "tests=all pass",
        "--command",
        f"tests={argv}",
    ]
    profile = ["--profile", "gate/acceptance.toml"]
    looked = ["--unsigned", "--root", "repo", *profile, "--recheck-commands"]
    assert cli("build", *claimed, "--subject", BROKEN[runner][0], "--out", "r.json").code == 0
    admitted = cli("verify", "r.json", *looked)
    assert admitted.code == 0, admitted.out
    assert cli("verify", "r.json", "--unsigned", "--root", "repo", *profile).code == 12  # nobody ran them again
    name, text = BROKEN[runner]
    (tmp_path / "repo" / name).write_text(text)
    assert cli("verify", "r.json", *looked).code == 11
