"""Run one OPA command: no shell, nothing inherited but what is said here, bounded time and output."""

import os
import selectors
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import EngineError, EngineUnavailable
from in_toto_done_receipt.wire.value import Value

MAX_OUTPUT: Final = 64 * 2**20  # bytes: a decision over ten thousand findings has ten
_CHUNK: Final = 2**16


class Ran(Value, kw_only=True):
    """A command that ended by itself."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def text(self) -> str:
        """Everything it printed, for messages."""
        return (self.stdout + self.stderr).decode(errors="replace").strip()


def run(argv: list[str], *, seconds: float, cwd: Path, home: Path, stdin: bytes = b"") -> Ran:
    """Run argv and wait. `home` is an empty folder of ours: OPA reads settings from HOME and from OPA_* variables.

    Raises EngineUnavailable when it cannot be started, EngineError (engine.timeout, engine.output) when it does not
    end within `seconds` or prints more than MAX_OUTPUT; then it is killed with everything in its session.
    """
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(home)}
    with tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - the executable is an absolute path that the verifier named
                argv,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=cwd,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise EngineUnavailable(f"{argv[0]}: cannot be started: {error.strerror}") from None
    with process:
        try:
            stdout, stderr = _collect(process, time.monotonic() + seconds, seconds)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return Ran(code=process.returncode, stdout=stdout, stderr=stderr)


def _collect(process: subprocess.Popen[bytes], due: float, seconds: float) -> tuple[bytes, bytes]:
    outputs = {process.stdout: bytearray(), process.stderr: bytearray()}
    with selectors.DefaultSelector() as selector:
        for stream in outputs:
            if stream is not None:
                selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(due - time.monotonic(), 0))
            if not ready:
                raise EngineError(f"no decision within {seconds:g} s", code="engine.timeout")
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fileobj)
                outputs[key.fileobj] += chunk  # type: ignore[index] # the streams registered above
            if sum(map(len, outputs.values())) > MAX_OUTPUT:
                raise EngineError(f"the engine printed more than {MAX_OUTPUT} bytes", code="engine.output")
    try:
        process.wait(max(due - time.monotonic(), 0.1))
    except subprocess.TimeoutExpired:
        raise EngineError(f"no decision within {seconds:g} s", code="engine.timeout") from None
    return bytes(outputs[process.stdout]), bytes(outputs[process.stderr])
