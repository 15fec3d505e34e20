"""The clean room as checks see it: what it came to, run when the first of them asks and never again."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a verification that runs no test loads neither runner nor sandbox
    from in_toto_done_receipt.recompute.case import Case
    from in_toto_done_receipt.recompute.clean_room.obstacle import NotRun
    from in_toto_done_receipt.recompute.clean_room.outcome import Outcome


class CleanRoom:
    """The runs of one change with one profile: what they came to depends on no receipt.

    `overlay` is a folder of the verifier's with hidden tests.
    """

    def __init__(self, overlay: Path | None = None) -> None:
        self.overlay = overlay
        self._outcome: Outcome | NotRun | None = None

    @property
    def so_far(self) -> "Outcome | NotRun | None":
        """What it came to; None if nobody has asked yet."""
        return self._outcome

    def outcome(self, case: "Case") -> "Outcome | NotRun":
        """What the runs came to, or why there were none.

        Raises ConfigurationError for a test command that its runner cannot honour, LimitExceeded when the time is up.
        """
        if self._outcome is None:
            from in_toto_done_receipt.recompute.clean_room.obstacle import obstacle

            self._outcome = obstacle(case.context) or _conducted(case, self.overlay)
        return self._outcome


def _conducted(case: "Case", overlay: Path | None) -> "Outcome | NotRun":
    from in_toto_done_receipt.recompute.clean_room.conduct import conducted

    return conducted(case, overlay)
