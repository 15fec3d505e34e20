"""Files of a tree, as runners read them."""

from collections.abc import Iterable, Mapping

from in_toto_done_receipt.errors import ObservationError


class Files:
    """Sources in memory."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self.files = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}

    def paths(self) -> Iterable[str]:
        return sorted(self.files)

    def read(self, path: str) -> bytes:
        try:
            return self.files[path]
        except KeyError:
            raise ObservationError(f"{path} is missing", kind="missing") from None
