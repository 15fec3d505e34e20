"""A case of the clean room laid out on a desk: the repository, the verifier's profile, the signed receipt; and what of
the machine it needs. See testdata/receipts/generate_clean_room.py.
"""

import itertools
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from testdata.receipts.generate import envelope, payload_of, pretty
from tests.repositories.go_modules import module_cache
from tests.repositories.history import build_history, filled
from tests.runners.lab import need
from tests.runners.toolchains import find_cargo, find_go

CASES: Final = Path(__file__).parents[2] / "testdata" / "receipts" / "clean_room"


def tool_of(runner: str) -> str:
    """The path of what runs the tests of a runner."""
    return {"unittest": _python, "pytest": _python, "go": _go, "node": _node, "cargo": _cargo}[runner]()


def _python() -> str:
    return sys.executable


def _go() -> str:
    return _needed(find_go(), "go")


def _node() -> str:
    found = (Path(place) for place in ("/usr/bin/node", "/usr/local/bin/node", shutil.which("node") or ""))
    return _needed(next((path for path in found if path.is_file()), None), "node")


def _cargo() -> str:
    return _needed(find_cargo(), "cargo")


def _needed(found: Path | None, name: str) -> str:
    need(found, name)
    return str(found)


class Desk:
    """A case in a folder: `words` are the arguments of `verify`, to be typed in the case's own directory."""

    def __init__(self, name: str, folder: Path) -> None:
        self.case = CASES / name
        self.folder = folder
        self.expected: dict[str, Any] = self._json("expected.json")
        self.repo, self.ids = build_history(self._json("history.json"), folder)
        self._paths = {**_tools(self.runner), "overlay": str(self.case / "overlay"), "cache": str(_cache(self.runner))}
        for wanted in self.expected.get("provides", ()):
            self._paths[wanted] = str(folder / wanted)
        (folder / "acceptance.toml").write_text(self.profile, encoding="utf-8")
        statement = json.loads(self._filled((self.case / "statement.json").read_text(encoding="utf-8")))
        receipt = pretty(envelope(payload_of(statement)))
        (folder / "receipt.json").write_text(receipt, encoding="utf-8")

    @property
    def runner(self) -> str:
        """The runner that the profile names."""
        text = (self.case / "acceptance.toml").read_text(encoding="utf-8")
        return text.partition('runner = "')[2].partition('"')[0]

    @property
    def profile(self) -> str:
        """The verifier's profile, with paths of this machine."""
        return self._filled((self.case / "acceptance.toml").read_text(encoding="utf-8"))

    @property
    def words(self) -> list[str]:
        """The arguments of `verify`."""
        own = {"receipt": f"{self.folder}/receipt.json", "profile": f"{self.folder}/acceptance.toml"}
        own |= {"overlay": self._paths["overlay"]}
        return filled(self.expected["arguments"], self.repo, {**self.ids, **own})

    @contextmanager
    def provided(self) -> Iterator[None]:
        """What the case needs on the machine is there."""
        with _all([PROVIDERS[wanted](self.folder / wanted) for wanted in self.expected.get("provides", ())]):
            yield

    def _json(self, name: str) -> dict[str, Any]:
        tree: dict[str, Any] = json.loads((self.case / name).read_text(encoding="utf-8"))
        return tree

    def _filled(self, text: str) -> str:
        for name, path in self._paths.items():
            text = text.replace(f"{{{name}}}", path)
        return text


def _cache(runner: str) -> Path:
    """Build products of a runner, kept from run to run: without them Go compiles its library each time."""
    folder = Path(__file__).parents[2] / "build" / "clean-room" / runner
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _tools(runner: str) -> dict[str, str]:
    name = "python" if runner in ("unittest", "pytest") else runner
    return {"python": sys.executable, name: tool_of(runner)}


@contextmanager
def _all(things: list[Any]) -> Iterator[None]:
    if not things:
        yield
        return
    with things[0], _all(things[1:]):
        yield


@contextmanager
def _node_modules(folder: Path) -> Iterator[None]:
    """A package `cents`, as the verifier has installed it."""
    package = folder / "cents"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "cents", "version": "1.1.0"}\n')
    (package / "index.js").write_text("exports.cents = (euros) => euros * 100;\n")
    yield


@contextmanager
def _modules(folder: Path) -> Iterator[None]:
    """A cache of Go modules."""
    module_cache(folder)
    yield


def _bad_first(folder: Path) -> AbstractContextManager[None]:
    return _weather(folder, b"0")


def _bad_second(folder: Path) -> AbstractContextManager[None]:
    return _weather(folder, b"10")


@contextmanager
def _weather(folder: Path, said: bytes) -> Iterator[None]:
    """A FIFO that says these, one to each reader, and 1 from then on."""
    folder.mkdir()
    fifo = folder / "today"
    os.mkfifo(fifo)
    done = threading.Event()

    def answer() -> None:
        answers = itertools.chain((bytes([one]) for one in said), itertools.repeat(b"1"))
        while not done.is_set():
            with fifo.open("wb") as out:  # waits for a reader
                out.write(b"" if done.is_set() else next(answers))
            while not done.is_set() and _is_read(fifo):
                done.wait(0.01)

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    yield
    done.set()
    os.close(os.open(fifo, os.O_RDONLY | os.O_NONBLOCK))
    thread.join(timeout=5)


def _is_read(fifo: Path) -> bool:
    """Whether somebody still has the FIFO open: the next answer must not go to the same reader."""
    try:
        os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


PROVIDERS: Final[Mapping[str, Callable[[Path], Any]]] = MappingProxyType(
    {
        "modules": _modules,
        "node_modules": _node_modules,
        "weather_bad_first": _bad_first,
        "weather_bad_second": _bad_second,
    }
)
