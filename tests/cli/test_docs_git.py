"""The pages on pull requests and on the pre-receive hook: every line is typed, with pushes to a bare repository."""

import base64
import re
import shlex
import subprocess
from pathlib import Path
from typing import Final

import click
import pytest

from in_toto_done_receipt.cli.main import group
from testdata.receipts.generate_changes import PROFILE
from tests.cli.test_docs import DOCS, bin_folder, blocks, flags_of, steps, transcript, typed_in

__all__ = ["bin_folder"]

PULL_REQUEST: Final = DOCS / "how-to" / "pull-request.md"
HOOK: Final = DOCS / "how-to" / "pre-receive-hook.md"
TRUST: Final = 'version = 1\n\n[[key]]\nname = "worker"\npath = "worker.pub"\n'
BASE: Final = {
    "src/greet.py": 'def greet(): return "hello"\n',
    "tests/test_greet.py": "from src.greet import greet\n\ndef test_greet():\n    assert greet()\n",
    "acceptance.toml": PROFILE,
}
WORK: Final = {"src/greet.py": 'def greet(): return "hello, world"\n'}


class Desk:
    """A folder with the server's `hub.git` and perhaps a clone `desk`, and a shell in it with `done-receipt`."""

    def __init__(self, folder: Path, bin_folder: Path) -> None:
        self.folder = folder
        self._environment = {
            "PATH": f"{bin_folder}:/usr/bin:/bin",
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def run(self, script: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["bash", "-euc", script],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def do(self, script: str) -> str:
        done = self.run(script)
        assert done.returncode == 0, done.stdout
        return done.stdout.strip()

    def commit(self, files: dict[str, str]) -> str:
        for name, text in files.items():
            (self.folder / "desk" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / "desk" / name).write_text(text)
        self.do("git -C desk add --all && git -C desk commit -q -m work")
        return self.do("git -C desk rev-parse HEAD")

    def attest(self, base: str, *paths: str, key: str = "worker", contract: str = "contract.json") -> str:
        """The push option that carries a receipt for base..HEAD."""
        subjects = " ".join(f"--subject {path}" for path in paths)
        self.do(
            f"done-receipt attest --root desk --key {key}.pem --out receipt.json --contract {contract} --agent a"
            f" --task t --claim c=c --file c={paths[0]} {subjects} --repo desk --base {base} --head HEAD"
        )
        receipt = (self.folder / "receipt.json").read_bytes()
        return shlex.quote(f"done-receipt={base64.b64encode(receipt).decode()}")

    def tip(self, ref: str) -> str:
        return self.run(f"git --git-dir hub.git rev-parse --verify -q refs/heads/{ref}").stdout.strip()

    def has(self, commit: str) -> bool:
        return self.run(f"git --git-dir hub.git cat-file -e {commit}").returncode == 0


@pytest.fixture
def desk(tmp_path: Path, bin_folder: Path) -> Desk:
    """An empty hub and a clone of it, as the page on pull requests takes them for granted."""
    made = Desk(tmp_path, bin_folder)
    made.do("git init -q --bare --initial-branch=main hub.git && git clone -q hub.git desk")
    return made


@pytest.fixture
def guarded(desk: Desk) -> Desk:
    """A hub with the page's hook, whose main has a commit, and no clone: the page makes it."""
    desk.do("git -C desk config user.name Ada && git -C desk config user.email ada@example.org")
    desk.commit(BASE)
    desk.do("git -C desk push -q origin HEAD:main && rm -rf desk")
    gate = desk.folder / "gate"
    gate.mkdir()
    desk.do("done-receipt keygen --out worker && cp worker.pub gate/")
    (gate / "trust.toml").write_text(TRUST)
    (script,) = blocks(HOOK, "sh")
    assert script.count("/srv/gate") == 1
    hook = desk.folder / "hub.git" / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(script.replace("/srv/gate", shlex.quote(str(gate))))
    hook.chmod(0o755)
    (option,) = re.findall(r"`git (config receive\.\S+ true)`", HOOK.read_text(encoding="utf-8"))
    desk.do(f"git --git-dir hub.git {option}")
    return desk


def test_the_page_on_pull_requests_does_what_it_shows(desk: Desk, bin_folder: Path) -> None:
    wanted = steps(PULL_REQUEST)
    assert len(wanted) > 25
    assert "\n".join(transcript(typed_in(desk.folder, bin_folder, wanted), wanted)) == ""


def test_the_page_on_the_hook_does_what_it_shows(guarded: Desk, bin_folder: Path) -> None:
    wanted = steps(HOOK)
    assert len(wanted) > 12
    assert "\n".join(transcript(typed_in(guarded.folder, bin_folder, wanted), wanted)) == ""


# --- the flags, in the list of commands -------------------------------------------------------------------------------


def tables() -> tuple[list[list[str]], list[list[str]]]:
    """The rows of both tables of the section, cell by cell."""
    section = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8").partition("## A change in git\n")[2]
    rows = [
        line.strip("| ").split(" | ") for line in section.partition("\n## ")[0].splitlines() if line.startswith("| `")
    ]
    return [row for row in rows if len(row) == 2], [row for row in rows if len(row) == 3]


def named(rows: list[list[str]], column: int) -> list[str]:
    """The flags that have something in a column."""
    return [row[0].strip("`").split()[0] for row in rows if row[column].strip() != "\N{EN DASH}"]


def after(words: str, first: str, last: str) -> list[str]:
    """The flags of a command from one to another, in the order of --help: they stand together."""
    command: click.Command = group
    for word in words.split():
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None
        command = found
    flags = list(flags_of(command))
    return flags[flags.index(first) : flags.index(last) + 1]


@pytest.mark.parametrize("command", ["verify", "recompute"])
def test_the_command_page_lists_every_flag_of_a_change(command: str) -> None:
    assert sorted(named(tables()[0], 1)) == sorted(after(command, "--repo", "--overlay"))


@pytest.mark.parametrize("command", ["build", "attest"])
def test_the_command_page_lists_every_flag_of_a_source(command: str) -> None:
    assert sorted(named(tables()[1], 1)) == sorted(after(command, "--repo", "--repository"))


@pytest.mark.parametrize("command", ["manifest create", "manifest verify"])
def test_the_command_page_lists_every_flag_of_an_inventory_of_a_commit(command: str) -> None:
    assert sorted(named(tables()[1], 2)) == sorted(after(command, "--repo", "--head"))


# --- what the page says of the hook -----------------------------------------------------------------------------------


@pytest.fixture
def base(guarded: Desk) -> str:
    """A clone beside the guarded hub, the contract sealed; the base of the work."""
    guarded.do("git clone -q hub.git desk")
    guarded.do("git -C desk config user.name Ada && git -C desk config user.email ada@example.org")
    guarded.do("done-receipt seal --root desk --path 'tests/**' --out contract.json")
    return guarded.do("git -C desk rev-parse main")


def test_a_refused_push_leaves_nothing(guarded: Desk, base: str) -> None:
    head = guarded.commit(WORK)
    assert guarded.run("git -C desk push -q origin main").returncode == 1
    assert (guarded.tip("main"), guarded.has(head)) == (base, False)


def test_a_good_receipt_moves_the_branch(guarded: Desk, base: str) -> None:
    head = guarded.commit(WORK)
    option = guarded.attest(base, "src/greet.py")
    guarded.do(f"git -C desk push -q -o {option} origin main")
    assert guarded.tip("main") == head


def test_a_stranger_is_not_trusted(guarded: Desk, base: str) -> None:
    guarded.commit(WORK)
    guarded.do("done-receipt keygen --out stranger")
    option = guarded.attest(base, "src/greet.py", key="stranger")
    done = guarded.run(f"git -C desk push -q -o {option} origin main")
    assert (done.returncode, guarded.tip("main")) == (1, base)
    assert "remote: DENIED — none of 1 trusted key(s)" in done.stdout


def test_a_push_that_weakens_the_profile_is_judged_by_the_one_before(guarded: Desk, base: str) -> None:
    weak = 'version = 1\ncollection = "minimal"\n'
    guarded.commit({**WORK, "acceptance.toml": weak, "tests/test_greet.py": "def test_greet(): pass\n"})
    guarded.do("done-receipt seal --root desk --path 'tests/**' --out late.json")
    paths = ("src/greet.py", "acceptance.toml", "tests/test_greet.py")
    option = guarded.attest(base, *paths, contract="late.json")
    done = guarded.run(f"git -C desk push -q -o {option} origin main")
    assert (done.returncode, guarded.tip("main")) == (1, base)
    assert "contract.held" in done.stdout


def test_a_new_branch_is_measured_from_where_it_left_main(guarded: Desk, base: str) -> None:
    head = guarded.commit(WORK)
    refused = guarded.run("git -C desk push -q origin HEAD:refs/heads/release/1")
    assert (refused.returncode, guarded.tip("release/1")) == (1, "")
    option = guarded.attest(base, "src/greet.py")
    guarded.do(f"git -C desk push -q -o {option} origin HEAD:refs/heads/release/1")
    assert (guarded.tip("release/1"), guarded.tip("main")) == (head, base)


def test_one_refused_ref_holds_all_back(guarded: Desk, base: str) -> None:
    guarded.commit(WORK)
    option = guarded.attest(base, "src/greet.py")
    more = guarded.commit({"src/greet.py": "def greet(): pass\n"})
    done = guarded.run(f"git -C desk push -q -o {option} origin HEAD~1:main HEAD:release/1 HEAD:refs/heads/free")
    assert done.returncode == 1
    assert (guarded.tip("main"), guarded.tip("release/1"), guarded.tip("free"), guarded.has(more)) == (
        base,
        "",
        "",
        False,
    )


@pytest.mark.parametrize(
    "option", ["done-receipt=no-base64!", "done-receipt=", "other=x", "done-receipt=e30="], ids=str
)
def test_an_option_that_is_no_receipt_is_refused(guarded: Desk, base: str, option: str) -> None:
    guarded.commit(WORK)
    done = guarded.run(f"git -C desk push -q -o {shlex.quote(option)} origin main")
    assert (done.returncode, guarded.tip("main")) == (1, base)
    assert "Traceback" not in done.stdout


def test_a_receipt_of_47_kib_fits_into_an_option(guarded: Desk, base: str) -> None:
    head = guarded.commit(WORK)
    guarded.attest(base, "src/greet.py")
    receipt = (guarded.folder / "receipt.json").read_bytes()
    padded = base64.b64encode(receipt + b"\n" * (47 * 1024 - len(receipt))).decode()
    guarded.do(f"git -C desk push -q -o done-receipt={padded} origin main")
    assert guarded.tip("main") == head


def test_without_done_receipt_on_the_server_the_push_fails(guarded: Desk, base: str) -> None:
    guarded.commit(WORK)
    option = guarded.attest(base, "src/greet.py")
    done = guarded.run(f"export PATH=/usr/bin:/bin; git -C desk push -q -o {option} origin main")
    assert (done.returncode, guarded.tip("main")) == (1, base)
