"""`cargo test` as a profile has it, and the toolchain that its executable belongs to."""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

JUNIT: Final = "{junit}"  # a word with it is for other runners

_NAME: Final = re.compile(r"[\w-]+")
_FEATURES: Final = re.compile(r"[\w+./?-]+(?:[ ,]+[\w+./?-]+)*")
_MANIFEST: Final = re.compile(r"(?:[\w@+~.-]+/)*Cargo\.toml")

# What a flag's value has to be; None takes no value. The first spelling of a flag is the one that is used.
_VALUES: Final[Mapping[str, re.Pattern[str] | None]] = {
    "--all-features": None,
    "--bins": None,
    "--exclude": _NAME,
    "--features": _FEATURES,
    "--frozen": None,
    "--jobs": re.compile(r"[1-9][0-9]{0,3}"),
    "--lib": None,
    "--locked": None,
    "--manifest-path": _MANIFEST,
    "--no-default-features": None,
    "--no-fail-fast": None,
    "--offline": None,
    "--package": _NAME,
    "--profile": _NAME,
    "--quiet": None,
    "--release": None,
    "--tests": None,
    "--verbose": None,
    "--workspace": None,
}
_SHORT: Final = {
    "-F": "--features",
    "-j": "--jobs",
    "-p": "--package",
    "-q": "--quiet",
    "-r": "--release",
    "-v": "--verbose",
    "--all": "--workspace",
}
# These say nothing that is not so in any case.
_IMPLIED: Final = frozenset({"--frozen", "--locked", "--no-fail-fast", "--offline", "--quiet", "--verbose"})
_KINDS: Final = {"--lib": ("lib",), "--bins": ("bin",), "--tests": ("lib", "bin", "test")}
_REASONS: Final = {
    "--": "all tests have to run",
    "--all-targets": "benchmarks and examples are no tests",
    "--bench": "benchmarks are no tests",
    "--benches": "benchmarks are no tests",
    "--bin": "all tests have to run; --bins takes those of all programs",
    "--config": "settings of cargo could let somebody else have a say",
    "--doc": "tests in documentation are not covered",
    "--example": "examples are no tests",
    "--examples": "examples are no tests",
    "--no-run": "the tests have to run",
    "--target": "the tests have to run on this machine",
    "--target-dir": "the verifier decides where it builds",
    "--test": "all tests have to run; --tests takes all of them",
    "-Z": "settings of cargo could let somebody else have a say",
}


class CargoCommand(Value, kw_only=True):
    """`build` are flags for the build, `select` those that say what is tested: `kinds`, of lib, bin and test."""

    cargo: str
    build: tuple[str, ...] = ()
    kinds: frozenset[str] = frozenset({"lib", "bin", "test"})
    select: tuple[str, ...] = ("--tests",)
    manifest: str = "Cargo.toml"
    workspace: bool = False
    packages: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()


class RustToolchain(Value, kw_only=True):
    """The folder of a toolchain with its own cargo and rustc."""

    root: Path

    @property
    def cargo(self) -> Path:
        """The executable."""
        return self.root / "bin" / "cargo"

    @property
    def rustc(self) -> Path:
        """The executable."""
        return self.root / "bin" / "rustc"

    @property
    def libraries(self) -> tuple[Path, ...]:
        """Where the tests of a procedural macro find Rust's own libraries."""
        return (self.root / "lib", *sorted(self.root.glob("lib/rustlib/*/lib")))


def checked(argv: tuple[str, ...]) -> CargoCommand:
    """The command that `argv` spells. Raises ConfigurationError for an argument that is not honoured, naming it.

    Not checked: the executable, see `toolchain`.
    """
    if len(argv) < 2 or argv[1] not in ("test", "t"):
        raise ConfigurationError("runner cargo: the command has to begin with the path of cargo and `test`")
    given: list[tuple[str, str]] = []
    words = iter(word for word in argv[2:] if JUNIT not in word)
    for word in words:
        name, sign, value = _split(word)
        if name not in _VALUES:
            reason = _REASONS.get(name) or (None if word.startswith("-") else "all tests have to run; no name selects")
            raise _refused(word, reason)
        wanted = _VALUES[name]
        if wanted is None and sign:
            raise _refused(word, None)
        if wanted is not None:
            value = value if sign else next(words, "")
            if not wanted.fullmatch(value) or ".." in PurePosixPath(value).parts:
                raise _refused(word if sign else f"{word} {value}".rstrip(), None)
        given.append((name, value))
    return _command(argv[0], given)


def _split(word: str) -> tuple[str, str, str]:
    """Name, sign and value of an argument, the value empty if it is the next one: `-pNAME` is one as well."""
    if word.startswith("--") and word != "--":
        name, sign, value = word.partition("=")
        return _SHORT.get(name, name), sign, value
    name = _SHORT.get(word[:2], word if word[:2] != "-Z" else "-Z")
    if word[:2] in _SHORT and len(word) > 2:
        return name, "=", word[2:].removeprefix("=")
    return name, "", ""


def _command(cargo: str, given: list[tuple[str, str]]) -> CargoCommand:
    select = tuple(dict.fromkeys(name for name, _ in given if name in _KINDS)) or ("--tests",)
    build: list[str] = []
    for name, value in given:
        if name not in _IMPLIED and name not in _KINDS:
            build += [name, value] if value else [name]
    return CargoCommand(
        cargo=cargo,
        build=tuple(build),
        kinds=frozenset(kind for name in select for kind in _KINDS[name]),
        select=select,
        manifest=next((value for name, value in reversed(given) if name == "--manifest-path"), "Cargo.toml"),
        workspace=any(name == "--workspace" for name, _ in given),
        packages=frozenset(value for name, value in given if name == "--package"),
        excluded=frozenset(value for name, value in given if name == "--exclude"),
    )


def _refused(word: str, reason: str | None) -> ConfigurationError:
    return ConfigurationError(f"runner cargo: argument {escape(word)} is not honoured{': ' + reason if reason else ''}")


def toolchain(cargo: str) -> RustToolchain:
    """The toolchain that this executable belongs to, found from where it lies and not by asking it.

    Raises ConfigurationError for one that belongs to none, such as the proxy of rustup: which toolchain that starts is
    said by a file in the tree.
    """
    real = Path(cargo).resolve()
    root = real.parent.parent
    chain = RustToolchain(root=root)
    if real == chain.cargo and chain.rustc.is_file() and (root / "lib" / "rustlib").is_dir():
        return chain
    found = sorted(Path(cargo).parent.parent.parent.glob(".rustup/toolchains/*/bin/cargo"))
    example = f", such as {found[-1]}" if found else ""
    raise ConfigurationError(
        f"runner cargo: {escape(cargo)} lies in no toolchain with bin/rustc and lib/rustlib",
        hint=f"name the toolchain's own cargo and not the proxy of rustup{example}",
    )
