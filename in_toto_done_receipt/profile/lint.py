"""What a profile leaves open. Nothing here is wrong: a profile that says little admits more than its author may think.

The numbers are those of the first ten threats, "a false done would be admitted". What the flags of one verification
close (--contract, --audit-log, --artifact) is not known here.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.profile.load import COLLECTIONS
from in_toto_done_receipt.profile.model import EvidenceDemand
from in_toto_done_receipt.profile.settings import DEFAULT_SKEW, Exemption, Settings
from in_toto_done_receipt.wire.rfc3339 import format_time, parse_time

LONG_EXCEPTION: Final = timedelta(days=366)

_WEAK_KINDS: Final = ("path", "output")  # they say that something is there, not what is in it
_RUN_KINDS: Final = ("command", "tests")
_SECRET_WORDS: Final = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "PRIVATE", "CREDENTIAL", "APIKEY", "API_KEY")
_BROAD: Final = ("/", "/home", "/root", "/etc", "/var", "/run", "/tmp", "/proc", "/sys", "/dev")  # noqa: S108 - names
_HALVES: Final = frozenset({"halves", "gate"})  # canaries that leave no existing test to chance: either will do


class OpenThreat(NamedTuple):
    """A threat that the settings do not close: its number, what would be admitted, and the keys that would close it."""

    number: int
    what: str
    closed_by: str


class WeakLine(NamedTuple):
    """A line of a profile that admits more, or less, than one may think."""

    key: str
    message: str


def open_threats(settings: Settings) -> tuple[OpenThreat, ...]:
    """The threats 1 to 10 that these settings do not close, in order."""
    found = []
    for threat in THREATS:
        if keys := [*threat.missing(settings), *_waived(settings, threat.categories)]:
            found.append(OpenThreat(threat.number, threat.what, ", ".join(keys)))
    return tuple(found)


def _waived(settings: Settings, categories: tuple[str, ...]) -> list[str]:
    """What the profile leaves out or excepts of the rules that close a threat."""
    left_out = [text for text in settings.exclude if text.startswith("@") or text.partition(".")[0] in categories]
    excepted = [one.code for one in settings.exceptions if one.code.partition(".")[0] in categories]
    return [f"no exclude of {text}" for text in left_out] + [f"no exception of {code}" for code in excepted]


def _ci(settings: Settings) -> list[str]:
    """What every check of the clean room needs: a collection that demands it."""
    return [] if COLLECTIONS.index(settings.collection) >= COLLECTIONS.index("ci") else ['collection = "ci"']


def _no_content(settings: Settings) -> list[str]:
    strong = any(demand.kind not in _WEAK_KINDS for demand in settings.evidence)
    return [] if strong else ["[[evidence]] of kind file, text, command or tests"]


def _nothing_shown(settings: Settings) -> list[str]:
    return [] if settings.minimum_assurance != "reported" else ['minimumAssurance = "fully_rechecked"']


def _leaving_out(settings: Settings) -> list[str]:
    missing = []
    if settings.models is None:
        missing.append("[agent] models")
    if not settings.usage:
        missing.append("[usage]")
    if settings.repository is None:
        missing.append("[source] repository")
    return missing


def _not_checked(settings: Settings) -> list[str]:
    return _nothing_shown(settings) + _ci(settings)


def _narrow_command(settings: Settings) -> list[str]:
    if settings.tests is not None and not _ci(settings):
        return []
    runs = [demand for demand in settings.evidence if demand.kind in _RUN_KINDS]
    if not runs:
        return ["[[evidence]] of kind command with argv, or [tests]"]
    return [f"argv in [[evidence]] {demand.claim}" for demand in runs if not _bound(demand)]


def _bound(demand: EvidenceDemand) -> bool:
    """Whether the verifier says what runs: an argv, or tests, which are run by [tests] alone."""
    return bool(demand.argv) or demand.kind == "tests"


def _weak_base(settings: Settings) -> list[str]:
    return _ci(settings)


def _weak_seals(settings: Settings) -> list[str]:
    return ([] if settings.contract_sealed else ["[contract] sealed"]) + _ci(settings)


def _clean_room(settings: Settings) -> list[str]:
    return ([] if settings.tests is not None else ["[tests]"]) + _ci(settings)


def _complete(canaries: tuple[str, ...]) -> bool:
    return "planted" in canaries and not _HALVES.isdisjoint(canaries)


def _forged_report(settings: Settings) -> list[str]:
    missing = _clean_room(settings)
    if settings.tests is not None and settings.tests.runner == "junit":
        missing.append("a runner other than junit in [tests]")
    elif settings.tests is not None and not _complete(settings.tests.canaries or ()):
        missing.append('[tests] canaries = ["planted", "halves"]')
    return missing


class _Threat(NamedTuple):
    """`missing` gives the keys that are missing against it; `categories` are those of the rules that close it."""

    number: int
    what: str
    missing: Callable[[Settings], list[str]]
    categories: tuple[str, ...]


THREATS: Final = (
    _Threat(1, '"all tests pass" with evidence that a file exists', _no_content, ("profile",)),
    _Threat(2, "a receipt that shows nothing", _nothing_shown, ("assurance", "evidence")),
    _Threat(3, "a receipt that leaves out its model, usage or source", _leaving_out, ("agent", "usage", "freshness")),
    _Threat(4, "what nobody checked", _not_checked, ("subjects", "contract", "evidence", "context", "verdict")),
    _Threat(5, "a test command that the receipt chose", _narrow_command, ("profile", "tests")),
    _Threat(6, "a base that the receipt chose, with weak tests", _weak_base, ("change", "contract")),
    _Threat(7, "tests weakened and then sealed, or seals on files that do not matter", _weak_seals, ("contract",)),
    _Threat(8, "added files that steer the test runner", _clean_room, ("tests", "change")),
    _Threat(9, "a new test file that makes old tests pass", _clean_room, ("tests",)),
    _Threat(10, "a test report that the product rewrote", _forged_report, ("tests",)),
)


def weak_lines(settings: Settings, *, at: datetime) -> tuple[WeakLine, ...]:
    """Lines that weaken the profile or can never be met, by key; `at` judges the ends of exceptions."""
    return tuple(
        line
        for lines in (_choice(settings), _evidence(settings), _commands(settings), _room(settings), _time(settings))
        for line in lines
    ) + tuple(line for exemption in settings.exceptions for line in _exception(exemption, settings, at))


def _choice(settings: Settings) -> Iterator[WeakLine]:
    for selector in settings.exclude:
        yield WeakLine("exclude", f"{selector} is not demanded, whatever the collection says")
    if settings.minimum_assurance != "fully_rechecked":
        yield WeakLine("minimumAssurance", f"{settings.minimum_assurance}: part of what a receipt says is hearsay")
    if settings.plugins:
        yield WeakLine("plugins", f"{', '.join(settings.plugins)}: code of others reads the statement")


def _evidence(settings: Settings) -> Iterator[WeakLine]:
    allowed = {entry.argv for entry in settings.commands}
    for demand in settings.evidence:
        where = f"evidence {demand.claim}/{demand.kind}"
        if demand.kind in _WEAK_KINDS:
            yield WeakLine(where, "says that something is there, not what is in it")
        if demand.kind == "command" and demand.argv and demand.argv not in allowed:
            yield WeakLine(where, "no [[command]] allows its argv: it is never confirmed without --allow-command")
        if demand.kind == "command" and not demand.argv:
            yield WeakLine(where, "any allowed command will do: name argv")
        if demand.kind in ("file", "text") and not demand.paths:
            yield WeakLine(where, "any file will do: name paths")


def _commands(settings: Settings) -> Iterator[WeakLine]:
    for index, entry in enumerate(settings.commands):
        if entry.exit_code != 0:
            yield WeakLine(
                f"command[{index}].exitCode", f"{entry.argv[0]} counts as success when it says {entry.exit_code}"
            )
    for name, value in settings.limits.items():
        if value > LIMITS[name].default:
            yield WeakLine(f"limits.{name}", f"{value} is more than the default, {LIMITS[name].default}")


def _room(settings: Settings) -> Iterator[WeakLine]:
    if settings.sandbox_required != "bubblewrap":
        yield WeakLine("sandbox.required", f"{settings.sandbox_required}: commands can see the network and other files")
    for path in settings.read_only:
        if (path.rstrip("/") or "/") in _BROAD:
            yield WeakLine("sandbox.readOnly", f"{path}: a command can read everything below it")
    if settings.tests is not None and settings.tests.writable:
        yield WeakLine("tests.writable", "a test can change the files that the tests after it read")
    for name in settings.variables:
        if any(word in name.upper() for word in _SECRET_WORDS):
            yield WeakLine(f"sandbox.variables.{name}", "every command that a receipt names can read it")


def _time(settings: Settings) -> Iterator[WeakLine]:
    if settings.max_age is None:
        yield WeakLine("freshness.maxAge", "not set: a receipt of any age is admitted")
    elif settings.skew > settings.max_age:
        yield WeakLine("freshness.skew", f"{settings.skew} is more than maxAge, {settings.max_age}")
    if settings.skew > DEFAULT_SKEW:
        yield WeakLine("freshness.skew", f"{settings.skew} is more than the default, {DEFAULT_SKEW}")


def _exception(exemption: Exemption, settings: Settings, at: datetime) -> Iterator[WeakLine]:
    where = f"exception {exemption.code}" + (f":{exemption.term}" if exemption.term else "")
    end = parse_time(exemption.expires)
    if end <= at:
        yield WeakLine(where, f"expired on {format_time(end)}")
    elif end - at > LONG_EXCEPTION:
        yield WeakLine(where, f"holds until {format_time(end)}, more than a year")
    if exemption.term is None and exemption.subject is None:
        yield WeakLine(where, "too wide: names neither a term nor a subject")
    if exemption.code == "profile.evidence" and exemption.term is not None:
        demands = [f"{demand.claim}/{demand.kind}" for demand in settings.evidence]
        if exemption.term not in demands:
            yield WeakLine(where, "waives nothing: no [[evidence]] demands it")
