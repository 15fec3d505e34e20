"""The page on moving here from a harness receipt: commands are typed, the Python is run, and both do what they show."""

import shlex
import subprocess
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.audit_chain.read import read_chain
from in_toto_done_receipt.producer.written import read_receipt
from tests.cli.test_docs import DOCS, run_python, steps, transcript, typed_in
from tests.cli.test_docs_moving import both

__all__ = ["both"]

PAGE = DOCS / "how-to" / "moving-from-a-harness-receipt.md"


def test_the_page_on_harness_receipts_does_what_it_shows(tmp_path: Path, both: Path) -> None:
    wanted = steps(PAGE)
    assert len(wanted) > 15
    assert "\n".join(transcript(typed_in(tmp_path, both, wanted), wanted)) == ""


def test_its_python_makes_a_receipt_that_pins_its_log(
    tmp_path: Path, both: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "work" / "tests").mkdir(parents=True)
    (tmp_path / "work" / "tests" / "check.sh").write_text("exit 0\n")
    (tmp_path / "work" / "greeting.txt").write_text("hello\n")
    monkeypatch.chdir(tmp_path)
    run_python(PAGE)
    assert capsys.readouterr().out == "PASSED — checked against 1 sealed file(s), which did not move\n"
    log = read_receipt(Path("runs/7/statement.json")).receipt.run.audit_log
    assert log is not None
    assert (log.records, log.head) == (3, read_chain(Path("runs/7/audit.jsonl")).head)
    flags = "--unsigned --minimum-assurance reported --root work --audit-log runs/7/audit.jsonl"
    command: list[str | Path] = [both / "done-receipt", "verify", "runs/7/statement.json", *shlex.split(flags)]
    subprocess.run(command, check=True, capture_output=True)
