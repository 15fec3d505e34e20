"""Where a profile chooses rules or waives one: selectors and exceptions, as far as they can be judged without the
policy's list of rules.
"""

import re
from datetime import UTC
from typing import Final, get_args

from in_toto_done_receipt.errors import ProfileError
from in_toto_done_receipt.profile.model import Collection, ExceptionEntry, Profile
from in_toto_done_receipt.wire.config import nearest

# Who signed, what they signed and whether there was a decision at all: no profile leaves that out.
NEVER_WAIVED: Final = ("signature", "statement", "engine")

# The rule by which a collection admits no exception.
_NO_EXCEPTION: Final = "profile.exceptions"

_SELECTOR: Final = re.compile(r"@[a-z-]+|[a-z][a-z0-9_-]*(\.[a-z0-9_-]+(:.+)?)?", re.ASCII | re.DOTALL)
_CODE: Final = re.compile(r"[a-z][a-z0-9_-]*\.[a-z0-9_-]+", re.ASCII)


def check_selectors(profile: Profile, what: str) -> None:
    """Raise ProfileError for an include or exclude that selects nothing by its form, or what may not be left out."""
    for key, selectors in (("include", profile.include), ("exclude", profile.exclude)):
        for index, text in enumerate(selectors or ()):
            where = f"{what}: {key}[{index}]"
            if not _SELECTOR.fullmatch(text):
                raise ProfileError(
                    f"{where}: expected a selector, got {text!a}",
                    hint="a code, a category, code:term or @collection",
                )
            if text.startswith("@") and text[1:] not in get_args(Collection):
                raise ProfileError(
                    f"{where}: unknown collection {text}", hint=nearest(text, [f"@{c}" for c in get_args(Collection)])
                )
    for index, text in enumerate(profile.exclude or ()):
        where = f"{what}: exclude[{index}]"
        if text in (profile.include or ()):
            raise ProfileError(f"{where}: {text} is included and excluded")
        if (category := text.partition(".")[0]) in NEVER_WAIVED:
            raise ProfileError(f"{where}: {text}: rules of {category} cannot be left out")


def check_exceptions(profile: Profile, what: str) -> None:
    """Raise ProfileError for an exception that names no single rule, or one that may not be waived."""
    seen: set[tuple[str | None, ...]] = set()
    for index, entry in enumerate(profile.exception):
        where = f"{what}: exception[{index}]"
        _check_code(entry.code, f"{where}.code")
        for name, text in (("reason", entry.reason), ("approver", entry.approver)):
            if not text.strip():
                raise ProfileError(f"{where}.{name}: is empty")
        _check_expiry(entry, f"{where}.expires")
        if (waived := entry.code) in (profile.exclude or ()) or waived.partition(".")[0] in (profile.exclude or ()):
            raise ProfileError(f"{where}.code: {waived} is excluded: nothing is left to except")
        if (key := (entry.code, entry.term, entry.subject)) in seen:
            raise ProfileError(f"{where}: stands there twice")
        seen.add(key)


def _check_code(code: str, where: str) -> None:
    if code.startswith("@") or (re.fullmatch(r"[a-z][a-z0-9_-]*", code) and code not in NEVER_WAIVED):
        raise ProfileError(
            f"{where}: {code} names more than one rule", hint="an exception waives one requirement: its whole code"
        )
    rule, colon, term = code.partition(":")
    if colon:
        raise ProfileError(f"{where}: {code} holds a term", hint=f'write code = "{rule}" and term = "{term}"')
    if (category := code.partition(".")[0]) in NEVER_WAIVED or code == _NO_EXCEPTION:
        what = code if code == _NO_EXCEPTION else f"{code}: rules of {category}"
        raise ProfileError(f"{where}: {what} cannot be excepted")
    if not _CODE.fullmatch(code):
        raise ProfileError(f"{where}: expected a code like usage.limits, got {code!a}")


def _check_expiry(entry: ExceptionEntry, where: str) -> None:
    if entry.expires.tzinfo is None:
        raise ProfileError(f"{where}: a time without a zone", hint="write it like 2027-01-31T00:00:00Z")
    try:
        entry.expires.astimezone(UTC)
    except OverflowError:
        moment = entry.expires.isoformat()
        raise ProfileError(f"{where}: expected a time of the years 1 to 9999 in UTC, got {moment}") from None
