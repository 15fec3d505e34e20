"""A verifier's desk: the cases' own builder, written into a folder of the test, and the real command line."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.cli import main
from in_toto_done_receipt.observe.sandbox.probe import probe
from testdata.receipts import generate
from testdata.receipts.generate_changes import Case as ChangeCase
from testdata.receipts.generate_clean_room import RoomCase
from tests.repositories.changes import Laid
from tests.repositories.rooms import CASES
from tests.repositories.rooms import Desk as Room
from tests.runners.lab import need_bubblewrap


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """How one command line ended; `document` is what it said as JSON, if it did."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    @property
    def result(self) -> Any:
        return self.document["result"]

    @property
    def violations(self) -> set[str]:
        return {violation["code"] for violation in self.document["decision"]["violations"]}

    @property
    def warnings(self) -> set[str]:
        """But that it is judged as of the cases' own time, which is past."""
        return {warning["code"] for warning in self.document["decision"]["warnings"]} - {"profile.backdated"}

    @property
    def reasons(self) -> set[str]:
        return {finding["reason"] for check in self.result["checks"] for finding in check["findings"]}

    @property
    def change(self) -> Any:
        return self.result["change"]

    def said_of(self, reason: str) -> dict[str | None, str]:
        """Path -> message of the findings with this reason."""
        findings = [finding for check in self.result["checks"] for finding in check["findings"]]
        return {finding.get("path"): finding["message"] for finding in findings if finding["reason"] == reason}

    @property
    def tests(self) -> Any:
        """What the clean room came to."""
        return self.result["tests"]

    @property
    def states(self) -> dict[str, str]:
        return {claim["id"]: claim["state"] for claim in self.result["claims"]}


class Desk:
    """Where a verifier sits: `folder` with receipt.json and workspace/, the trusted keys in a folder beside it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def lay(self, case: generate.Case) -> list[str]:
        """Write the case; the arguments of `verify` for it."""
        for name in ("worker", "second", "third"):
            self.write(f"../trust/{name}.pub", generate.public_pem(name))
        files = case.files()
        for path, text in files.items():
            self.write(path, text)
        for path, target in case.links.items():
            (self.folder / "workspace" / path).symlink_to(target)
        arguments: list[str] = json.loads(files["expected.json"])["arguments"]
        return arguments

    def write(self, path: str, text: str) -> Path:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="")
        return place

    def run(self, *arguments: str | Path) -> Seen:
        code = main.run([str(argument) for argument in arguments])
        captured = self._capsys.readouterr()
        assert "Traceback" not in captured.err
        assert "internal error" not in captured.err
        return Seen(code=code, out=captured.out, err=captured.err)

    def verify(self, case: generate.Case, *more: str) -> Seen:
        return self.run("verify", *self.lay(case), "--json", *more)

    def lay_change(self, case: ChangeCase) -> Laid:
        """Build the repository of a change, and a receipt beside it."""
        return Laid(case, self.folder)

    def verify_change(self, case: ChangeCase, *more: str) -> Seen:
        return self.run("verify", *self.lay_change(case).words(*more), "--json")

    def verify_tests(self, case: RoomCase, *more: str) -> Seen:
        """Lay out a change whose tests run in the clean room, and verify it there."""
        need_bubblewrap()
        for path, text in case.files().items():
            self.write(f"room/{path}", text)
        room = Room(str(self.folder / "room"), self.folder)
        words = [word.replace("../../trust", str(CASES.parent / "trust")) for word in room.words]
        return self.run("verify", *words, *more, "--json")

    def look(self, laid: Laid, *more: str) -> Seen:
        """`verify` of what was laid out and damaged since."""
        return self.run("verify", *laid.words(*more), "--json")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    folder = tmp_path / "case"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Desk(folder, capsys)


@pytest.fixture(scope="session")
def bubblewrap() -> None:
    """Commands are run again on a machine that can hold them only."""
    level = probe().level
    if level != "bubblewrap":
        pytest.skip(f"needs bubblewrap, this machine's sandbox is {level}")


@pytest.fixture
def commands() -> Callable[..., list[str]]:
    """The flags that allow exactly these commands."""
    return lambda *lines: ["--recheck-commands", *(part for line in lines for part in ("--allow-command", line))]


def profile(text: str) -> dict[str, Any]:
    """The members of a case with this profile."""
    return {"inputs": {"acceptance.toml": generate.PROFILE + text}, "flags": ["--profile", "acceptance.toml"]}
