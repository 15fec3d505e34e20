"""`SealSet`: a harness seals what must not move before the run, and looks again after it. The original's, made strict.

    seals = SealSet.capture(root, ["tests/**", "pytest.ini", "conftest.py"])   # before the first turn
    ...
    breach = seals.breach(root)   # None, or "conftest.py was created; tests/test_a.py was modified"

The original took a directory, a link and an unreadable file for "not there" and never said so; here each is refused.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from in_toto_done_receipt.errors import ObservationError, ProducerError
from in_toto_done_receipt.observe.seals import (
    SCHEMA,
    Contract,
    SealChange,
    SealedFile,
    breach_text,
    look_again,
    seal,
)
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.wire.components import components
from in_toto_done_receipt.wire.paths import utf8_order
from in_toto_done_receipt.wire.value import Value


class SealSet(Value, kw_only=True):
    """Sealed files and paths sealed as absent, as they stood when they were captured."""

    contract: Contract

    @staticmethod
    def capture(root: Path, patterns: Iterable[str]) -> "SealSet":
        """The seals over what the patterns name now: globs, or paths; a path that does not exist is sealed as absent.

        Raises ProducerError, naming the path, for a directory, a link, a special or unreadable file, a name that no
        contract can hold, and a glob that matches nothing; ConfigurationError for a pattern that is none.
        """
        try:
            with DirectoryWorkspace(root) as workspace:
                return SealSet(contract=seal(workspace, tuple(patterns)))
        except ObservationError as error:
            raise ProducerError(error.message, hint=error.hint) from None

    @staticmethod
    def of(entries: Mapping[str, str | None]) -> "SealSet":
        """The seals that these entries say: path to sha256, None for a path that must not exist. Checks nothing."""
        sealed = tuple(
            SealedFile(name=path, digest={"sha256": digest})
            for path, digest in sorted(entries.items(), key=lambda entry: utf8_order(entry[0]))
            if digest is not None
        )
        absent = tuple(sorted((path for path, digest in entries.items() if digest is None), key=utf8_order))
        return SealSet(contract=Contract(schema=SCHEMA, sealed=sealed, absent=absent))

    @property
    def entries(self) -> dict[str, str | None]:
        """Path to sha256, None for one sealed as absent, in the original's order: part by part."""
        found: dict[str, str | None] = {file.name: file.digest["sha256"] for file in self.contract.sealed}
        found |= dict.fromkeys(self.contract.absent)
        return dict(sorted(found.items(), key=lambda entry: components(entry[0])))

    def changes(self, root: Path) -> tuple[SealChange, ...]:
        """Every path that is not as it was sealed, in the original's order. Raises ProducerError without a directory.

        A file that cannot be read now is a change of its own kind, `unreadable`: nobody can say that it held.
        """
        try:
            with DirectoryWorkspace(root) as workspace:
                found = look_again(workspace, self.contract.digests(), self.contract.absent)
        except ObservationError as error:
            raise ProducerError(error.message, hint=error.hint) from None
        return tuple(sorted(found, key=lambda change: components(change.path)))

    def breach(self, root: Path) -> str | None:
        """`PATH was modified|created|deleted`, joined by `; `; None when everything held.

        Raises ProducerError for a path that cannot be looked at again.
        """
        return breach_text(self.changes(root))
