"""The effective profile: every setting with its origin, and all of it as one profile that says the same."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from in_toto_done_receipt.profile.settings import KEYS, Settings
from in_toto_done_receipt.profile.toml import written
from in_toto_done_receipt.wire.record import Record, to_tree

# Settings that no profile says: they come from flags.
_BY_FLAG: Final = ("unsigned", "backdated")
_SPLIT: Final = ("tests", "usage", "limits")  # one row for each member


class Row(NamedTuple):
    """One setting: its dotted key, its value (None: nothing is asked for) and where it comes from."""

    key: str
    value: Any
    origin: str


def described(settings: Settings) -> list[Row]:
    """Every setting in force."""
    rows: list[Row] = []
    for field, key in KEYS.items():
        value = _plain(getattr(settings, field))
        origin = settings.origins.get(key, "default")
        if field in _SPLIT and value:
            rows += [Row(f"{key}.{name}", item, origin) for name, item in value.items()]
        else:
            rows.append(Row(key, value, origin))
    return rows


def as_toml(settings: Settings) -> Iterator[str]:
    """The lines of a profile that alone says what all profiles and flags together say, each with its origin.

    What is not asked for, and what only a flag can say, is a comment. Flags that name files are not in it.
    """
    yield "version = 1"
    for key, value, origin in described(settings):
        if key in _BY_FLAG or value in (None, [], {}):
            said = "none" if value in (None, [], {}) else json.dumps(value)
            yield f"# {key}: {said}  # {origin}"
        else:
            yield f"{key} = {written(value)}  # {origin}"
    yield f"# digest of the profiles: {settings.digest or 'none'}"


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return to_tree(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value
