"""Runner `go`: the verifier builds the test binaries and starts each of them itself.

The build runs nothing of the change: cgo is off, no flag of the tree or of a home reaches it, and it finds no other
program. So it may write into the verifier's own build cache, which the tests never see. What they write to standard
output is the channel; the framework marks its own lines with one byte that the tested code can write too.
"""

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.runners import go_packages
from in_toto_done_receipt.observe.runners.go_command import GoCommand, GoToolchain, checked, toolchain
from in_toto_done_receipt.observe.runners.go_events import planned, read_events, until_panic
from in_toto_done_receipt.observe.runners.judge import Event, judge
from in_toto_done_receipt.observe.runners.model import Planted, Site, Sources, TestRun, TestState
from in_toto_done_receipt.observe.runners.room import Room
from in_toto_done_receipt.observe.runners.steps import Part, Steps, ending, first_words, told
from in_toto_done_receipt.observe.sandbox.model import CommandOutcome
from in_toto_done_receipt.wire.value import Value

_LINKED: Final = "-ldflags=-s -w"  # without debug information, as `go test` links what it runs at once
_PANICS: Final = 50  # tests of one package that may panic, each of which costs a process more


class _Built(Value, kw_only=True):
    """A test binary, and the folder below the tree where its package lies."""

    package: str
    folder: str
    binary: Path


class GoRunner:
    """Tests of Go packages; ids are `import/path.TestName`, and a subtest counts for its test."""

    name = "go"

    def run(self, room: Room, argv: tuple[str, ...], sources: Sources) -> TestRun:
        """All tests of the packages that the command names.

        A test that panics ends its process: it failed, and those that had not reported run in a process after it.
        Raises ConfigurationError for an argument that is not honoured, or an executable that lies in no Go.
        """
        command = checked(argv)
        chain = toolchain(command.go)
        steps = Steps(room, _shown(chain))
        built = _built(steps, room, command, chain, sources)
        if isinstance(built, TestRun):
            return built
        return steps.joined([_tested(steps, command, each) for each in built], red=1)

    def plant(self, argv: tuple[str, ...], sources: Sources, token: str) -> Planted:
        """A file of tests in every package that has tests. Raises as `run`, and ObservationError."""
        return go_packages.planted(_packages(argv, sources), token)

    def sites(self, argv: tuple[str, ...], sources: Sources, ids: Collection[str]) -> tuple[Site, ...]:
        """The plain functions among them; examples have none. Raises as `run`, and ObservationError."""
        return go_packages.sites(_packages(argv, sources), ids)


def _packages(argv: tuple[str, ...], sources: Sources) -> tuple[go_packages.GoPackage, ...]:
    command = checked(argv)
    return go_packages.packages(command, sources, toolchain(command.go).version[1])


def _shown(chain: GoToolchain) -> tuple[Path, ...]:
    return () if chain.root.is_relative_to("/usr") else (chain.root,)


def _environment(steps: Steps, room: Room, command: GoCommand, chain: GoToolchain, sources: Sources) -> dict[str, str]:
    """All of Go's settings that could let somebody else have a say, and where it keeps what it makes."""
    vendored = command.vendored
    if vendored is None:
        folder = f"{command.folder}/" if command.folder else ""
        vendored = f"{folder}vendor/modules.txt" in set(sources.paths())
    variables = {
        "CGO_ENABLED": "0",
        "GO111MODULE": "on",
        "GOCACHE": str((room.cache or steps.folder) / "go-build"),
        "GOENV": "off",
        "GOFLAGS": "-mod=vendor" if vendored else "-mod=readonly",
        "GOPROXY": "off",
        "GOROOT": str(chain.root),
        "GOSUMDB": "off",
        "GOTELEMETRY": "off",
        "GOTOOLCHAIN": "local",
        "GOVCS": "*:off",
        "GOWORK": "off",
        "PATH": str(chain.root / "bin"),
    }
    return variables if "GOMODCACHE" in room.variables else {**variables, "GOMODCACHE": str(steps.folder / "modules")}


def _built(
    steps: Steps, room: Room, command: GoCommand, chain: GoToolchain, sources: Sources
) -> list[_Built] | TestRun:
    """The binary of every package that has tests, or the run that ended here."""
    variables = _environment(steps, room, command, chain, sources)
    tags = (f"-tags={','.join(command.tags)}",) if command.tags else ()
    listing = steps.execute(
        (
            str(chain.go),
            "list",
            "-buildvcs=false",
            *tags,
            "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles",
            *command.packages,
        ),
        cwd=command.folder,
        variables=variables,
        cached=True,
        building=True,
    )
    if listing.exit_code != 0:
        return steps.failed("go list", listing, _with_hint(listing, room))
    try:
        wanted = list(_listed(listing.stdout_data, room.tree.resolve(), steps.folder))
    except (ValueError, KeyError, TypeError, ObservationError) as fault:
        return steps.failed("go list", listing, f"its answer cannot be used: {fault}".encode())
    for group in _groups(wanted):
        build = steps.execute(
            (
                *(str(chain.go), "test", "-c", "-vet=off", "-buildvcs=false", _LINKED, *tags),
                *("-o", f"{group[0].binary.parent}/", *(each.package for each in group)),
            ),
            cwd=command.folder,
            variables=variables,
            cached=True,
            building=True,
        )
        if build.exit_code != 0:
            return steps.failed("the tests cannot be built", build, _with_hint(build, room))
        if lost := [each.package for each in group if not each.binary.is_file()]:
            return steps.failed("the tests cannot be built", build, f"no test binary of {lost[0]}".encode())
    return wanted


def _with_hint(outcome: CommandOutcome, room: Room) -> bytes:
    said = outcome.stderr.excerpt
    if b"GOPROXY=off" in said and "GOMODCACHE" not in room.variables:
        said = b"the profile names no GOMODCACHE that holds the modules\n" + said
    return said


def _listed(answer: bytes, tree: Path, folder: Path) -> Iterator[_Built]:
    """The packages with tests, and where their binaries go. Raises ValueError, KeyError or TypeError for nonsense."""
    decoder = json.JSONDecoder()
    text = answer.decode()
    at = 0
    taken: dict[str, int] = {}
    while at < len(text):
        package, at = decoder.raw_decode(text, at)
        while at < len(text) and text[at].isspace():
            at += 1
        if not package.get("TestGoFiles") and not package.get("XTestGoFiles"):
            continue
        path, place = str(package["ImportPath"]), Path(package["Dir"])
        if not place.is_relative_to(tree):
            raise ValueError(f"package {path} does not lie in the tree")
        name = _binary_name(path)
        taken[name] = taken.get(name, 0) + 1
        yield _Built(
            package=path,
            folder="" if place == tree else str(place.relative_to(tree)),
            binary=folder / f"bin{taken[name]}" / name,
        )


def _binary_name(path: str) -> str:
    """What `go test -c` calls the binary of a package: its last element, or that before a major version."""
    elements = path.split("/")
    if len(elements) > 1 and re.fullmatch(r"v(?:[2-9]|[1-9][0-9]+)", elements[-1]):
        return f"{elements[-2]}.test"
    return f"{elements[-1]}.test"


def _groups(wanted: list[_Built]) -> list[list[_Built]]:
    """Packages that can be built by one command: their binaries have different names."""
    groups: dict[Path, list[_Built]] = {}
    for each in wanted:
        groups.setdefault(each.binary.parent, []).append(each)
    return list(groups.values())


def _tested(steps: Steps, command: GoCommand, built: _Built) -> Part:
    """What the tests of one package report."""
    listing = steps.execute((str(built.binary), "-test.list=."), cwd=built.folder, sealed=True)
    if listing.exit_code != 0:
        fault = f"{built.package}: the list of its tests: {ending(listing)}: {first_words(listing.stderr.excerpt)}"
        return Part(states={}, faults=(fault,), exit_code=listing.exit_code, excerpt=listing.stderr.excerpt)
    outcome = _run_binary(steps, command, built, only=())
    events = list(read_events(outcome.stdout_data))
    names = planned(listing.stdout_data, {name for kind, name in events if kind == "start"})
    reported: dict[str, TestState] = {}
    for _ in range(_PANICS):
        waiting = tuple(name for name in names if name not in reported)
        if reported:
            outcome = _run_binary(steps, command, built, only=waiting)
            events = list(read_events(outcome.stdout_data))
        panicked = until_panic(events, outcome.exit_code, waiting)
        if not panicked:
            return _judged(built, names, reported, waiting, events, outcome)
        reported |= panicked
        if reported.keys() == set(names):
            break
    return Part(
        planned=tuple(f"{built.package}.{name}" for name in names),
        states={f"{built.package}.{name}": state for name, state in reported.items()},
        faults=() if reported.keys() == set(names) else (f"{built.package}: more than {_PANICS} tests panic",),
        exit_code=1,
        excerpt=outcome.stderr.excerpt,
    )


def _run_binary(steps: Steps, command: GoCommand, built: _Built, only: tuple[str, ...]) -> CommandOutcome:
    """The tests of a package, or only these of them."""
    selected = ("-test.run=^(?:" + "|".join(only) + ")$",) if only else ()
    fixed = ("-test.v=test2json", "-test.paniconexit0", "-test.count=1")
    return steps.execute((str(built.binary), *fixed, *command.test, *selected), cwd=built.folder, sealed=True)


def _judged(
    built: _Built,
    names: tuple[str, ...],
    reported: dict[str, TestState],
    waiting: tuple[str, ...],
    events: list[Event],
    outcome: CommandOutcome,
) -> Part:
    """The part that a binary makes whose last process is not ended by a panic."""
    _, states, faults = judge([("plan", waiting), *events], outcome.exit_code)
    return Part(
        planned=tuple(f"{built.package}.{name}" for name in names),
        states={f"{built.package}.{name}": state for name, state in (reported | states).items()},
        faults=told(built.package, faults, outcome),
        exit_code=outcome.exit_code if not reported or outcome.exit_code != 0 else 1,
        excerpt=outcome.stderr.excerpt,
    )
