"""`go test` as a profile has it: what of it reaches the build, what the test binaries, and what cannot be honoured."""

import re
from pathlib import Path, PurePosixPath
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

JUNIT: Final = "{junit}"  # a word with it is for other runners

OLDEST: Final = (1, 21)  # `go test -c` of several packages at once

_TAGS: Final = re.compile(r"[\w.]+(?:[ ,][\w.]+)*")
_DURATION: Final = re.compile(r"0|(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|ms|s|m|h))+")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,5}")
_FOLDER: Final = re.compile(r"[\w@+~.-]+(?:/[\w@+~.-]+)*")
_PACKAGES: Final = re.compile(r"\.(?:/[\w@+~-][\w@+~.-]*)*(?:/|/\.\.\.)?")

# What a flag's value has to be; None takes no value.
_VALUES: Final[dict[str, re.Pattern[str] | None]] = {
    "C": _FOLDER,
    "count": re.compile("1"),
    "json": None,
    "mod": re.compile("readonly|vendor"),
    "parallel": _NUMBER,
    "short": None,
    "tags": _TAGS,
    "timeout": _DURATION,
    "v": None,
    "vet": re.compile("off"),
}
_REASONS: Final = {
    "C": "it has to be a folder of the tree",
    "args": "what follows goes to code of the change",
    "asan": "it needs cgo, which is off",
    "bench": "benchmarks are no tests",
    "count": "every test runs once; only 1 can be given",
    "cover": "coverage changes the sources that are compiled",
    "exec": "the test binaries are started by the verifier itself",
    "failfast": "all tests have to run",
    "fuzz": "fuzzing does not end by itself; the seeds of a fuzz test run as a test",
    "mod": "only readonly and vendor leave go.mod as it is",
    "msan": "it needs cgo, which is off",
    "race": "it needs cgo, which is off",
    "run": "all tests have to run; name packages instead",
    "skip": "all tests have to run; name packages instead",
    "toolexec": "the build runs nothing but Go's own tools",
    "vet": "a lint is no test; only off can be given",
}


class GoCommand(Value, kw_only=True):
    """`folder` is where go runs, below the tree. `vendored` is None if the tree decides; `test` is for the binaries."""

    go: str
    folder: str = ""
    tags: tuple[str, ...] = ()
    vendored: bool | None = None
    test: tuple[str, ...] = ()
    packages: tuple[str, ...] = (".",)


class GoToolchain(Value, kw_only=True):
    """Go's own folder, and its version as (major, minor)."""

    root: Path
    go: Path
    version: tuple[int, int]


def checked(argv: tuple[str, ...]) -> GoCommand:
    """The command that `argv` spells. Raises ConfigurationError for an argument that is not honoured, naming it.

    Not checked: the executable, see `toolchain`.
    """
    if len(argv) < 2 or argv[1] != "test":
        raise ConfigurationError("runner go: the command has to begin with the path of go and `test`")
    flags: dict[str, str | None] = {}
    packages: list[str] = []
    words = iter(word for word in argv[2:] if JUNIT not in word)
    for word in words:
        if not word.startswith("-") or word == "-":
            packages.append(_package(word))
            continue
        name, sign, value = word.lstrip("-").removeprefix("test.").partition("=")
        if name not in _VALUES or word.startswith("---"):
            raise _refused(word, _REASONS.get(re.sub(r"^(cover|bench|fuzz).*", r"\1", name)))
        wanted = _VALUES[name]
        if wanted is None:
            if value not in ("", "true"):
                raise _refused(word, None)
            flags[name] = None
            continue
        flags[name] = value if sign else next(words, "")
        if not wanted.fullmatch(flags[name] or "") or ".." in (flags[name] or "").split("/"):
            raise _refused(f"{word} {flags[name]}".rstrip() if not sign else word, _REASONS.get(name))
    return _command(argv[0], flags, tuple(packages))


def _command(go: str, flags: dict[str, str | None], packages: tuple[str, ...]) -> GoCommand:
    test = [f"-test.{name}={flags[name]}" for name in ("timeout", "parallel") if name in flags]
    folder = str(PurePosixPath(flags.get("C") or "."))
    mod = flags.get("mod")
    return GoCommand(
        go=go,
        folder="" if folder == "." else folder,
        tags=tuple(re.split("[ ,]", tags)) if (tags := flags.get("tags")) else (),
        vendored=None if mod is None else mod == "vendor",
        test=(*test, *(("-test.short",) if "short" in flags else ())),
        packages=packages or (".",),
    )


def _package(word: str) -> str:
    if not _PACKAGES.fullmatch(word):
        raise _refused(word, "packages are named by paths such as . or ./... or ./part/...")
    return word.rstrip("/") if not word.endswith("...") else word


def _refused(word: str, reason: str | None) -> ConfigurationError:
    return ConfigurationError(f"runner go: argument {escape(word)} is not honoured{': ' + reason if reason else ''}")


def toolchain(go: str) -> GoToolchain:
    """The Go that this executable belongs to, found from where it lies and not by asking it.

    Raises ConfigurationError if it lies in no Go, or in one that is too old.
    """
    real = Path(go).resolve()
    root = real.parent.parent
    try:
        text = (root / "VERSION").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    match = re.match(r"go(\d{1,3})\.(\d{1,3})", text)
    if real.name != "go" or real.parent.name != "bin" or match is None or not (root / "pkg" / "tool").is_dir():
        raise ConfigurationError(
            f"runner go: {go} does not lie in bin/ of a Go with VERSION and pkg/tool",
            hint="name the go in the folder that `go env GOROOT` prints",
        )
    version = (int(match[1]), int(match[2]))
    if version < OLDEST:
        raise ConfigurationError(
            f"runner go: {go} is Go {version[0]}.{version[1]}, at least {OLDEST[0]}.{OLDEST[1]} is needed"
        )
    return GoToolchain(root=root, go=real, version=version)
