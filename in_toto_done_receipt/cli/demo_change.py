"""The part of the demo that is a change in a git repository: what is examined comes from objects, never a checkout."""

import os
import shlex
import subprocess
from typing import Final

import click

from in_toto_done_receipt.cli.demo_steps import Cheat, heading, run, write
from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.process import Git, find_git

PROFILE: Final = """version = 1
collection = "minimal"
include = ["change.base", "change.scope", "contract.coverage", "contract.verified"]

[contract]
sealed = ["tests/**"]
"""
TEST: Final = "from src.greet import greet\n\ndef test_greet():\n    assert greet() == 'hello, world'\n"
BEFORE: Final = "def greet():\n    return 'hello'\n"
WORK: Final = "def greet():\n    return 'hello, world'\n"
WEAK_TEST: Final = "def test_greet():\n    pass\n"
DESELECTING: Final = "[pytest]\naddopts = --deselect tests/test_greet.py\n"

CHEATS: Final = {
    "test": Cheat(title="the test was rewritten first, and sealed after that", code=11),
    "harness": Cheat(title="a pytest.ini came with the change, and deselects the test", code=12),
}
_SEAL: Final = "seal --root repo --path 'tests/**' --out {name}.contract.json"
_AUTHOR: Final = ("Ada", "ada@example.com")


def change_story() -> tuple[list[str], bool]:
    """What did not go as told, and whether there was a git to tell it with."""
    heading("The same for a change in a git repository")
    try:
        git = find_git()
    except RepositoryRefused as fault:
        click.echo(f"(left out: {fault.message})")
        return [], False
    repository = DemoRepository(git, "repo")
    base = repository.begin({"src/greet.py": BEFORE, "tests/test_greet.py": TEST, "acceptance.toml": PROFILE})
    wrong = run(_SEAL.format(name="honest"), 0)
    repository.work("honest", {"src/greet.py": WORK}, base)
    wrong += _attest("honest", base, ("src/greet.py",))
    heading("The honest change")
    wrong += _verify("honest", base, 0)
    for name, cheat in CHEATS.items():
        heading(f"Refused: {cheat.title}")
        slipped = {"tests/test_greet.py": WEAK_TEST} if name == "test" else {"pytest.ini": DESELECTING}
        repository.work(name, {"src/greet.py": WORK, **slipped}, base)
        if name == "test":
            wrong += run(_SEAL.format(name=name), 0)
        wrong += _attest(name, base, ("src/greet.py", *slipped), contract="test" if name == "test" else "honest")
        wrong += _verify(name, base, cheat.code)
    return wrong, True


def _attest(name: str, base: str, paths: tuple[str, ...], *, contract: str = "honest") -> list[str]:
    subjects = "".join(f" --subject {path}" for path in paths)
    return run(
        f"attest --root repo --key worker.pem --out {name}.json --contract {contract}.contract.json"
        f' --agent demo-agent --task "Greet the world." --claim "greets=it greets the world"'
        f" --file greets={paths[0]}{subjects} --repo repo --base {base} --head {name}",
        0,
    )


def _verify(name: str, base: str, code: int) -> list[str]:
    return run(
        f"verify {name}.json --trusted-key worker=worker.pub --repo repo --base {base} --head {name}"
        " --profile base:acceptance.toml",
        code,
    )


class DemoRepository:
    """A repository, made with git as it would be typed; nothing of the caller's configuration counts."""

    def __init__(self, git: Git, name: str) -> None:
        self._git = str(git.path)
        self._name = name
        surroundings = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self._environment = surroundings | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        for role in ("AUTHOR", "COMMITTER"):
            self._environment |= dict(zip((f"GIT_{role}_NAME", f"GIT_{role}_EMAIL"), _AUTHOR, strict=True))

    def begin(self, files: dict[str, str]) -> str:
        """The commit that the work starts from: its full id, which is what a verifier names."""
        self._type(f"init -q --template= --initial-branch=main {self._name}")
        self._commit("base", files)
        base = self._type(f"-C {self._name} rev-parse main")
        click.echo(base)
        return base

    def work(self, branch: str, files: dict[str, str], base: str) -> None:
        """A branch with one commit on base; the work tree then holds it."""
        self._type(f"-C {self._name} checkout -q -b {branch} {base}")
        self._commit(branch, files)

    def _commit(self, message: str, files: dict[str, str]) -> None:
        for path, text in files.items():
            write(f"{self._name}/{path}", text)
        self._type(f"-C {self._name} add --all")
        self._type(f"-C {self._name} commit -q -m {message}")

    def _type(self, line: str) -> str:
        click.echo(f"$ git {line}")
        words = [self._git, *shlex.split(line)]
        try:
            done = subprocess.run(  # noqa: S603 - a git that only root can have put there, and words of ours
                words, env=self._environment, stdin=subprocess.DEVNULL, capture_output=True, check=True
            )
        except subprocess.CalledProcessError as fault:
            said = fault.stderr.decode("utf-8", "backslashreplace").strip()
            raise RepositoryRefused(f"git {line} ended with {fault.returncode}: {said!a}", kind="git") from None
        return done.stdout.decode("utf-8", "backslashreplace").strip()
