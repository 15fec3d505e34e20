"""Policies that the verifier names: a folder or a bundle of Rego, or a compiled module; read once, kept as bytes.

What is read here is what every engine gets later: nothing is opened again. A pin is compared, and a bundle's signature
verified, before anything looks inside. Raises ConfigurationError.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

from in_toto_done_receipt.admission.custom import manifest as manifests
from in_toto_done_receipt.admission.custom import signature
from in_toto_done_receipt.admission.custom.archive import GZIP, MAX_ARCHIVE, read_archive
from in_toto_done_receipt.admission.sources import lines_digest
from in_toto_done_receipt.errors import ConfigurationError, InputError
from in_toto_done_receipt.observe.files import read_file
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

WASM: Final = b"\0asm"
MAX_REGO: Final = 2**20  # bytes of one file
MAX_FILES: Final = 1_000
_PINNED: Final = re.compile(r"(.+)@sha256:([0-9a-f]{64})", re.DOTALL)
_MODULE: Final = "policy.wasm"
_DATA: Final = re.compile(r"(.*/)?data\.(json|ya?ml)")
_NOT_POLICY: Final = re.compile(r"(.*/)?(patch\.json|plan\.json|plan\.pb|\.manifest\.pb)")
_EMPTY: Final = re.compile(rb"\s*\{\s*\}\s*")
Guard = Callable[[Path], None]


class CustomPolicy(Value, kw_only=True):
    """One policy of the verifier's own: sources (name -> text) or a module, never both.

    `digest` is that of the sources (or of the module): the same for a folder and for a bundle of it.
    """

    path: str
    sources: Mapping[str, bytes]
    tests: Mapping[str, bytes]
    module: bytes | None
    roots: tuple[str, ...]
    digest: str


def read_policies(
    named: Iterable[str], *, key: signature.SigningKey | None = None, guard: Guard | None = None
) -> tuple[CustomPolicy, ...]:
    """The policies that were named, in this order; `PATH@sha256:HEX` pins what PATH holds.

    The pin of a file is its SHA-256; of a folder it is the digest that `policy check` prints. With a key everything has
    to be a signed bundle; without one a signed bundle is taken only when it is pinned. `guard` sees every path first.
    """
    found = tuple(_read(text, key, guard or _anywhere) for text in named)
    manifests.refuse_overlaps({policy.path: policy.roots for policy in found if policy.roots})
    if len({policy.path for policy in found}) < len(found):
        raise ConfigurationError("a policy is named twice")
    return found


def _anywhere(_path: Path) -> None:
    """No guard."""


def refuse_modules(policies: Iterable[CustomPolicy], why: str) -> None:
    """Raises ConfigurationError when one of them is compiled."""
    for policy in policies:
        if policy.module is not None:
            raise ConfigurationError(f"{policy.path}: is a compiled module, and {why}", hint="use --engine embedded")


def _read(text: str, key: signature.SigningKey | None, guard: Guard) -> CustomPolicy:
    match = _PINNED.fullmatch(text)
    path, pin = (Path(match[1]), match[2]) if match else (Path(text), None)
    what = escape(str(path))
    guard(path)
    if path.is_dir():
        policy = _folder(path, what, key, guard)
        _compare(what, pin, policy.digest)
        return policy
    data = _bytes(path, MAX_ARCHIVE)
    _compare(what, pin, hashlib.sha256(data).hexdigest())
    if data.startswith(GZIP):
        return _bundle(read_archive(data, what=what), what, key, pinned=pin is not None)
    if data.startswith(WASM):
        _refuse_unsigned(what, key)
        return _made(what, {}, {}, module=data)
    hint = "name the folder that it lies in" if path.suffix == ".rego" else None
    raise ConfigurationError(f"{what}: is neither a folder, a bundle (tar.gz) nor a module (wasm)", hint=hint)


def _compare(what: str, pin: str | None, digest: str) -> None:
    if pin is not None and pin != digest:
        raise ConfigurationError(f"{what}: sha256 is {digest}, pinned is {pin}")


def _refuse_unsigned(what: str, key: signature.SigningKey | None) -> None:
    if key is not None:
        raise ConfigurationError(f"{what}: is no signed bundle, and {key.name} was named to verify it")


def _folder(folder: Path, what: str, key: signature.SigningKey | None, guard: Guard) -> CustomPolicy:
    _refuse_unsigned(what, key)
    rego: dict[str, bytes] = {}
    for place, folders, names in os.walk(folder, onerror=_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            inside = path.relative_to(folder).as_posix()
            if _DATA.fullmatch(inside) or _NOT_POLICY.fullmatch(inside):
                raise _no_data(what, inside)
            if name.endswith(".rego") and not name.startswith("."):
                guard(path)
                rego[inside] = _bytes(path, MAX_REGO)
            if len(rego) > MAX_FILES:
                raise ConfigurationError(f"{what}: has more than {MAX_FILES} Rego files")
    return _made(what, *_parted(rego, what))


def _bundle(files: Mapping[str, bytes], what: str, key: signature.SigningKey | None, *, pinned: bool) -> CustomPolicy:
    if key is not None:
        signature.verify(files, key, what=what)
    elif signature.FILE in files and not pinned:
        raise ConfigurationError(
            f"{what}: is signed, and no key was named to verify it",
            hint="add --policy-key PEM, or pin the bundle: PATH@sha256:DIGEST",
        )
    manifest = manifests.read_manifest(files.get(manifests.FILE), what=what)
    for name, data in files.items():
        if _NOT_POLICY.fullmatch(name) or (_DATA.fullmatch(name) and not _EMPTY.fullmatch(data)):
            raise _no_data(what, name)
        if name.endswith(".wasm") and name != _MODULE:
            raise ConfigurationError(f"{what}: {escape(name)}: the one module of a bundle is {_MODULE}")
    rego = {name: data for name, data in sorted(files.items()) if name.endswith(".rego")}
    if (module := files.get(_MODULE)) is not None:
        if rego:
            raise ConfigurationError(
                f"{what}: holds Rego and a compiled module, and not all of it would be evaluated",
                hint="bundle the sources alone, or compile them: `done-receipt policy build`",
            )
        return _made(what, {}, {}, module=module, roots=manifest.roots)
    for name, data in rego.items():
        if len(data) > MAX_REGO:
            raise ConfigurationError(f"{what}: {escape(name)}: has {len(data)} bytes, at most {MAX_REGO} are read")
    return _made(what, *_parted(rego, what), roots=manifest.roots)


def _parted(rego: Mapping[str, bytes], what: str) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Rules and tests."""
    tests = {name: data for name, data in rego.items() if name.endswith("_test.rego")}
    sources = {name: data for name, data in rego.items() if name not in tests}
    if not sources:
        raise ConfigurationError(f"{what}: holds no policy (*.rego)")
    return sources, tests


def _made(
    what: str,
    sources: Mapping[str, bytes],
    tests: Mapping[str, bytes],
    *,
    module: bytes | None = None,
    roots: tuple[str, ...] = (),
) -> CustomPolicy:
    digest = lines_digest(sources) if module is None else hashlib.sha256(module).hexdigest()
    return CustomPolicy(path=what, sources=sources, tests=tests, module=module, roots=roots, digest=digest)


def _no_data(what: str, name: str) -> ConfigurationError:
    return ConfigurationError(
        f"{what}: {escape(name)}: holds data, and policy of your own is rules only",
        hint="write the values into a rule; what a profile says is in input.profile",
    )


def _unreadable(error: OSError) -> None:
    raise ConfigurationError(f"policy {escape(str(error.filename))} cannot be read: {error.strerror}")


def _bytes(path: Path, limit: int) -> bytes:
    try:
        return read_file(path, limit=limit, what="policy")
    except InputError as error:
        raise ConfigurationError(error.message, hint=error.hint) from None
