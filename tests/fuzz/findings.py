"""A finding as a case directory: testdata/fuzz/<target>-<digest>/ with the input and why it is there."""

import hashlib
import os
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from tests.fuzz.targets import DATA, Target, attempt

CASES: Final = DATA / "fuzz"
MAX_SECONDS: Final = 10  # for one input of at most 16 KiB; a thousand times what the slowest of them takes
_TRIES: Final = 400  # of making an input smaller


class TooSlow(BaseException):
    """One input took longer than `MAX_SECONDS`. Not an Exception: nothing on the way may swallow it."""


@contextmanager
def in_time(seconds: int = MAX_SECONDS) -> Iterator[None]:
    """Raises TooSlow inside when it takes longer. Main thread only."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlow(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def silent() -> Iterator[list[str]]:
    """Whatever is written to standard error inside, by C and Rust too, is put into the list at the end."""
    said: list[str] = []
    before = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(before, 2)
            os.close(before)
        file.seek(0)
        said += file.read().decode("utf-8", "replace").splitlines()


def fault_of(target: Target, data: bytes) -> BaseException | None:
    """What is wrong with this input, if anything is."""
    try:
        attempt(target, data)
    except (Exception, TooSlow) as fault:  # noqa: BLE001 - any exception at all is what is looked for
        return fault
    return None


def sort_of(fault: BaseException) -> tuple[str, ...]:
    """What makes two findings the same: the exception and where it came from."""
    frames = traceback.extract_tb(fault.__traceback__)[-3:]
    return type(fault).__name__, *(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)


def smaller(data: bytes, same: Callable[[bytes], bool]) -> bytes:
    """A shorter input with the same fault: pieces cut out, from half of it down to single bytes."""
    size, tries = len(data) // 2, 0
    while size and tries < _TRIES:
        for start in range(0, len(data), size):
            cut = data[:start] + data[start + size :]
            tries += 1
            if tries >= _TRIES:
                break
            if same(cut):
                data = cut
                break
        else:
            size //= 2
    return data


def write_case(target: Target, data: bytes, why: str, cases: Path = CASES) -> Path:
    """The directory of a finding. The digest in its name is the input's, so that nothing is written twice."""
    folder = cases / f"{target.name}-{hashlib.sha256(data).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "input").write_bytes(data)
    (folder / "README.md").write_text(f"Found by `make fuzz`, target `{target.name}`:\n\n{why}\n", encoding="utf-8")
    return folder
