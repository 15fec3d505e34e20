"""What the reporter in Node's parent process wrote, as events of tests with ids `file > suite > name`."""

import hashlib
import hmac
import json
from collections import Counter
from typing import Final, NamedTuple
from urllib.parse import unquote

from in_toto_done_receipt.observe.runners.judge import Event

SEPARATOR: Final = " > "
_STATES: Final = ("passed", "failed", "skipped", "xfailed", "xpassed")
_SHOWN: Final = 60  # characters of a line that is noise


class _Raw(NamedTuple):
    """One line of the reporter."""

    kind: str
    nesting: int
    file: str
    name: str
    suite: bool


class _Open(NamedTuple):
    """A test or suite that has started: its name, its id, where its start stands among the events."""

    name: str
    identity: str
    place: int


def read_events(data: bytes, key: bytes, root: str, helpers: frozenset[str] = frozenset()) -> list[Event]:
    """The events in the order in which they were written, with a plan in front.

    A line without a valid authentication code, or out of order, is noise. A file that ends before its first test is
    reported by Node as one test that passed: noise too, unless it is one of `helpers`, which hold no test. A file that
    fails as a whole is an error of its own, with the file as its id, and so is a suite that fails with no test in it.
    """
    return _Reading(root, helpers).events(_lines(data, key))


def _lines(data: bytes, key: bytes) -> list[_Raw | str]:
    """The reporter's lines, and the beginning of each other one."""
    found: list[_Raw | str] = []
    expected = 0
    for line in filter(None, data.split(b"\n")):
        code, _, body = line.partition(b" ")
        if not hmac.compare_digest(code, hmac.new(key, body, hashlib.sha256).hexdigest().encode()):
            found.append(line[:_SHOWN].decode("utf-8", "backslashreplace"))
            continue
        try:
            number, kind, nesting, file, name, *rest = json.loads(body)
            raw = _Raw(str(kind), int(nesting), _text(file), _text(name), rest == ["suite"])
        except (ValueError, TypeError, RecursionError):
            number, raw = -1, _Raw("", 0, "", "", False)
        found.append(raw if number == expected else line[:_SHOWN].decode("utf-8", "backslashreplace"))
        expected += 1
    return found


def _text(value: object) -> str:
    """Without halves of surrogate pairs, which JavaScript allows in a string."""
    return str(value).encode("utf-8", "backslashreplace").decode()


class _Reading:
    """Turns raw lines into events; files are named as below the root."""

    def __init__(self, root: str, helpers: frozenset[str]) -> None:
        self._prefix = root.rstrip("/") + "/"
        self._helpers = helpers
        self._events: list[Event | None] = []
        self._stack: list[_Open] = []
        self._uses: Counter[str] = Counter()

    def events(self, lines: list[_Raw | str]) -> list[Event]:
        """All events, the plan first."""
        enqueued: Counter[str] = Counter()
        reported: Counter[str] = Counter()
        for raw in lines:
            if isinstance(raw, str):
                self._events.append(("bad", raw))
            elif raw.kind == "plan":
                enqueued[self._short(raw.file)] += not self._whole_file(raw)
            elif raw.kind == "start":
                self._start(raw)
            elif raw.kind == "end":
                self._events.append(("end", 0))
            elif raw.kind in _STATES:
                reported[self._short(raw.file)] += not self._whole_file(raw)
                self._outcome(raw)
        events = [event for event in self._events if event is not None]
        plan = list(dict.fromkeys(what for kind, what in events if kind == "start"))
        for file in reported.keys() | enqueued.keys():
            count = enqueued[file]
            if reported[file] > count:
                events.append(("bad", f"{file} announced {count} tests, and reported {reported[file]}"))
            # What was announced and never reported has no name that could be trusted.
            plan += [f"{file}{SEPARATOR}(not reported {number})" for number in range(reported[file] + 1, count + 1)]
        return [("plan", plan), *events]

    def _short(self, file: str) -> str:
        if file.startswith("file:///"):  # an ES module, in Node 18
            file = unquote(file.removeprefix("file://"))
        return file.removeprefix(self._prefix)

    def _whole_file(self, raw: _Raw) -> bool:
        return raw.nesting == 0 and self._short(raw.name) == self._short(raw.file)

    def _start(self, raw: _Raw) -> None:
        if not 0 <= raw.nesting <= len(self._stack):
            self._events.append(("bad", f"a test in no suite: {raw.name[:_SHOWN]}"))
            return
        del self._stack[raw.nesting :]
        names = [self._short(raw.file), *(step.name for step in self._stack), raw.name]
        identity = names[0] if self._whole_file(raw) else SEPARATOR.join(names)
        self._uses[identity] += 1
        if self._uses[identity] > 1:
            identity += f" #{self._uses[identity]}"
        self._stack.append(_Open(raw.name, identity, len(self._events)))
        self._events.append(("start", identity))

    def _outcome(self, raw: _Raw) -> None:
        step = self._stack[raw.nesting] if 0 <= raw.nesting < len(self._stack) else None
        if step is None or step.name != raw.name:
            self._events.append(("bad", f"outcome before start: {raw.name[:_SHOWN]}"))
            return
        del self._stack[raw.nesting :]
        state = raw.kind
        if self._whole_file(raw):
            if state == "passed":
                self._events[step.place] = None
                if step.identity not in self._helpers:
                    self._events.append(("bad", f"{step.identity} ended without a test"))
                return
            state = "error"
        elif raw.suite:
            inside = any(event is not None and event[0] in ("failed", "error") for event in self._events[step.place :])
            if state != "failed" or inside:
                self._events[step.place] = None
                return
            state = "error"
        self._events.append((state, step.identity))
