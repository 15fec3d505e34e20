"""What can go wrong between Python and an engine, each with its own code: a denial, never an exception.

What cannot start, load or be reached is no decision at all but an error of the verifier's (EngineUnavailable).
"""

from collections.abc import Mapping
from typing import Final

_RETRY: Final = "verify again; if it stays so, see `done-receipt doctor`"
_REPAIR: Final = "use the policy that is installed, or repair your own"
_SERVER: Final = "look at the server's log: OPA answers a decision with 200 and an object `result`"

# Code -> what happened, and what to do.
ENGINE_FAILURES: Final[Mapping[str, tuple[str, str]]] = {
    "engine.error": ("the engine could not evaluate the policy", _RETRY),
    "engine.timeout": ("there was no decision in time", "raise --timeout, or verify on a machine that is less busy"),
    "engine.undefined": ("the policy gave nothing", _RETRY),
    "engine.null": ("the policy gave null", _REPAIR),
    "engine.results": ("the policy gave several results", _REPAIR),
    "engine.shape": ("the policy gave something else than a decision", _REPAIR),
    "engine.trap": ("the evaluation broke off", _RETRY),
    "engine.memory": ("the evaluation asked for more memory than it may use", "ask for a smaller receipt"),
    "engine.builtin": ("the policy called a built-in that is not provided", _REPAIR),
    "engine.input": ("the result is too large or cannot be written as JSON", "ask for a smaller receipt"),
    "engine.output": ("the answer is too large", "repair the policy: its answer is far larger than a decision"),
    "engine.disagrees": (
        "its `allow` contradicts its own reasons",
        "do not use this engine: its allow contradicts what it gave as reasons",
    ),
    "engine.unsatisfied": (
        "a demanded rule gave neither satisfaction nor a reason",
        "the rule gave neither satisfaction nor a reason; look at what it needs in the result",
    ),
    "engine.selection": (
        "nothing is demanded that judges the work, so nothing can be admitted",
        "exclude less: who signed and what was signed is not enough",
    ),
    "engine.exception": (
        "the policy applied an exception that does not stand",
        "do not use this engine: an exception has to be in the profile, unexpired, and for what can be waived",
    ),
    "engine.incomplete": (
        "a package that is needed is missing from the policy that was evaluated",
        "give the engine the whole policy, with your own: `done-receipt policy bundle`",
    ),
    "engine.policy": (
        "the server evaluated another policy than the one that is wanted",
        "give the server the bundle of `done-receipt policy bundle`",
    ),
    "engine.status": ("the server answered with another status than 200", _SERVER),
    "engine.redirect": (
        "the server pointed somewhere else",
        "name the server's own address; redirects are not followed",
    ),
    "engine.body": ("the server's answer is none of OPA's", _SERVER),
    "engine.usage": ("the server understood the question differently (`api_usage_warning`)", _SERVER),
}

# Code -> what to do.
ENGINE_CODES: Final[Mapping[str, str]] = {code: solution for code, (_, solution) in ENGINE_FAILURES.items()}
