"""Starting a supervisor, with one pipe for each thing it is to say, and ending it for good."""

import importlib.util
import json
import marshal
import os
import select
import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib.abc import InspectLoader
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError

NAMESPACE_SECONDS: Final = 5.0  # for the kernel to end every process of a namespace
INFO_BYTES: Final = 4096  # bwrap writes about 200


@dataclass(slots=True)
class Started:
    """A running supervisor and our ends of its pipes. `lifeline` is -1 once it is closed."""

    process: subprocess.Popen[bytes]
    lifeline: int
    stdout: int
    stderr: int
    report: int
    info: int
    first: int = -1
    first_pid: int = 0

    def note_first_process(self) -> None:
        """Takes hold of the first process of the namespace, at whose end every other one in it is dead.

        Does nothing at the other levels, where nobody wrote to `info`.
        """
        try:
            facts = json.loads(os.read(self.info, INFO_BYTES) or b"{}")
            if self.first < 0 and "child-pid" in facts:
                self.first = os.pidfd_open(facts["child-pid"])
                self.first_pid = facts["child-pid"]
        except (OSError, ValueError):
            return  # already over, or nothing written

    def cut(self) -> None:
        """Ends the lifeline, at which the supervisor kills everything."""
        if self.lifeline >= 0:
            os.close(self.lifeline)
            self.lifeline = -1

    def kill(self) -> None:
        """Ends everything at once where there is a namespace, even if the supervisor is stopped; else as `cut`."""
        if self.first >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.first, signal.SIGKILL)
        self.cut()

    def end(self, seconds: float) -> None:
        """Gives the supervisor some seconds to end by itself, then kills it. With bubblewrap nothing outlives this."""
        self.cut()
        self.note_first_process()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.first >= 0:
            poll = select.poll()
            poll.register(self.first, select.POLLIN)
            poll.poll(NAMESPACE_SECONDS * 1000)
            os.close(self.first)
        for descriptor in (self.stdout, self.stderr, self.report, self.info):
            os.close(descriptor)


def launch(command: Callable[[int, int], list[str]], group: int) -> Started:
    """Starts `command(report, info)`: a list of arguments that ends in those of the supervisor, but for the group.

    `group` is a descriptor by which it enters a control group, or -1. It has no environment, the root as its folder, a
    session of its own, and no descriptor but this and its pipes.
    Raises OSError.
    """
    with ExitStack() as theirs, ExitStack() as ours:
        pipes = [_pipe(theirs, ours, reading=index != 0) for index in range(5)]
        (stdin, lifeline), (stdout, out), (stderr, error), (report, told), (info, facts) = pipes
        process = subprocess.Popen(
            [*command(report, info), str(group)],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=(report, info) if group < 0 else (report, info, group),
            env={},
            cwd="/",
            start_new_session=True,
        )
        ours.pop_all()
        return Started(process, lifeline, out, error, told, facts)


def supervisor(executable: Path, report: int) -> list[str]:
    """The arguments that run the supervisor."""
    return [str(executable), "-I", "-S", "-E", "-c", inline("supervisor"), str(report)]


def inline(name: str) -> str:
    """One line of Python that runs a module of this folder, already compiled, by an interpreter of our own version.

    So no sandbox has to show our package, and nothing is compiled for each command: that is half of the start-up time.
    """
    spec = importlib.util.find_spec(f"{__package__}.{name}")
    code = spec.loader.get_code(spec.name) if spec and isinstance(spec.loader, InspectLoader) else None
    if code is None:
        raise ConfigurationError(f"the module {name} of the sandbox is missing")
    return f"import marshal; exec(marshal.loads(bytes.fromhex({marshal.dumps(code).hex()!r})))"


def _pipe(theirs: ExitStack, ours: ExitStack, *, reading: bool) -> tuple[int, int]:
    """A pipe as (their end, our end); ours never blocks."""
    read_end, write_end = os.pipe()
    their, our = (write_end, read_end) if reading else (read_end, write_end)
    theirs.callback(os.close, their)
    ours.callback(os.close, our)
    os.set_blocking(our, False)
    return their, our
