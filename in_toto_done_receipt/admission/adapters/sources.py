"""The Rego that adapters are made of, and the three ways in which other tools want it.

The shared rules are policy/done_receipt, what is thin beside them is policy/adapters. Only text is put together: no
tool is needed, and the same sources give the same bytes.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from in_toto_done_receipt.admission.adapters import known
from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.sources import rego_files
from in_toto_done_receipt.errors import EngineUnavailable

ADAPTERS: Final = "adapters"  # below the policy folder
SHARED: Final = "done_receipt_adapters"  # below it: what several adapters stand on
_PACKAGE: Final = re.compile(r"^package \S+\n", re.MULTILINE)
_IMPORT: Final = re.compile(r"^import data\.\S+\n", re.MULTILINE)
_NO_DENY: Final = '\ndeny contains "" if 1 == 2 # witness asks every package, and takes an undefined answer for none\n'


def adapter_source(folder: Path, name: str) -> str:
    """One file below policy/adapters. Raises EngineUnavailable when it is missing from the installation."""
    path = folder / ADAPTERS / name
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise EngineUnavailable(f"{path}: {error.strerror}", hint="install the package again") from None


def shared_rules(folder: Path, *adapters: str) -> dict[str, str]:
    """Name -> text of all rules, and of these packages of done_receipt_adapters with what they stand on."""
    found = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in rego_files(folder / "done_receipt")
    }
    found[known.FILE] = known.known_rego(load_catalogue(folder)).decode()
    for package in ("document", "wording", *adapters):
        name = f"{SHARED}/{package}/{package}.rego"
        found[name] = adapter_source(folder, name)
    return found


def as_library(text: str) -> str:
    """As Gatekeeper wants what a template stands on: below `lib`, in the package's name and in every reference."""
    below = re.sub(r"\bdata\.done_receipt", "data.lib.done_receipt", text)
    return re.sub(r"^package done_receipt", "package lib.done_receipt", below, flags=re.MULTILINE)


def as_v0(text: str) -> str:
    """As tools want it that read Rego as it was before v1 unless a module says otherwise."""
    return _PACKAGE.sub(lambda found: f"{found[0]}\nimport rego.v1\n", text, count=1)


def with_deny(text: str) -> str:
    """With a set `deny` that is empty."""
    return text + _NO_DENY


def has_rules(text: str) -> bool:
    """Whether a module says more than what it is called."""
    return bool(body_of(text))


def without_comments(text: str) -> str:
    """Without lines that are a comment only, and without the empty lines that they leave at the start."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.lstrip().startswith("#")).lstrip("\n")


def body_of(text: str) -> str:
    """The rules of a module, without METADATA and other whole-line comments, package and imports."""
    return _IMPORT.sub("", _PACKAGE.sub("", without_comments(text))).strip()


def in_one_module(package: str, parts: Iterable[str]) -> str:
    """Several modules as one: their rules under one package, METADATA and imports left out."""
    return as_v0(f"package {package}\n") + "".join(f"\n{body_of(part)}\n" for part in parts)
