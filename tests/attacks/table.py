"""The table of attacks: attacks.toml, typed."""

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from in_toto_done_receipt.results.model import SANDBOX_LEVELS

ALWAYS, OPEN = "always", "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One program, and what stops it; see the comment in attacks.toml."""

    name: str
    tries: str
    bubblewrap: str
    landlock: str
    rlimits: str
    root_only: bool = False
    unless_group: bool = False
    guarded: bool = False
    quick: bool = False
    failure: str | None = None
    limits: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def stopped_by(self, level: str) -> str:
        """The layer, ALWAYS or OPEN."""
        assert level in SANDBOX_LEVELS
        found: str = getattr(self, level)
        return found


@cache
def attacks() -> tuple[Attack, ...]:
    """All of them, in the order of the file."""
    text = (Path(__file__).parent / "attacks.toml").read_text(encoding="utf-8")
    return tuple(Attack(**row) for row in tomllib.loads(text)["attack"])
