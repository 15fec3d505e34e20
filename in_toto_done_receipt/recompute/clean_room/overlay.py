"""The verifier's own tests, in a folder that the change has never seen."""

from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError, ObservationError
from in_toto_done_receipt.observe.globs import expand
from in_toto_done_receipt.observe.look import read_bytes
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.wire.escape import escape

MAX_FILES: Final = 10_000
MAX_BYTES: Final = 64 << 20  # of all files together


def hidden_tests(folder: Path) -> dict[str, bytes]:
    """Path -> content of every file below the folder.

    Raises ConfigurationError: no folder, nothing in it, too much, something that is neither a file nor a folder.
    """
    files: dict[str, bytes] = {}
    left = MAX_BYTES
    try:
        with DirectoryWorkspace(folder) as workspace:
            paths = expand(workspace, "**")
            if len(paths) > MAX_FILES:
                raise ConfigurationError(f"--overlay: {len(paths)} files, at most {MAX_FILES}")
            for path in paths:
                files[path] = read_bytes(workspace, path, left)
                left -= len(files[path])
    except ObservationError as error:
        message = f"holds more than {MAX_BYTES} bytes" if error.kind == "too_large" else error.message
        raise ConfigurationError(f"--overlay {escape(str(folder))}: {message}", hint=error.hint) from None
    if not files:
        raise ConfigurationError(f"--overlay {escape(str(folder))}: holds no file", hint="put hidden tests into it")
    return files
