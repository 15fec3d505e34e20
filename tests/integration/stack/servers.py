"""The server processes of a stack: started in a folder, waited for, ended; none outlives who started it."""

import contextlib
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

START_SECONDS: Final = 30.0  # an idle machine needs 0.2 s for the whole stack
STOP_SECONDS: Final = 5.0  # for each server, then SIGKILL
TAIL_CHARACTERS: Final = 2000  # of a server's log, in an error
ADDRESS_IN_USE: Final = "address already in use"
LOOPBACK = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # whatever http_proxy says


class ServerEnded(RuntimeError):
    """A server ended by itself, or serves nothing. `address_in_use` says that somebody else took its port first."""

    def __init__(self, program: str, code: int | None, log: str) -> None:
        happened = "serves nothing" if code is None else f"ended with {code}"
        super().__init__(f"{program} {happened}:\n{log[-TAIL_CHARACTERS:]}")
        self.address_in_use = ADDRESS_IN_USE in log


class Servers:
    """Servers of the programs in one folder. Each works in `folder`, logs there, and gets no environment."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self._folder = folder
        self._programs = programs
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, program: str, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        """Start one. It gets SIGTERM when the thread that started it ends, even if that was killed."""
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            raise FileNotFoundError("setpriv is missing: it is in the package util-linux")
        command = [setpriv, "--pdeathsig", "TERM", str(self._programs / program), *arguments]
        with self._log(program).open("wb") as log:
            self.running[program] = subprocess.Popen(
                command,
                cwd=self._folder,
                env={"HOME": str(self._folder), **(environment or {})},
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def wait_for(self, url: str) -> None:
        """Return once `url` answers 200; by asking again and again, since no server tells when it listens."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            self.check()
            with contextlib.suppress(OSError), LOOPBACK.open(url, timeout=1):
                return
            time.sleep(0.01)
        raise TimeoutError(f"no answer from {url} within {START_SECONDS} s")

    def check(self) -> None:
        """Raise ServerEnded if one has ended, or could not take its port: TesseraCT goes on without."""
        for program, process in self.running.items():
            log = self._log(program).read_text(errors="replace")
            if process.poll() is not None or ADDRESS_IN_USE in log:
                raise ServerEnded(program, process.returncode, log)

    @contextlib.contextmanager
    def paused(self, program: str) -> Iterator[None]:
        """One takes connections and says nothing, for the length of the `with` block."""
        self.running[program].send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.running[program].send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """End all of them."""
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _log(self, program: str) -> Path:
        return self._folder / f"{program}.log"
