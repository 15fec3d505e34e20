"""What an engine answers, held against the shape of a decision; anything else is no decision."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from in_toto_done_receipt.admission.engines import PolicyEngine
from in_toto_done_receipt.errors import EngineError, EngineUnavailable

CODE: Final = r"^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)+$"

_Code = Annotated[str, Meta(pattern=CODE, max_length=200)]
_Text = Annotated[str, Meta(min_length=1)]


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One violation or warning as the policy gives it; packages of the verifier's own may bring a solution."""

    code: _Code
    message: _Text
    facts: tuple[Annotated[str, Meta(pattern=r"^(/|$)")], ...]
    term: str | None = None
    solution: str = ""


class Waived(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One exception as the policy applied it."""

    code: _Code
    reason: _Text
    approver: _Text
    expires: _Text
    term: str | None = None
    subject: str | None = None


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The decision as the policy gives it. One without exceptions has made none."""

    allow: bool
    violations: tuple[Said, ...]
    warnings: tuple[Said, ...]
    satisfied: tuple[_Text, ...]
    exceptions: tuple[Waived, ...] = ()


NOTHING: Final = Answer(allow=False, violations=(), warnings=(), satisfied=())


def answer_of(engine: PolicyEngine, raw: bytes, seconds: float) -> Answer:
    """What the engine says, in the right shape.

    Raises EngineError with the code of what went wrong, and EngineUnavailable for an engine that cannot be reached.
    """
    try:
        value = engine.decide(raw, seconds)
    except (EngineError, EngineUnavailable):
        raise
    except Exception as error:  # noqa: BLE001 - an engine may be somebody else's code: whatever it was, no decision
        raise EngineError(f"no decision: {type(error).__name__}") from None
    if value is None:
        raise EngineError("the policy gave null", code="engine.null")
    try:
        return msgspec.convert(value, Answer, strict=True)
    except msgspec.ValidationError as error:
        raise EngineError(f"the decision does not have the right shape: {error}", code="engine.shape") from None
