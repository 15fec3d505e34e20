"""The list of rules and collections, made from the METADATA blocks of the policy and kept beside the compiled module.

So Python knows what a collection demands, and what to do about a violation, without an OPA. `admission.metadata` makes
it.
"""

from pathlib import Path
from typing import Final

import msgspec

from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.errors import EngineUnavailable

FILE: Final = "catalogue.json"
COLLECTIONS: Final = ("minimal", "ci", "protected-branch", "release")  # weakest first: each adds to the one before
PROTECTED: Final = ("signature", "statement", "engine")  # categories that nobody excludes and no exception waives


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule; the names are those of its METADATA block.

    `depends_on` are codes that must be met before it is heard. `effective_on` (RFC 3339, UTC) is when it comes into
    force; None: at every time. A rule of severity `warning` denies only where a profile includes it.
    """

    code: str
    title: str
    description: str
    short_name: str
    failure_msg: str
    solution: str
    collections: tuple[str, ...]
    depends_on: tuple[str, ...]
    effective_on: str | None
    severity: str

    @property
    def category(self) -> str:
        """What stands before the dot."""
        return self.code.partition(".")[0]


class Catalogue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All rules in pipeline order, what each collection demands, and what the compiled module was made of."""

    opa: str
    policy_digest: str
    module_sha256: str
    collections: dict[str, tuple[str, ...]]
    rules: tuple[Rule, ...]

    def rule(self, code: str) -> Rule | None:
        """The rule with this code; what follows a colon (a term) is not looked at."""
        name = code.partition(":")[0]
        return next((rule for rule in self.rules if rule.code == name), None)


def load_catalogue(folder: Path | None = None) -> Catalogue:
    """The catalogue that is installed. Raises EngineUnavailable when it is missing or not one."""
    path = (folder or policy_folder()) / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Catalogue)
    except OSError as error:
        raise EngineUnavailable(f"{path}: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise EngineUnavailable(f"{path}: is not a catalogue: {error}") from None
