"""Where the policy is, and what it is called: a digest over its Rego sources, the same for every engine."""

import hashlib
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import EngineUnavailable

ENTRYPOINT: Final = "done_receipt/admission/decision"
QUERY: Final = "data.done_receipt.admission.decision"
CUSTOM_PACKAGES: Final = "data.done_receipt.custom."
_PACKAGE: Final = Path(__file__).resolve().parent.parent


def policy_folder() -> Path:
    """Inside an installed wheel, or beside the package in a checkout; nowhere else is looked at."""
    inside = _PACKAGE / "policy"
    if inside.is_dir():
        return inside
    root = _PACKAGE.parent
    if (root / "pyproject.toml").is_file() and (root / "policy").is_dir():
        return root / "policy"
    raise EngineUnavailable("the policy folder is missing from the installation")


def rego_files(folder: Path) -> tuple[Path, ...]:
    """The Rego files below `folder` in a fixed order, without tests. Raises EngineUnavailable when there are none."""
    found = sorted(path for path in folder.rglob("*.rego") if not path.name.endswith("_test.rego"))
    if not found:
        raise EngineUnavailable(f"{folder}: holds no policy (*.rego)")
    return tuple(found)


def policy_digest(policy: Path, extra: tuple[Path, ...] = ()) -> str:
    """sha256 over one line `SHA256  NAME` per Rego file, in order of the names.

    Names are relative to `policy`; those of the n-th extra folder begin with `extra/n/`.
    """
    lines = _lines(policy / "done_receipt", "done_receipt")
    for position, folder in enumerate(extra):
        lines += _lines(folder, f"extra/{position}")
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _lines(folder: Path, prefix: str) -> list[str]:
    return [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {prefix}/{path.relative_to(folder).as_posix()}\n"
        for path in rego_files(folder)
    ]
