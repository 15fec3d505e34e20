"""Many receipts in one call: what comes out does not depend on how many processes they were shared out to."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from in_toto_done_receipt.cli.sharing import AT_LEAST, Judged, judged_in_order, processes_for
from in_toto_done_receipt.errors import ConfigurationError
from testdata.receipts import generate

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")

PATHS = [Path(f"{number:03}") for number in range(100)]
MANY = 2 * AT_LEAST + 2  # so many decisions also are compiled for, before the processes are started


def number_of(path: Path) -> Judged:
    """A judge that says its name, and which process it is."""
    click.echo(f"note {path}", err=True)
    return Judged(code=int(path.name) % 7, texts=(f"{path} {os.getpid()}\n", "x" * 10_000))


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    """Nothing that this test started; a fixture of the session may have a server running."""
    before = children()
    yield
    assert children() <= before


def children() -> set[str]:
    """Processes of ours, also those that have ended and that nobody has waited for."""
    return {pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}


@pytest.mark.parametrize("processes", [1, 2, 3, 7])
def test_results_and_notes_are_in_the_order_of_the_receipts(processes: int, capfd: pytest.CaptureFixture[str]) -> None:
    judged = list(judged_in_order(PATHS, number_of, processes=processes))
    assert [one.code for one in judged] == [int(path.name) % 7 for path in PATHS]
    assert [one.texts[0].split()[0] for one in judged] == [path.name for path in PATHS]
    assert capfd.readouterr().err == "".join(f"note {path}\n" for path in PATHS)
    at_work = {one.texts[0].split()[1] for one in judged}
    assert len(at_work) == processes
    assert (str(os.getpid()) in at_work) == (processes == 1)


def test_a_slow_receipt_holds_up_nobody_before_it_and_order_stays() -> None:
    def slow(path: Path) -> Judged:
        time.sleep(0.3 if path.name == "001" else 0)
        return number_of(path)

    judged = judged_in_order(PATHS, slow, processes=2)
    assert next(judged).texts[0].startswith("000")
    assert [one.texts[0][:3] for one in judged] == [path.name for path in PATHS[1:]]


def dies(by: Callable[[], object], *names: str) -> Callable[[Path], Judged]:
    """A judge whose process ends at these receipts, unless it is this one."""
    parent = os.getpid()

    def judge(path: Path) -> Judged:
        if path.name in names and os.getpid() != parent:
            by()
        return number_of(path)

    return judge


DEATHS = {
    "exit": lambda: os._exit(0),
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "a bug": lambda: 1 / 0,
    "interrupted": lambda: os.kill(os.getpid(), signal.SIGINT),
    "exits": lambda: sys.exit(3),
}


@pytest.mark.parametrize("death", DEATHS.values(), ids=DEATHS)
def test_what_a_process_did_not_answer_is_done_again(
    death: Callable[[], object], capfd: pytest.CaptureFixture[str]
) -> None:
    judged = list(judged_in_order(PATHS, dies(death, "000", "041"), processes=2))
    assert [one.texts[0][:3] for one in judged] == [path.name for path in PATHS]
    assert capfd.readouterr().err == "".join(f"note {path}\n" for path in PATHS)


def test_an_error_that_ends_the_command_is_raised_here() -> None:
    def wrong(path: Path) -> Judged:
        if path.name == "003":
            raise ConfigurationError("the root is not one", hint="another")
        return number_of(path)

    judged = judged_in_order(PATHS, wrong, processes=2)
    assert [next(judged).texts[0][:3] for _ in range(3)] == ["000", "001", "002"]
    with pytest.raises(ConfigurationError, match="the root is not one") as caught:
        next(judged)
    assert caught.value.hint == "another"


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_who_stops_asking_stops_the_processes() -> None:
    def endless(path: Path) -> Judged:
        if path.name == "005":
            time.sleep(600)
        return number_of(path)

    before = open_files()
    judged = judged_in_order(PATHS, endless, processes=2)
    next(judged)
    assert open_files() == before + 2
    judged.close()  # type: ignore[attr-defined]
    assert open_files() == before


@pytest.mark.parametrize(
    ("receipts", "usable", "wanted"), [(1, 8, 1), (63, 8, 1), (64, 8, 2), (1000, 2, 2), (99, 1, 1)]
)
def test_how_many_processes(receipts: int, usable: int, wanted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(usable)))
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    assert processes_for(receipts) == wanted


def test_beside_a_thread_nothing_is_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert processes_for(1000) == 1


# --- the command ----------------------------------------------------------------------------------------------------

# Two processors, whatever the machine has, and one line for each fork.
_RUN = """
import os, sys
fork = os.fork
os.sched_getaffinity = lambda pid: set(range({usable}))
def counted():
    os.write(int(sys.argv[1]), b"f")
    return fork()
os.fork = counted
from in_toto_done_receipt.cli.main import main
main(sys.argv[2:])
"""


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Honest, failing, unsigned, malformed and missing receipts, mixed."""
    (tmp_path / "worker.pub").write_text(generate.public_pem("worker"))
    for path, text in generate.WORK.items():
        (tmp_path / "work" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "work" / path).write_text(text)
    for number in range(MANY):
        statement = generate.base()
        statement["predicate"]["run"]["iterations"] = number
        if number % 10 == 3:
            generate.failed("red")(statement, statement["predicate"])
        signer = "third" if number % 10 == 5 else "worker"
        text = json.dumps(generate.envelope(generate.payload_of(statement), (signer,)))
        if number % 10 == 7:
            text += '\n{"another": "kind"}\n'
        if number % 10 == 9:
            text = text[:-5]
        (tmp_path / f"{number:03}.json").write_text(text)
    return tmp_path


def line(desk: Path, *more: str, receipts: int = MANY) -> list[str]:
    names = [f"{number:03}.json" for number in range(receipts)]
    rest = ["--trusted-key", "worker=worker.pub", "--root", "work", "--at", generate.NOW, *more]
    return ["verify", *names, *rest]


def ended(desk: Path, words: list[str], *, usable: int = 2) -> tuple[int, str, str, int]:
    """Exit code, standard output, standard error, number of forks."""
    read, write = os.pipe()
    done = subprocess.run(
        [sys.executable, "-c", _RUN.format(usable=usable), str(write), *words],
        cwd=desk,
        pass_fds=[write],
        capture_output=True,
        text=True,
        check=False,
    )
    os.close(write)
    with os.fdopen(read) as forks:
        return done.returncode, done.stdout, done.stderr, len(forks.read())


@pytest.mark.parametrize("more", [(), ("--json",), ("--quiet",), ("--format", "policy-input")], ids=" ".join)
def test_the_output_is_the_same_from_one_process_and_from_two(desk: Path, more: tuple[str, ...]) -> None:
    alone = ended(desk, line(desk, *more), usable=1)
    shared = ended(desk, line(desk, *more), usable=2)
    assert (alone[3], shared[3]) == (0, 2)
    assert alone[:3] == shared[:3]
    assert alone[0] == 3


def test_output_files_are_the_same(desk: Path) -> None:
    written = []
    for usable in (1, 3):
        assert ended(desk, line(desk, "--quiet", "--output", "json=out.json"), usable=usable)[0] == 3
        written.append((desk / "out.json").read_bytes())
        (desk / "out.json").unlink()
    assert written[0] == written[1]
    assert written[0].count(b"\n") == MANY - MANY // 10


@pytest.mark.parametrize("receipts", [1, 2, 2 * AT_LEAST - 1])
def test_few_receipts_do_not_pay(desk: Path, receipts: int) -> None:
    assert ended(desk, line(desk, receipts=receipts))[3] == 0


def test_commands_are_not_run_beside_each_other(desk: Path) -> None:
    """What forks is the sandbox's own look at the machine; the receipts are not shared out."""
    words = line(desk, "--recheck-commands", "--limit", "commands=1", "--quiet")
    alone, shared = (ended(desk, words, usable=usable) for usable in (1, 2))
    assert alone == shared


def test_a_root_that_cannot_be_used_is_one_error(desk: Path) -> None:
    (desk / "root.json").write_text("{}")
    trust = ["--certificate-identity", "a@b.example", "--certificate-oidc-issuer", "https://i"]
    names = [f"{number:03}.json" for number in range(MANY)]
    code, out, err, _ = ended(desk, ["verify", *names, "--trusted-root", "root.json", *trust])
    assert (code, out, err.count("error:")) == (4, "", 1)


_SLOW = """
import time
import in_toto_done_receipt.cli.verify as command
verify = command.verify
def slow(*arguments, **more):
    time.sleep(0.2)
    return verify(*arguments, **more)
command.verify = slow
main(sys.argv[2:])
"""


@pytest.mark.parametrize("sent", ["Ctrl-C", "SIGTERM"])
def test_interrupted_it_ends_at_once_and_leaves_nobody(desk: Path, sent: str) -> None:
    """Ctrl-C goes to all processes of the terminal, SIGTERM to the one that was started."""
    slow = _RUN.format(usable=2).replace("main(sys.argv[2:])", _SLOW)
    with subprocess.Popen(
        [sys.executable, "-c", slow, "2", *line(desk, "--json", "--output", "json=out.json")],
        cwd=desk,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as running:
        assert running.stderr is not None
        assert running.stderr.read(2) == b"ff"
        time.sleep(0.5)
        if sent == "Ctrl-C":
            os.killpg(running.pid, signal.SIGINT)
        else:
            running.terminate()
        out, err = running.communicate(timeout=20)
    assert (running.returncode, out, err) == (130, b"", b"\ninterrupted\n")
    assert not (desk / "out.json").exists()
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)
