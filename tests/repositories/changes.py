"""A case of a change, laid out on a desk: the repository, the signed receipt, the key, the words of `verify`."""

from pathlib import Path

from testdata.receipts.generate import NOW, envelope, payload_of, pretty, public_pem
from testdata.receipts.generate_changes import Case
from tests.repositories.build import Repo
from tests.repositories.history import build_history, filled


class Laid:
    """What was laid out in a folder. Words such as `{base}` in flags are names of commits."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.repo: Repo
        self.ids: dict[str, str]
        self.repo, self.ids = build_history(case.told(), folder)
        receipt, key = folder / "receipt.json", folder / "worker.pub"
        receipt.write_text(pretty(envelope(payload_of(case.statement(self.repo, self.ids)))), encoding="utf-8")
        key.write_text(public_pem("worker"), encoding="utf-8")
        self._first = [str(receipt), "--trusted-key", f"worker={key}", "--at", NOW]
        self._flags = case.flags

    def words(self, *more: str) -> list[str]:
        """The arguments of `verify`, without the command's own name."""
        return [*self._first, *filled([*self._flags, *more], self.repo, self.ids)]

    def with_flags(self, flags: list[str]) -> list[str]:
        """The same with other flags than the case has."""
        return [*self._first, *filled(flags, self.repo, self.ids)]
