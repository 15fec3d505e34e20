"""May the clean room run at all: the verifier asked for it, named a command and a base, the sandbox is good enough."""

from typing import Literal

from in_toto_done_receipt.recompute.case import finding
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import SANDBOX_LEVELS
from in_toto_done_receipt.wire.value import Value

# Each check that asks has a reason code of this name; `not_run` alone is an error.
Obstacle = Literal["no_command", "no_base", "not_asked", "sandbox", "untrusted_executable", "not_run"]


class NotRun(Value, kw_only=True):
    """Why nothing was run."""

    obstacle: Obstacle
    message: str
    expected: str | None = None
    observed: str | None = None

    def finding(self, check: str) -> Finding:
        """What this check, which has nothing to look at, says."""
        return finding(
            "error" if self.obstacle == "not_run" else "not_checked",
            f"{check}.{self.obstacle}",
            self.message,
            expected=self.expected,
            observed=self.observed,
        )


def obstacle(context: RecomputeContext) -> NotRun | None:
    """What stands in the way of running tests, as far as nothing has to be looked at for it."""
    if context.settings.tests is None:
        return NotRun(obstacle="no_command", message="the profile has no [tests]")
    if context.change is None or context.change.base_listing is None:
        return NotRun(obstacle="no_base", message="the verifier gave no base revision")
    if not context.recheck_commands or context.sandbox is None:
        return NotRun(obstacle="not_asked", message="the verifier did not ask for commands to be run again")
    required, level = context.settings.sandbox_required, context.sandbox.level
    if SANDBOX_LEVELS.index(level) < SANDBOX_LEVELS.index(required):
        message = f"this machine's sandbox is {level}, the verifier demands {required}"
        return NotRun(obstacle="sandbox", message=message, expected=required, observed=level)
    return None
