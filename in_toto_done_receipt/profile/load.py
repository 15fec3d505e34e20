"""Read acceptance.toml: types first, then what types cannot say, each fault naming the place."""

from pathlib import PurePosixPath
from typing import Final

from in_toto_done_receipt.errors import ProfileError
from in_toto_done_receipt.profile.limits import limit_value
from in_toto_done_receipt.profile.model import UNAVAILABLE, CommandEntry, EvidenceDemand, Profile
from in_toto_done_receipt.wire.config import nearest, read_config
from in_toto_done_receipt.wire.paths import check_path
from in_toto_done_receipt.wire.record import Record

COLLECTIONS: Final = ("minimal", "ci", "protected-branch", "release")  # weakest first: each adds to the one before

_PATH_KINDS: Final = ("path", "file", "text")


def load_profile(data: bytes, *, what: str) -> Profile:
    """The profile in these bytes. `what` names the file in messages. Raises ProfileError."""
    profile = read_config(data, Profile, what=what, error=ProfileError, unavailable=UNAVAILABLE)
    if profile.collection is not None:
        check_collection(profile.collection, what=f"{what}: collection")
    for index, demand in enumerate(profile.evidence):
        _check_demand(demand, f"{what}: evidence[{index}]")
    for index, entry in enumerate(profile.command):
        _check_command(entry, f"{what}: command[{index}]")
    _check_repeats([_demand_key(demand) for demand in profile.evidence], f"{what}: evidence")
    _check_repeats([entry.argv for entry in profile.command], f"{what}: command")
    _check_rest(profile, what)
    return profile


def check_collection(name: str, *, what: str) -> None:
    """Raise ProfileError unless there is such a collection."""
    if name not in COLLECTIONS:
        raise ProfileError(f"{what}: unknown collection {name}", hint=nearest(name, list(COLLECTIONS)))


def _demand_key(demand: EvidenceDemand) -> tuple[object, ...]:
    return (demand.claim, demand.kind)


def _check_demand(demand: EvidenceDemand, where: str) -> None:
    if demand.kind == "tests":
        raise ProfileError(f"{where}.kind: tests is not available in this version: nothing runs them again yet")
    if demand.argv and demand.kind != "command":
        raise ProfileError(f"{where}.argv: goes with kind command, this one is {demand.kind}")
    if demand.paths and demand.kind not in _PATH_KINDS:
        raise ProfileError(f"{where}.paths: goes with kind {', '.join(_PATH_KINDS)}, this one is {demand.kind}")
    for path in demand.paths:
        if fault := check_path(path):
            raise ProfileError(f"{where}.paths: {path}: {fault}")


def _check_command(entry: CommandEntry, where: str) -> None:
    if not entry.argv or not entry.argv[0]:
        raise ProfileError(f"{where}.argv: is empty")
    for word in entry.argv:
        _check_nul(word, f"{where}.argv")
    if not PurePosixPath(entry.argv[0]).is_absolute():
        raise ProfileError(
            f"{where}.argv: executable {entry.argv[0]} is not an absolute path",
            hint="an absolute path cannot be redirected by PATH",
        )


def _check_nul(text: str, where: str) -> None:
    """No path, argument or variable of a process can hold a NUL; a profile that names one never does what it says."""
    if "\0" in text:
        raise ProfileError(f"{where}: {text} holds a NUL")


def _check_repeats(keys: list[tuple[object, ...]], where: str) -> None:
    seen: set[tuple[object, ...]] = set()
    for index, key in enumerate(keys):
        if key in seen:
            raise ProfileError(f"{where}[{index}]: stands there twice")
        seen.add(key)


def _check_rest(profile: Profile, what: str) -> None:
    for name, listed in (("predicateTypes", profile.predicate_types), ("plugins", profile.plugins)):
        if listed is not None and not listed:
            raise ProfileError(f"{what}: {name}: is empty", hint=f"leave {name} out for the default")
    if profile.agent is not None and not profile.agent.models:
        raise ProfileError(f"{what}: agent.models: is empty", hint="no model could ever satisfy it")
    sections: tuple[tuple[str, Record | None], ...] = (("freshness", profile.freshness), ("usage", profile.usage))
    for section, record in sections:
        if record is not None and all(getattr(record, field) is None for field in record.__struct_fields__):
            raise ProfileError(f"{what}: {section}: is empty")
    for name, value in (profile.limits or {}).items():
        limit_value(name, value, where=f"{what}: limits")
    if profile.sandbox is not None:
        for path in profile.sandbox.read_only:
            _check_nul(path, f"{what}: sandbox.readOnly")
            if not PurePosixPath(path).is_absolute():
                raise ProfileError(f"{what}: sandbox.readOnly: {path} is not an absolute path")
        for name, text in profile.sandbox.variables.items():
            _check_nul(text, f"{what}: sandbox.variables.{name}")
            if not name.replace("_", "a").isalnum() or name[0].isdigit() or not name.isascii():
                raise ProfileError(f"{what}: sandbox.variables: {name} is not a variable's name")
