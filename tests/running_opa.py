"""A real OPA server on loopback, with a bundle."""

import http.client
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def running_opa(opa: Path, bundle: bytes, *more: str) -> Iterator[str]:
    """The address of `opa run --server --bundle`, once it is ready."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="opa-server-") as scratch:
        path = Path(scratch, "policy.tar.gz")
        path.write_bytes(bundle)
        address = f"127.0.0.1:{port}"
        argv = [str(opa), "run", "--server", "--log-level", "error", "--addr", address, *more, "--bundle", str(path)]
        with (
            Path(scratch, "log").open("wb") as log,
            subprocess.Popen(argv, stdout=log, stderr=log, cwd=scratch) as process,
        ):
            try:
                _wait(process, port, Path(scratch, "log"))
                yield f"http://{address}"
            finally:
                process.terminate()


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError(log.read_text())
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/health?bundles")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        finally:
            connection.close()
        time.sleep(0.05)
    raise TimeoutError(log.read_text())
