"""Times on the wire: RFC 3339 in UTC with the zone `Z`, the `time` type of the predicate."""

import re
from datetime import UTC, datetime
from typing import Final

from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.wire.pointer import quote

_TIME: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?Z", re.ASCII)


def parse_time(text: str) -> datetime:
    """The moment, aware and in UTC; digits beyond the microsecond are cut off.

    Raises MalformedInput unless the text is `YYYY-MM-DDThh:mm:ss[.1-9 digits]Z` and a real date; second 60 is refused.
    """
    match = _TIME.fullmatch(text)
    if match is None:
        raise MalformedInput(f"expected a time like 2026-01-31T23:59:59Z, got {quote(text)}")
    microsecond = int((match[7] or "").ljust(9, "0")[:6])
    try:
        return datetime(*(int(match[group]) for group in range(1, 7)), microsecond, tzinfo=UTC)  # type: ignore[misc,arg-type]
    except ValueError as error:
        raise MalformedInput(f"expected a real date and time, got {quote(text)} ({error})") from error


def format_time(moment: datetime) -> str:
    """The moment in UTC: whole seconds, or milliseconds if it has any; finer digits are cut off.

    Raises ValueError for a moment without a zone.
    """
    if moment.tzinfo is None:
        raise ValueError("a time on the wire needs a zone")
    return (
        moment.astimezone(UTC)
        .isoformat(timespec="milliseconds" if moment.microsecond >= 1000 else "seconds")
        .replace("+00:00", "Z")
    )
