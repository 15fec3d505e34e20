"""The Sigstore trusted root: a file that the verifier names, read here; never a cache, never the network.

Shape and times only; the keys and certificates in it are loaded by `trust.material.anchors`.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from in_toto_done_receipt.errors import MalformedInput, TrustError
from in_toto_done_receipt.trust.model import RootFile
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.pointer import quote

MEDIA_TYPE: Final = "application/vnd.dev.sigstore.trustedroot+json;version=0.1"
MAX_ROOT_BYTES: Final = 4 << 20  # the public one has 7 KiB
SECTIONS: Final = ("tlogs", "certificateAuthorities", "ctlogs", "timestampAuthorities")


def read_root(
    data: bytes,
    *,
    name: str,
    pinned_sha256: str | None = None,
    obtained_on: datetime | None = None,
    max_age: int | None = None,
) -> RootFile:
    """The root in these bytes.

    Raises TrustError: not strict JSON, another format (several roots in JSON Lines too), neither a log nor a
    timestamp authority, a log
    or authority without the start of its validity, a sha256 other than the pinned one.
    """
    sha256 = sha256_hex(data)
    if pinned_sha256 is not None and sha256 != pinned_sha256:
        raise TrustError(f"{name}: sha256 of the trusted root is {sha256}, pinned is {pinned_sha256}")
    tree = root_tree(data, name)
    starts = [window(entry, name)[0] for entry in _entries(tree, name)]
    return RootFile(
        name=name,
        data=data,
        sha256=sha256,
        newest_validity_start=max(starts),
        obtained_on=obtained_on,
        max_age=max_age,
        pinned=pinned_sha256 is not None,
        certificate_logs=bool(tree.get("ctlogs")),
    )


def root_tree(data: bytes, name: str) -> dict[str, Any]:
    """The document of a trusted root. Raises TrustError."""
    try:
        tree = strict_json.loads(data, what=name, max_bytes=MAX_ROOT_BYTES)
    except MalformedInput as fault:
        several = getattr(fault, "kind", None) == "trailing"
        hint = "one trusted root per file; split JSON Lines of several roots" if several else None
        raise TrustError(f"trusted root {fault.message}", hint=hint) from None
    media_type = tree.get("mediaType") if isinstance(tree, dict) else None
    if media_type != MEDIA_TYPE:
        got = quote(media_type) if isinstance(media_type, str) else "no media type"
        raise TrustError(
            f"{name}: expected a trusted root of media type {MEDIA_TYPE}, got {got}",
            hint="Sigstore's own is the target trusted_root.json of its TUF repository",
        )
    if not tree.get("tlogs") and not tree.get("timestampAuthorities"):
        raise TrustError(f"{name}: trusted root has neither tlogs nor timestampAuthorities: it vouches for no time")
    return dict(tree)


def _entries(tree: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    for section in SECTIONS:
        listed = tree.get(section, [])
        if not isinstance(listed, list):
            raise TrustError(f"{name}: trusted root: {section} is not a list")
        for entry in listed:
            if not isinstance(entry, dict):
                raise TrustError(f"{name}: trusted root: {section} holds something that is not an object")
            yield entry


def window(entry: dict[str, Any], name: str) -> tuple[datetime, datetime | None]:
    """Start and end of the validity of one log or authority. Raises TrustError without a start."""
    holder = entry.get("publicKey") if "publicKey" in entry else entry
    valid_for = holder.get("validFor") if isinstance(holder, dict) else None
    if not isinstance(valid_for, dict) or "start" not in valid_for:
        where = entry.get("baseUrl") or entry.get("uri")
        raise TrustError(f"{name}: trusted root: {quote(str(where))} has no start of validity")
    end = valid_for.get("end")
    return _moment(valid_for["start"], name), None if end is None else _moment(end, name)


def _moment(text: Any, name: str) -> datetime:
    """A protobuf JSON timestamp: RFC 3339 with any offset (other tools than Fulcio's write them too)."""
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        raise TrustError(f"{name}: trusted root: not a time: {quote(str(text))}") from None
    if moment.tzinfo is None:
        raise TrustError(f"{name}: trusted root: a time without a zone: {quote(text)}")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        fact = f"expected a time of the years 1 to 9999 in UTC, got {quote(text)}"
        raise TrustError(f"{name}: trusted root: {fact}") from None
