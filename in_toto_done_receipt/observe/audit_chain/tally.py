"""What the records of one run add up to, for comparison with the run's receipt.

Kinds of the original: `request`, `response` (tokens), `tool_use`, `acceptance` (passed), `seal_breach`, `session_end`.
Others are counted as records and nothing else.
"""

from typing import Any

from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.value import Value


class RunTally(Value, kw_only=True):
    """The records of one request, or of all. `accepted` is what the last acceptance record says, None without one.

    `first_request` is the first request that any record of the chain names, `several` that there are others.
    """

    records: int
    responses: int
    input_tokens: int
    output_tokens: int
    tool_calls: int
    accepted: bool | None
    breached: bool
    first_request: str | None
    several: bool


class RecordFaultError(Exception):
    """A record of a known kind that does not say what this kind says."""


class Tally:
    """Adds records up, in constant memory."""

    def __init__(self, request: str | None) -> None:
        self._request = request
        self._first: str | None = None
        self._several = False
        self._records = self._responses = self._input = self._output = self._calls = 0
        self._accepted: bool | None = None
        self._breached = False

    def add(self, kind: str, request: str | None, detail: Any) -> None:
        """One more record of the chain. Raises RecordFaultError."""
        if request is not None and request != self._first:
            self._several = self._first is not None
            self._first = request if self._first is None else self._first
        if self._request is not None and request != self._request:
            return
        self._records += 1
        if kind == "tool_use":
            self._calls += 1
        elif kind == "response":
            self._responses += 1
            self._input += _count(detail, "input_tokens")
            self._output += _count(detail, "output_tokens")
        elif kind == "acceptance":
            self._accepted = _passed(detail)
        elif kind == "seal_breach":
            self._breached = True

    def total(self) -> RunTally:
        """What the records so far add up to."""
        return RunTally(
            records=self._records,
            responses=self._responses,
            input_tokens=self._input,
            output_tokens=self._output,
            tool_calls=self._calls,
            accepted=self._accepted,
            breached=self._breached,
            first_request=self._first,
            several=self._several,
        )


def _count(detail: Any, name: str) -> int:
    value = detail.get(name) if isinstance(detail, dict) else None
    if type(value) is not int or value < 0:
        raise RecordFaultError(f"a response record has no whole number {quote(name)}")
    return value


def _passed(detail: Any) -> bool:
    value = detail.get("passed") if isinstance(detail, dict) else None
    if not isinstance(value, bool):
        raise RecordFaultError('an acceptance record does not say "passed"')
    return value
