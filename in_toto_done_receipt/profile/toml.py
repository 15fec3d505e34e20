"""Values written as TOML, each on one line. Reading is the standard library's."""

import json
import re
from typing import Any, Final

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def written(value: Any) -> str:
    """A text, number, truth value, list or table as TOML. No other type is one of a setting's."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(name)} = {written(item)}" for name, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, str):  # a JSON string is a TOML string, but for surrogate pairs and the one control it keeps
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else written(name)
