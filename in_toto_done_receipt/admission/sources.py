"""Where the policy is, and what it is called: a digest over its Rego sources, the same for every engine."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import EngineUnavailable

ENTRYPOINT: Final = "done_receipt/admission/decision"
GROUNDS: Final = "done_receipt/admission/grounds"  # what each satisfied requirement stands on; nobody decides by it
QUERY: Final = "data.done_receipt.admission.decision"
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


def verified_folder() -> Path:
    """The same, once its Rego is what the catalogue beside it says. Raises EngineUnavailable when it is not."""
    from in_toto_done_receipt.admission.catalogue import load_catalogue

    folder = policy_folder()
    found, named = policy_digest(folder), load_catalogue(folder).policy_digest
    if found != named:
        raise EngineUnavailable(
            f"{folder}: digest of the sources is {found}, the catalogue says {named}",
            hint="install the package again; in a checkout, `make policy`",
        )
    return folder


def rego_files(folder: Path) -> tuple[Path, ...]:
    """The Rego files below `folder` in a fixed order, without tests. Raises EngineUnavailable when there are none."""
    found = sorted(path for path in folder.rglob("*.rego") if not path.name.endswith("_test.rego"))
    if not found:
        raise EngineUnavailable(f"{folder}: holds no policy (*.rego)")
    return tuple(found)


def policy_digest(policy: Path, custom: Iterable[str] = ()) -> str:
    """sha256 over one line `SHA256  NAME` per Rego file, in order of the names, which are relative to `policy`.

    `custom` are the digests of the verifier's own policies; each adds a line `DIGEST  custom`, whatever their order.
    """
    folder = policy / "done_receipt"
    files = {f"done_receipt/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in rego_files(folder)}
    own = "".join(sorted(f"{digest}  custom\n" for digest in custom))
    return hashlib.sha256((_lines(files) + own).encode()).hexdigest()


def lines_digest(files: Mapping[str, bytes]) -> str:
    """The same digest over files at hand."""
    return hashlib.sha256(_lines(files).encode()).hexdigest()


def _lines(files: Mapping[str, bytes]) -> str:
    return "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
