"""Command lines that are killed in the middle. Run as a program it has everything imported and forks for each request,
so that one of them costs milliseconds: a line of JSON `{"line": [...], "seconds": 0.01}` in, how it ended out.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
KILLED: Final = -signal.SIGKILL


class Killer:
    """A warmed-up process that runs command lines for a given time."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(self, *line: str | Path, seconds: float | None = None) -> int:
        """The exit code, or `KILLED` when the command was still running after so many seconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"line": [str(part) for part in line], "seconds": seconds}), file=self._process.stdin)
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@contextmanager
def killer(folder: Path) -> Iterator[Killer]:
    """A process whose command lines run in this folder."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.cli.killed", folder],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Killer(process)
        assert process.stdin is not None
        process.stdin.close()


def serve() -> None:
    """One request after the other, until standard input ends."""
    from in_toto_done_receipt.cli import main

    os.chdir(sys.argv[1])
    for request in sys.stdin:
        asked = json.loads(request)
        child = os.fork()
        if child == 0:
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            os._exit(main.run(asked["line"]))
        if asked["seconds"] is not None:
            time.sleep(asked["seconds"])
            os.kill(child, signal.SIGKILL)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()


def warm_up() -> None:
    """Imports all that the commands import; what they import inside a function, by running them."""
    import cryptography.hazmat.primitives.asymmetric.ed25519
    import cryptography.hazmat.primitives.serialization
    import rfc8785

    from in_toto_done_receipt.admission.embedded import EmbeddedEngine
    from in_toto_done_receipt.cli import admit, build, keygen, manifest, seal, sign, verify

    assert all((admit, build, keygen, manifest, seal, sign, verify, cryptography, rfc8785, EmbeddedEngine))


if __name__ == "__main__":
    warm_up()
    serve()
