"""`python -m pytest` and `python -m unittest` as a profile has them, and the Python that the first word belongs to."""

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

JUNIT: Final = "{junit}"  # a word with it is for other runners
MODES: Final = ("append", "importlib")

# Set by the launcher, or able to give somebody else a say.
REFUSED_VARIABLES: Final = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")

_PLUGIN: Final = re.compile(r"(?:no:)?[A-Za-z_][\w.-]*")
_MARKERS: Final = 8  # names in one expression of -m

# Options that pytest gets as they are, and whether they take a value.
_HONOURED: Final = {
    "--asyncio-mode": True,
    "--deselect": True,
    "--doctest-glob": True,
    "--doctest-modules": False,
    "--hypothesis-profile": True,
    "--hypothesis-seed": True,
    "--ignore": True,
    "--ignore-glob": True,
    "--strict": False,
    "--strict-config": False,
    "--strict-markers": False,
    "--timeout": True,
    "--timeout-method": True,
    "-W": True,
}
# Options that only say what is shown: dropped.
_SHOWN: Final = {
    "--capture": True,
    "--color": True,
    "--disable-warnings": False,
    "--durations": True,
    "--durations-min": True,
    "--full-trace": False,
    "--junit-xml": True,
    "--junitxml": True,
    "--no-header": False,
    "--no-summary": False,
    "--quiet": False,
    "--show-capture": True,
    "--showlocals": False,
    "--tb": True,
    "--verbose": False,
    "--verbosity": True,
    "-r": True,
}
_SHORT_SHOWN: Final = re.compile(r"-[qvsl]+")
_REASONS: Final = {
    "--basetemp": "tests write into scratch",
    "--collect-only": "tests have to run",
    "--confcutdir": "it is the root of the tree",
    "--config-file": "the tree's own configuration is used, which base decides",
    "--cov": "coverage is no test",
    "--exitfirst": "all tests have to run",
    "--failed-first": "all tests have to run, and nothing is remembered",
    "--ff": "all tests have to run, and nothing is remembered",
    "--last-failed": "all tests have to run, and nothing is remembered",
    "--lf": "all tests have to run, and nothing is remembered",
    "--maxfail": "all tests have to run",
    "--numprocesses": "tests run in one process; `jobs` in [tests] makes two runs at a time",
    "--override-ini": "the tree's own configuration is used, which base decides",
    "--pyargs": "tests are named by their place in the tree",
    "--rootdir": "it is the root of the tree",
    "--stepwise": "all tests have to run",
    "-c": "the tree's own configuration is used, which base decides",
    "-k": "all tests have to run; name files or folders, or markers with -m",
    "-n": "tests run in one process; `jobs` in [tests] makes two runs at a time",
    "-o": "the tree's own configuration is used, which base decides",
    "-x": "all tests have to run",
}


class PytestCommand(Value, kw_only=True):
    """`markers` is the expression of -m, and `marked` the markers with which a test is selected by it. `words` are
    options that pytest gets as they are, `paths` the files and folders; none is what the configuration says.
    """

    python: str
    plugins: tuple[str, ...] = ()
    mode: str = "append"
    markers: str | None = None
    marked: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


class UnittestCommand(Value, kw_only=True):
    """What `discover` gets; folders are relative to the tree."""

    python: str
    start: str = "."
    pattern: str = "test*.py"
    top: str = "."


class PythonHome(Value, kw_only=True):
    """Folders that an interpreter has to see: its own, and its virtual environment if it has one."""

    prefix: Path
    base: Path


def checked_pytest(argv: tuple[str, ...]) -> PytestCommand:
    """The command that `argv` spells. Raises ConfigurationError for an argument that is not honoured, naming it.

    Not checked: the executable, see `python_home`; whether a plug-in is installed.
    """
    if len(argv) < 3 or argv[1:3] != ("-m", "pytest"):
        raise ConfigurationError(
            "runner pytest: the command has to begin with the path of Python and `-m pytest`",
            hint="a script pytest does not say for sure which Python runs it: name the Python itself",
        )
    command = PytestCommand(python=argv[0])
    plugins, words, paths = list[str](), list[str](), list[str]()
    mode, markers = command.mode, command.markers
    for option, value in _options(argv[3:]):
        if option == "":
            paths.append(_path("pytest", value, file=True))
        elif option == "-p":
            plugins.append(_plugin(value))
        elif option == "-m":
            markers = value
        elif option == "--import-mode":
            mode = _mode(value)
        elif option in ("--ignore", "--deselect"):
            place, sign, rest = value.partition("::")
            words.append(f"{option}={_path('pytest', place, file=True)}{sign}{rest}")
        elif option == "-W":
            words += [option, value]
        else:
            words.append(f"{option}={value}" if _HONOURED[option] else option)
    return PytestCommand(
        python=argv[0],
        plugins=tuple(plugins),
        mode=mode,
        markers=markers,
        marked=() if markers is None else _marked(markers),
        words=tuple(words),
        paths=tuple(paths),
    )


def _options(argv: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """(option, value) in order, without those that only say what is shown; a path has no option."""
    words = iter(argv)
    for word in words:
        if not word.startswith("-"):
            if JUNIT not in word:
                yield "", word
            continue
        if _SHORT_SHOWN.fullmatch(word) or (JUNIT in word and not word.startswith("--junit")):
            continue
        name, sign, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
        takes = {"-p": True, "-m": True, "--import-mode": True, **_HONOURED, **_SHOWN}.get(name)
        if takes is None or (sign and not takes):
            raise _refused("pytest", word, _REASONS.get(name) or _REASONS.get(re.sub(r"^--cov.*", "--cov", name)))
        if takes and not sign:
            value = next(words, "")
        if name not in _SHOWN:
            if takes and not value:
                raise _refused("pytest", word, "its value is missing")
            yield name, value


def _plugin(name: str) -> str:
    if not _PLUGIN.fullmatch(name):
        raise _refused("pytest", f"-p {name}", "it is no name of a plug-in")
    if name in ("xdist", "xdist.plugin"):
        raise _refused("pytest", f"-p {name}", _REASONS["-n"])
    return name


def _mode(value: str) -> str:
    if value not in MODES:
        raise _refused(
            "pytest", f"--import-mode={value}", "it would put folders of the tree before the installed packages"
        )
    return value


def _marked(expression: str) -> tuple[str, ...]:
    """The fewest markers with which a test is selected. Raises ConfigurationError if that cannot be found out."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    nodes = [] if tree is None else [node for node in ast.walk(tree.body) if isinstance(node, ast.expr)]
    names = sorted({node.id for node in nodes if isinstance(node, ast.Name)})
    plain = all(isinstance(node, ast.Name | ast.BoolOp | ast.UnaryOp) for node in nodes)
    nots = all(isinstance(node.op, ast.Not) for node in nodes if isinstance(node, ast.UnaryOp))
    if not nodes or not plain or not nots or len(names) > _MARKERS:
        raise _refused("pytest", f"-m {expression}", f"up to {_MARKERS} markers with and, or, not are understood")
    for count in range(len(names) + 1):
        for chosen in itertools.combinations(names, count):
            if _holds(nodes[0], frozenset(chosen)):
                return chosen
    raise _refused("pytest", f"-m {expression}", "no test can be selected by it")


def _holds(node: ast.expr, markers: frozenset[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in markers
    if isinstance(node, ast.UnaryOp):
        return not _holds(node.operand, markers)
    assert isinstance(node, ast.BoolOp)  # noqa: S101 - _marked looked
    values = (_holds(value, markers) for value in node.values)
    return all(values) if isinstance(node.op, ast.And) else any(values)


def checked_unittest(argv: tuple[str, ...]) -> UnittestCommand:
    """As `checked_pytest`, for `PYTHON -m unittest discover -s START -p PATTERN -t TOP`."""
    if len(argv) < 3 or argv[1:3] != ("-m", "unittest"):
        raise ConfigurationError("runner unittest: the command has to begin with the path of Python and `-m unittest`")
    found: dict[str, str] = {}
    words = iter(argv[3:])
    positions = iter(("start", "pattern", "top"))
    for index, word in enumerate(words):
        if JUNIT in word or re.fullmatch(r"-[vqbc]+|--(?:verbose|quiet|buffer|catch|locals)", word):
            continue
        if index == 0 and word == "discover":
            continue
        if match := re.fullmatch(r"(?:-s|--start-directory|-p|--pattern|-t|--top-level-directory)(?:=(.*))?", word):
            place = {"s": "start", "p": "pattern", "t": "top"}[word.lstrip("-")[0]]
            found[place] = match[1] if match[1] is not None else next(words, "")
        elif word.startswith("-") or argv[3] != "discover":
            raise _refused("unittest", word, _UNITTEST_REASONS.get(word, "tests are found by discover -s FOLDER"))
        elif (place := next(positions, "")) == "":
            raise _refused("unittest", word, "discover takes no more than three")
        else:
            found[place] = word
    start = _path("unittest", found.get("start", "."), file=False)
    pattern = found.get("pattern", "test*.py")
    if "/" in pattern or not pattern.endswith(".py"):
        raise _refused("unittest", f"-p {pattern}", "it is no pattern of file names")
    top = _path("unittest", found.get("top", start), file=False)
    if not PurePosixPath(start).is_relative_to(top):
        raise _refused("unittest", f"-t {top}", f"-s {start} does not lie below it")
    return UnittestCommand(python=argv[0], start=start, pattern=pattern, top=top)


_UNITTEST_REASONS: Final = {
    "-f": "all tests have to run",
    "--failfast": "all tests have to run",
    "-k": "all tests have to run",
}


def _path(runner: str, word: str, *, file: bool) -> str:
    """A path in the tree without `.` steps."""
    if file and "::" in word:
        raise _refused(runner, word, "name files or folders, not single tests")
    path = PurePosixPath(word)
    if path.is_absolute() or ".." in path.parts or "\0" in word or not word:
        raise _refused(runner, word, "it does not lie below the root of the tree")
    return str(path)


def _refused(runner: str, word: str, reason: str | None) -> ConfigurationError:
    why = "" if reason is None else f": {reason}"
    return ConfigurationError(f"runner {runner}: argument {escape(word)} is not honoured{why}")


def python_home(python: str) -> PythonHome:
    """Where this interpreter and its libraries lie, found from its files and not by asking it.

    Raises ConfigurationError if it lies in no Python.
    """
    own = Path(python).parent.parent
    real = Path(python).resolve()
    base = real.parent.parent
    settings = own / "pyvenv.cfg"
    if settings.is_file():
        match = re.search(r"^home\s*=\s*(.+?)\s*$", settings.read_text("utf-8", "replace"), re.MULTILINE)
        base = Path(match[1]).resolve().parent if match is not None else base
    else:
        own = base
    if base == Path("/") or not any(base.glob("lib*/python3*/os.py")):
        raise ConfigurationError(
            f"runner: {escape(python)} does not lie in bin/ of a Python with its library",
            hint="name bin/python of an installation or of a virtual environment",
        )
    return PythonHome(prefix=own, base=base)
