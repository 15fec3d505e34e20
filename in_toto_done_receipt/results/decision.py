"""The decision: what the policy made of a result, checked again in Python."""

from typing import Final, Literal

from in_toto_done_receipt.wire.record import Record

DECISION_SCHEMA: Final = "https://w3id.org/done-receipt/decision/v0.1"


class Violation(Record):
    """One unmet requirement or one warning. `facts` are JSON pointers into the policy input."""

    code: str
    message: str
    solution: str = ""
    term: str | None = None
    facts: tuple[str, ...] = ()


class Waiver(Record):
    """An exception of the profile that was needed: it stands for the requirement `code`, for one term, one subject."""

    code: str
    reason: str
    approver: str
    expires: str
    term: str | None = None
    subject: str | None = None


class Waiting(Record):
    """A requirement that is not met and was not judged, because those in `on` have to be met first."""

    code: str
    on: tuple[str, ...]


class Engine(Record):
    """The engine that decided."""

    name: str
    version: str


class Digests(Record):
    """sha256 of what went into the decision."""

    policy: str
    input: str
    profile: str | None = None
    trust: str | None = None


class Decision(Record):
    """The decision. `allow` is computed in Python: every demanded requirement satisfied or waived, and no violation.

    `base`, `head` and `tree` are of the change that was read from git: whoever acts on the decision acts on that tree.
    """

    schema: Literal["https://w3id.org/done-receipt/decision/v0.1"]
    allow: bool
    violations: tuple[Violation, ...]
    warnings: tuple[Violation, ...]
    exceptions: tuple[Waiver, ...]
    satisfied: tuple[str, ...]
    demanded: tuple[str, ...]
    collection: str
    evaluated_at: str
    engine: Engine
    digests: Digests
    overrides: tuple[str, ...]
    waiting: tuple[Waiting, ...] = ()
    valid_until: str | None = None
    base: str | None = None
    head: str | None = None
    tree: str | None = None
