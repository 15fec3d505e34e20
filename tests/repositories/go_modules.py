"""A cache of Go modules as `go mod download` leaves it, with one small module in two versions; nothing is fetched."""

import base64
import hashlib
import io
import zipfile
from pathlib import Path
from typing import Final

NAME: Final = "example.com/cents"
VERSIONS: Final = ("v1.0.0", "v1.1.0")
_MOD: Final = b"module example.com/cents\n\ngo 1.21\n"


def go_sum(version: str) -> str:
    """The lines of go.sum for the module."""
    mod = _digest({"go.mod": _MOD})
    return f"{NAME} {version} {_digest(_files(version))}\n{NAME} {version}/go.mod {mod}\n"


def module_cache(folder: Path) -> None:
    """The cache, in this folder."""
    download = folder / "cache" / "download" / NAME / "@v"
    download.mkdir(parents=True)
    for version in VERSIONS:
        files = _files(version)
        for path, data in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for path, data in files.items():
                archive.writestr(path, data)
        (download / f"{version}.zip").write_bytes(packed.getvalue())
        (download / f"{version}.ziphash").write_text(_digest(files))
        (download / f"{version}.mod").write_bytes(_MOD)
        (download / f"{version}.info").write_text(f'{{"Version":"{version}"}}')
    (download / "list").write_text("".join(f"{version}\n" for version in VERSIONS))


def _files(version: str) -> dict[str, bytes]:
    code = f"// Package cents is {version}.\npackage cents\n\n// Cents is so many euros.\n"
    code += "func Cents(euros int) int {\n\treturn 100 * euros\n}\n"
    return {f"{NAME}@{version}/cents.go": code.encode(), f"{NAME}@{version}/go.mod": _MOD}


def _digest(files: dict[str, bytes]) -> str:
    """golang.org/x/mod/sumdb/dirhash, Hash1."""
    lines = "".join(f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files))
    return "h1:" + base64.b64encode(hashlib.sha256(lines.encode()).digest()).decode()
