"""Ids of tests as others write them: a receipt cites tests as JUnit files name them, `classname::name`."""

import re
from typing import Final

from in_toto_done_receipt.observe.runners.node_events import SEPARATOR

_CARGO: Final = re.compile(r"(?:([\w-]+)/)?(?:lib|(test|bin|example):([^:]*))::(.+)")


def spellings(runner: str, identity: str) -> tuple[str, ...]:
    """The runner's own id, and each way in which tools for this runner write it as `classname::name`.

    Several tests can share a spelling: Node's own reporter leaves out file and suites.
    """
    found = {
        "pytest": _pytest,
        "unittest": _dotted,
        "go": _dotted,
        "node": _node,
        "cargo": _cargo,
    }.get(runner)
    others = () if found is None else found(identity)
    return tuple(dict.fromkeys((identity, *others)))


def _pytest(identity: str) -> tuple[str, ...]:
    """As pytest's own report: the path with dots and without its ending, then the classes; parameters stay."""
    address, bracket, parameters = identity.partition("[")
    path, *names = address.split("::")
    if not names:
        return ()
    module = path.replace("/", ".").removesuffix(".py")
    return (f"{'.'.join((module, *names[:-1]))}::{names[-1]}{bracket}{parameters}",)


def _dotted(identity: str) -> tuple[str, ...]:
    """`module.Class.method` and `import/path.TestName`."""
    place, dot, name = identity.rpartition(".")
    return (f"{place}::{name}",) if dot else ()


def _node(identity: str) -> tuple[str, ...]:
    """As Node's own report, and as tools that keep the suites or the file as class."""
    file, *names = identity.split(SEPARATOR)
    if not names:
        return ()
    suites = SEPARATOR.join(names[:-1])
    return (
        f"test::{names[-1]}",
        f"{suites}::{names[-1]}" if suites else f"{file}::{names[-1]}",
        f"{file}::{SEPARATOR.join(names)}",
    )


def _cargo(identity: str) -> tuple[str, ...]:
    """Without the kind of the binary: tools put the crate's name there, or nothing. The name of a package is known for
    other members of a workspace only: for those also as cargo-nextest writes it.
    """
    match = _CARGO.fullmatch(identity)
    if match is None:
        return ()
    package, kind, binary, name = match.groups()
    if package is None:
        return (name,)
    place = {None: package, "test": f"{package}::{binary}"}.get(kind, f"{package}::{kind}/{binary}")
    return (name, f"{place}::{name}")
