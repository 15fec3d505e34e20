"""A bundle's .manifest: which part of the policy it may hold, its revision, its version of Rego.

Source: OPA, "Bundle File Format". A bundle without roots owns everything, and so overlaps ours.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from in_toto_done_receipt.errors import ConfigurationError, MalformedInput
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.escape import escape

FILE: Final = ".manifest"
OWN_ROOT: Final = "done_receipt/custom"
_HINT: Final = f'write a .manifest: {{"revision": "1", "roots": ["{OWN_ROOT}"], "rego_version": 1}}'
_REGO_VERSION: Final = 1


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What OPA writes; `wasm` and `metadata` are kept out of everything that decides."""

    revision: str = ""
    roots: tuple[str, ...] = ("",)
    rego_version: int = _REGO_VERSION
    file_rego_versions: dict[str, int] = {}
    wasm: tuple[Any, ...] = ()
    metadata: dict[str, Any] = {}


def read_manifest(data: bytes | None, *, what: str) -> Manifest:
    """The manifest of a bundle of the verifier's own; its roots all lie below done_receipt/custom.

    Raises ConfigurationError when there is none (None), it is malformed, of Rego v0, or owns anything else.
    """
    where = f"{what}: {FILE}"
    if data is None:
        raise ConfigurationError(f"{where}: is missing, so the bundle would own the whole policy", hint=_HINT)
    try:
        manifest = msgspec.convert(strict_json.loads(data, what=where), Manifest, strict=True)
    except MalformedInput as error:
        raise ConfigurationError(error.message) from None
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"{where}: {escape(str(error))}") from None
    if versions := {manifest.rego_version, *manifest.file_rego_versions.values()} - {_REGO_VERSION}:
        raise ConfigurationError(f"{where}: Rego version is {min(versions)}, only v{_REGO_VERSION} is taken")
    if not manifest.roots:
        raise ConfigurationError(f"{where}: roots are empty: the bundle owns nothing", hint=_HINT)
    for root in manifest.roots:
        if root.strip("/") != OWN_ROOT and not root.strip("/").startswith(f"{OWN_ROOT}/"):
            raise ConfigurationError(
                f"{where}: root {escape(root) or '(everything)'} is not below {OWN_ROOT}", hint=_HINT
            )
    return manifest


def refuse_overlaps(roots: Mapping[str, tuple[str, ...]]) -> None:
    """Raises ConfigurationError when roots of two bundles (by their names) overlap."""
    known: list[tuple[str, str]] = []
    for what, owned in roots.items():
        for root in owned:
            place = root.strip("/") + "/"
            for other, theirs in known:
                if other != what and (place.startswith(theirs) or theirs.startswith(place)):
                    raise ConfigurationError(
                        f"{what}: root {escape(root)} overlaps {escape(theirs.rstrip('/'))} of {other}"
                    )
            known.append((what, place))
