"""What the types of a profile cannot say: names, paths, globs, and keys that contradict each other in one file."""

import re
from collections.abc import Hashable, Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError, ProfileError
from in_toto_done_receipt.observe.globs import compile_glob
from in_toto_done_receipt.profile.limits import limit_value
from in_toto_done_receipt.profile.model import (
    CommandEntry,
    EvidenceDemand,
    PlantEntry,
    Profile,
    SandboxDemand,
    TestsDemand,
)
from in_toto_done_receipt.profile.waivers import check_exceptions, check_selectors
from in_toto_done_receipt.wire.paths import check_path

JUNIT: Final = "{junit}"
TOKEN: Final = "{token}"  # noqa: S105  (a name, no secret of anybody)

_PATH_KINDS: Final = ("path", "file", "text")
_ARGV_KINDS: Final = ("command", "tests")
_PYTHON: Final = ("pytest", "unittest")  # the runners for which there is a value that equals nothing
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_URI: Final = re.compile(r"[a-z][a-z0-9+.-]*:[!-~]+", re.ASCII)


def check_profile(profile: Profile, what: str) -> None:
    """Raise ProfileError for the first fault; `what` names the file."""
    for index, demand in enumerate(profile.evidence):
        _check_demand(demand, f"{what}: evidence[{index}]")
    for index, entry in enumerate(profile.command):
        _check_command(entry, f"{what}: command[{index}]")
    _check_repeats([(demand.claim, demand.kind) for demand in profile.evidence], f"{what}: evidence")
    _check_repeats([entry.argv for entry in profile.command], f"{what}: command")
    if profile.tests is not None:
        _check_tests(profile.tests, f"{what}: tests")
    _check_globs(profile, what)
    if profile.sandbox is not None:
        _check_sandbox(profile.sandbox, f"{what}: sandbox")
    for index, name in enumerate(profile.predicate_types or ()):
        _check_uri(name, f"{what}: predicateTypes[{index}]")
    if profile.source is not None:
        _check_uri(profile.source.repository, f"{what}: source.repository")
    for name, value in (profile.limits or {}).items():
        limit_value(name, value, where=f"{what}: limits")
    check_selectors(profile, what)
    check_exceptions(profile, what)


def _check_demand(demand: EvidenceDemand, where: str) -> None:
    if demand.argv and demand.kind not in _ARGV_KINDS:
        raise ProfileError(f"{where}.argv: goes with kind {' or '.join(_ARGV_KINDS)}, this one is {demand.kind}")
    if demand.runner is not None and demand.kind != "tests":
        raise ProfileError(f"{where}.runner: goes with kind tests, this one is {demand.kind}")
    if demand.runner is not None and demand.argv:
        raise ProfileError(f"{where}: argv and runner exclude each other", hint="name the one that must be equal")
    if demand.paths and demand.kind not in _PATH_KINDS:
        raise ProfileError(f"{where}.paths: goes with kind {', '.join(_PATH_KINDS)}, this one is {demand.kind}")
    _check_words(demand.argv, f"{where}.argv")
    for path in demand.paths:
        if fault := check_path(path):
            raise ProfileError(f"{where}.paths: {path}: {fault}")


def _check_command(entry: CommandEntry, where: str) -> None:
    check_executable(entry.argv, f"{where}.argv")


def check_executable(argv: Sequence[str], where: str) -> None:
    """Raise ProfileError unless these are the words of a process whose executable is an absolute path."""
    if not argv or not argv[0]:
        raise ProfileError(f"{where}: is empty")
    _check_words(argv, where)
    if not PurePosixPath(argv[0]).is_absolute():
        raise ProfileError(
            f"{where}: executable {argv[0]} is not an absolute path",
            hint="an absolute path cannot be redirected by PATH",
        )


def _check_words(argv: Iterable[str], where: str) -> None:
    """No path, argument or variable of a process can hold a NUL; a profile that names one never does what it says."""
    for word in argv:
        if "\0" in word:
            raise ProfileError(f"{where}: {word} holds a NUL")


def _check_repeats(keys: Sequence[Hashable], where: str) -> None:
    seen: set[Hashable] = set()
    for index, key in enumerate(keys):
        if key in seen:
            raise ProfileError(f"{where}[{index}]: stands there twice")
        seen.add(key)


def _check_tests(tests: TestsDemand, where: str) -> None:
    check_executable(tests.argv, f"{where}.argv")
    places = sum(word.count(JUNIT) for word in tests.argv)
    if tests.runner == "junit" and places != 1:
        raise ProfileError(
            f"{where}.argv: names {JUNIT} {places} times, runner junit wants it once",
            hint=f"{JUNIT} stands for the file that your runner writes",
        )
    if places > 1:
        raise ProfileError(f"{where}.argv: names {JUNIT} {places} times, at most once")
    layers = tests.canaries or ()
    if tests.runner == "junit" and (more := [layer for layer in layers if layer != "planted"]):
        raise ProfileError(f"{where}.canaries: runner junit has the layer planted, not {', '.join(more)}")
    if "value" in layers and tests.runner not in _PYTHON:
        raise ProfileError(f"{where}.canaries: value goes with {' and '.join(_PYTHON)}, this runner is {tests.runner}")
    _check_of_runner(tests, where)


def _check_of_runner(tests: TestsDemand, where: str) -> None:
    """Keys that only one runner has a use for."""
    paths = {"nodeModules": ("node", tests.node_modules), "cache": ("go", tests.cache)}
    for key, (runner, path) in paths.items():
        if path is None:
            continue
        if tests.runner != runner:
            raise ProfileError(f"{where}.{key}: goes with runner {runner}, this one is {tests.runner}")
        _check_words([path], f"{where}.{key}")
        if not PurePosixPath(path).is_absolute():
            raise ProfileError(f"{where}.{key}: {path} is not an absolute path")
    if tests.plant and tests.runner != "junit":
        raise ProfileError(f"{where}.plant: goes with runner junit, {tests.runner} plants canaries of its own")
    if tests.plant is None and "planted" in (tests.canaries or ()) and tests.runner == "junit":
        raise ProfileError(f"{where}.canaries: planted is demanded, and [[tests.plant]] says nothing to plant")
    _check_repeats([entry.path for entry in tests.plant or ()], f"{where}.plant")
    for index, entry in enumerate(tests.plant or ()):
        _check_plant(entry, f"{where}.plant[{index}]")


def _check_plant(entry: PlantEntry, where: str) -> None:
    if fault := check_path(entry.path):
        raise ProfileError(f"{where}.path: {entry.path}: {fault}")
    for key, ids in {"failing": entry.failing, "passing": entry.passing}.items():
        for index, id in enumerate(ids):
            if TOKEN not in id:
                raise ProfileError(
                    f"{where}.{key}[{index}]: {id} does not hold {TOKEN}",
                    hint="a test of the change could be called so",
                )
    if both := set(entry.failing) & set(entry.passing):
        raise ProfileError(f"{where}: {min(both)} is failing and passing")


def _check_globs(profile: Profile, what: str) -> None:
    contract, change = profile.contract, profile.change
    lists = {
        "contract.sealed": () if contract is None else contract.sealed,
        "contract.protected": () if contract is None else contract.protected,
        "change.allowed": () if change is None else change.allowed,
        "change.protected": () if change is None else change.protected,
    }
    for name, patterns in lists.items():
        for index, pattern in enumerate(patterns or ()):
            try:
                compile_glob(pattern)
            except ConfigurationError as error:
                raise ProfileError(f"{what}: {name}[{index}]: {error.message}", hint=error.hint) from None
    both = set(lists["change.allowed"] or ()) & set(lists["change.protected"] or ())
    if both:
        raise ProfileError(f"{what}: change: {min(both)} is allowed and protected")


def _check_sandbox(sandbox: SandboxDemand, where: str) -> None:
    for index, path in enumerate(sandbox.read_only):
        _check_words([path], f"{where}.readOnly[{index}]")
        if not PurePosixPath(path).is_absolute():
            raise ProfileError(f"{where}.readOnly[{index}]: {path} is not an absolute path")
    for name, text in sandbox.variables.items():
        _check_words([text], f"{where}.variables.{name}")
        if not _VARIABLE.fullmatch(name):
            raise ProfileError(f"{where}.variables: {name} is not a variable's name")


def is_uri(text: str) -> bool:
    """Whether this is an absolute URI, as far as its characters say."""
    return _URI.fullmatch(text) is not None


def _check_uri(text: str, where: str) -> None:
    if not is_uri(text):
        raise ProfileError(f"{where}: expected a URI, got {text!a}", hint="write it with its scheme, as https://…")
