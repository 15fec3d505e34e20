"""Runner `cargo`: the toolchain's own cargo builds the test binaries, the verifier starts each of them itself.

The build runs code of the change (build scripts, procedural macros), so it is confined as the tests are, and the tree
is read-only for it. A `runner` in a configuration of cargo has no say, for cargo starts no test. Test binaries report
as JSON, which the harness of Rust calls unstable: the variable that allows it is there when tests run and not when they
are compiled.
"""

import json
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Final

import msgspec

from in_toto_done_receipt.observe.runners import cargo_sources
from in_toto_done_receipt.observe.runners.cargo_command import CargoCommand, RustToolchain, checked, toolchain
from in_toto_done_receipt.observe.runners.cargo_crates import crates, prefix_of
from in_toto_done_receipt.observe.runners.cargo_events import planned, read_events
from in_toto_done_receipt.observe.runners.judge import judge
from in_toto_done_receipt.observe.runners.model import Planted, Site, Sources, TestRun
from in_toto_done_receipt.observe.runners.room import Room
from in_toto_done_receipt.observe.runners.steps import Part, Steps, ending, first_words, told
from in_toto_done_receipt.observe.sandbox.model import CommandOutcome
from in_toto_done_receipt.wire.value import Value

_RED: Final = 101  # the exit code of Rust's harness when a test failed


class _Built(Value, kw_only=True):
    """A test binary. `folder` is that of its manifest, below the tree; `programs` says whether it may start those of
    its package.
    """

    prefix: str
    folder: str
    binary: Path
    programs: bool
    variables: dict[str, str]


class CargoRunner:
    """Tests of Rust crates; ids are `lib::module::name`, `bin:NAME::…` and `test:FILE::…`, for another package of a
    workspace with `PACKAGE/` before them. Tests in documentation are not covered.
    """

    name = "cargo"

    def run(self, room: Room, argv: tuple[str, ...], sources: Sources) -> TestRun:
        """All tests of the packages that the command names.

        Raises ConfigurationError for an argument that is not honoured, or a cargo that belongs to no toolchain.
        """
        command = checked(argv)
        chain = toolchain(command.cargo)
        steps = Steps(room, () if chain.root.is_relative_to("/usr") else (chain.root,))
        if not any(PurePosixPath(path).name == "Cargo.lock" for path in sources.paths()):
            return steps.not_begun("there is no Cargo.lock, and nothing may decide anew what the tests run with")
        built = _built(steps, room, command, chain)
        if isinstance(built, TestRun):
            return built
        return steps.joined([_tested(steps, each) for each in built], red=_RED)

    def plant(self, argv: tuple[str, ...], sources: Sources, token: str) -> Planted:
        """A module of tests in the root of every crate. Raises as `run`, and ObservationError."""
        return cargo_sources.planted(crates(checked(argv), sources), sources, token)

    def sites(self, argv: tuple[str, ...], sources: Sources, ids: Collection[str]) -> tuple[Site, ...]:
        """The test functions among them that no macro makes. Raises as `run`, and ObservationError."""
        return cargo_sources.sites(crates(checked(argv), sources), sources, ids)


def _built(steps: Steps, room: Room, command: CargoCommand, chain: RustToolchain) -> list[_Built] | TestRun:
    """All test binaries in the order of their ids, or the run that ended here."""
    target = steps.folder / "target"
    variables = {
        "CARGO_INCREMENTAL": "0",
        "CARGO_NET_OFFLINE": "true",
        "CARGO_TARGET_DIR": str(target),
        "CARGO_TERM_COLOR": "never",
        "PATH": f"{chain.root}/bin:/usr/bin:/bin",
        "RUSTC": str(chain.rustc),
        "RUSTC_WORKSPACE_WRAPPER": "",
        "RUSTC_WRAPPER": "",
    }
    if "CARGO_HOME" not in room.variables:
        variables["CARGO_HOME"] = str(steps.folder / "cargo")
    fixed = ("test", "--no-run", "--offline", "--locked", "--message-format=json")
    build = steps.execute(
        (str(chain.cargo), *fixed, *command.select, *command.build), variables=variables, building=True
    )
    if build.exit_code != 0:
        return steps.failed("the tests cannot be built", build, _complaint(build, room))
    artifacts = _Artifacts(command, chain, room.tree.resolve(), target)
    try:
        for message in _messages(build.stdout_data):
            artifacts.take(message)
        return artifacts.built()
    except (ValueError, LookupError, TypeError, AttributeError, OSError) as fault:
        said = f"what cargo says of them cannot be used: {fault}"
        return steps.failed("the tests cannot be built", build, said.encode("utf-8", "backslashreplace"))


def _complaint(build: CommandOutcome, room: Room) -> bytes:
    """Why there are no binaries: the compiler's first error, else cargo's own."""
    for message in _messages(build.stdout_data):
        detail = message.get("message")
        if isinstance(detail, dict) and detail.get("level") == "error":
            return str(detail.get("rendered") or detail.get("message")).encode("utf-8", "backslashreplace")
    said = build.stderr.excerpt
    if b"--offline" in said and "CARGO_HOME" not in room.variables:
        said = b"the profile names no CARGO_HOME that holds the crates; " + said
    return said


def _messages(output: bytes) -> Iterator[dict[str, Any]]:
    """The messages of cargo; a procedural macro can write lines of its own between them."""
    for line in output.decode("utf-8", "replace").split("\n"):
        if line.startswith("{"):
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict):
                yield message


class _Artifacts:
    """What cargo says that it made. Raises as Python does for messages of another form, or that do not fit together."""

    def __init__(self, command: CargoCommand, chain: RustToolchain, tree: Path, target: Path) -> None:
        self._command = command
        self._chain = chain
        self._tree = tree
        self._target = target
        self._found: dict[str, _Built] = {}
        self._programs: dict[str, dict[str, str]] = {}
        self._scripts: dict[str, dict[str, str]] = {}

    def take(self, message: dict[str, Any]) -> None:
        """One message."""
        if message.get("reason") == "build-script-executed":
            self._scripts[message["package_id"]] = _from_script(message)
        if message.get("reason") != "compiler-artifact" or not message.get("executable"):
            return
        manifest = Path(message["manifest_path"])
        if not manifest.is_relative_to(self._tree):
            return  # the build script of a dependency
        folder = str(PurePosixPath(manifest.relative_to(self._tree)).parent)
        folder = "" if folder == "." else folder
        kind, name, binary = _kind(message["target"]["kind"]), message["target"]["name"], Path(message["executable"])
        if not binary.is_relative_to(self._target) or ".." in binary.parts or not binary.is_file():
            raise ValueError(f"the executable of {name} lies at {binary}")
        if message["profile"]["test"]:
            self._test(message["package_id"], manifest, folder, kind, name, binary)
        elif kind == "bin":
            self._programs.setdefault(folder, {})[f"CARGO_BIN_EXE_{name}"] = str(binary)

    def _test(self, package_id: str, manifest: Path, folder: str, kind: str, name: str, binary: Path) -> None:
        package = _name_of(package_id, manifest)
        prefix = prefix_of(package, folder, self._command, kind, name)
        if prefix in self._found:
            raise ValueError(f"two test binaries are called {prefix.removesuffix('::')}")
        own = {
            "CARGO": str(self._chain.cargo),
            "CARGO_MANIFEST_DIR": str(manifest.parent),
            "CARGO_MANIFEST_PATH": str(manifest),
            "CARGO_PKG_NAME": package,
            "LD_LIBRARY_PATH": ":".join(map(str, (binary.parent, binary.parent.parent, *self._chain.libraries))),
        }
        self._found[prefix] = _Built(
            prefix=prefix,
            folder=folder,
            binary=binary,
            programs=kind == "test",
            variables=self._scripts.get(package_id, {}) | own,
        )

    def built(self) -> list[_Built]:
        """The test binaries in the order of their ids; integration tests know the programs of their package."""
        return [
            msgspec.structs.replace(each, variables=each.variables | self._programs.get(each.folder, {}))
            if each.programs
            else each
            for _, each in sorted(self._found.items())
        ]


def _kind(kinds: list[str]) -> str:
    for kind in ("test", "bin", "example", "bench"):
        if kind in kinds:
            return kind
    return "lib"


def _from_script(message: dict[str, Any]) -> dict[str, str]:
    """What a build script sets for the tests too; not what steers the loader or the harness."""
    said = {str(name): str(value) for name, value in message.get("env") or []}
    kept = {name: value for name, value in said.items() if not name.startswith(("LD_", "RUST_", "RUSTC"))}
    usable = {name: value for name, value in kept.items() if name and "=" not in name and "\0" not in name + value}
    return usable | ({"OUT_DIR": str(message["out_dir"])} if message.get("out_dir") else {})


def _name_of(package_id: str, manifest: Path) -> str:
    """The name in a package id, of which there are two forms: `NAME VERSION (URL)`, and `URL#NAME@VERSION` where the
    name is left out if it is that of the folder.
    """
    if " " in package_id:
        return package_id.split(" ")[0]
    last = package_id.rpartition("#")[2]
    return last.split("@")[0] if "@" in last else manifest.parent.name


def _tested(steps: Steps, built: _Built) -> Part:
    """What the tests of one binary report."""
    place = built.prefix.removesuffix("::")
    # The one folder of a build that cargo gives to tests: env!("CARGO_TARGET_TMPDIR").
    own = tuple(folder for folder in (steps.folder / "target" / "tmp",) if folder.is_dir())
    listing = steps.execute(
        (str(built.binary), "--list", "--format", "terse"),
        cwd=built.folder,
        variables=built.variables,
        writable=own,
        sealed=True,
    )
    if listing.exit_code != 0:
        fault = f"{place}: the list of its tests: {ending(listing)}: {first_words(listing.stderr.excerpt)}"
        return Part(states={}, faults=(fault,), exit_code=listing.exit_code, excerpt=listing.stderr.excerpt)
    outcome = steps.execute(
        (str(built.binary), "-Z", "unstable-options", "--format", "json"),
        cwd=built.folder,
        variables={**built.variables, "RUSTC_BOOTSTRAP": "1"},
        writable=own,
        sealed=True,
    )
    events = [("plan", planned(listing.stdout_data)), *read_events(outcome.stdout_data)]
    names, states, faults = judge(events, outcome.exit_code, red=(_RED,))
    return Part(
        planned=tuple(built.prefix + name for name in names),
        states={built.prefix + name: state for name, state in states.items()},
        faults=told(place, faults, outcome),
        exit_code=outcome.exit_code,
        excerpt=outcome.stderr.excerpt,
    )
