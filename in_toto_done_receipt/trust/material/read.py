"""The verification material of a bundle, decoded strictly (sigstore_bundle.proto, sigstore_rekor.proto).

Protobuf's JSON mapping: null and a member left out mean the default, whole numbers may be strings, bytes are base64 of
either alphabet. More is not taken: an unknown member, or a second spelling of a known one, could be read by another
verifier. Nothing is verified here.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from in_toto_done_receipt.errors import MalformedEnvelope
from in_toto_done_receipt.trust.material.guard import unreadable, unsupported
from in_toto_done_receipt.trust.material.model import LogEntry, Material, Proof
from in_toto_done_receipt.wire.bundle import MATERIAL_MEMBERS
from in_toto_done_receipt.wire.dsse import decode_base64
from in_toto_done_receipt.wire.pointer import join, kind_of, named, quote

_DECIMAL: Final = re.compile(r"0|[1-9][0-9]{0,18}")
_MAX_NUMBER: Final = (1 << 63) - 1  # int64


def read_material(tree: Any, version: str) -> Material:
    """The material in the `verificationMaterial` of a bundle of this version.

    Raises SignatureNotTrusted: `signature.sigstore` for what breaks the format, `signature.unsupported` for a chain of
    a private authority, which 0.3 allows.
    """
    try:
        material = _Object(tree, MATERIAL_MEMBERS, "/verificationMaterial")
        stamps = material.at("timestampVerificationData", ("rfc3161Timestamps",))
        return Material(
            version=version,
            certificate=_certificate(material, version),
            entries=tuple(_entry(entry) for entry in material.objects("tlogEntries", _ENTRY)),
            stamps=tuple(
                stamp.data("signedTimestamp") for stamp in stamps.objects("rfc3161Timestamps", ("signedTimestamp",))
            ),
        )
    except MalformedEnvelope as fault:
        raise unreadable(fault.message) from None


_ENTRY: Final = (
    "logIndex",
    "logId",
    "kindVersion",
    "integratedTime",
    "inclusionPromise",
    "inclusionProof",
    "canonicalizedBody",
)
_PROOF: Final = ("logIndex", "rootHash", "treeSize", "hashes", "checkpoint")


class _Object:
    """One object of the material: only members that are known, each in its one encoding."""

    def __init__(self, tree: Any, known: tuple[str, ...], place: str) -> None:
        self.place = place
        self._tree: dict[str, Any] = {} if tree is None else tree
        if not isinstance(self._tree, dict):
            raise self._fault(place, f"expected an object, got {kind_of(tree)}")
        for member in self._tree:
            if member not in known:
                raise self._fault(place, f"unknown member {quote(member)}")

    def _fault(self, place: str, fact: str) -> MalformedEnvelope:
        return MalformedEnvelope(f"{named(place)}: {fact}")

    def has(self, name: str) -> bool:
        """Whether the member is there and not null."""
        return self._tree.get(name) is not None

    def at(self, name: str, known: tuple[str, ...]) -> "_Object":
        """The object under a name; an empty one when it is not there."""
        return _Object(self._tree.get(name), known, join(self.place, name))

    def objects(self, name: str, known: tuple[str, ...]) -> Iterator["_Object"]:
        for index, item in enumerate(self._list(name)):
            yield _Object(item, known, join(self.place, name, index))

    def _list(self, name: str) -> list[Any]:
        listed = self._tree.get(name)
        if listed is not None and not isinstance(listed, list):
            raise self._fault(join(self.place, name), f"expected array, got {kind_of(listed)}")
        return listed or []

    def text(self, name: str) -> str:
        value = self._tree.get(name)
        if value is not None and not isinstance(value, str):
            raise self._fault(join(self.place, name), f"expected string, got {kind_of(value)}")
        return value or ""

    def data(self, name: str) -> bytes:
        return decode_base64(self.text(name), named(join(self.place, name)))

    def many_data(self, name: str) -> tuple[bytes, ...]:
        found = []
        for index, item in enumerate(self._list(name)):
            place = join(self.place, name, index)
            if not isinstance(item, str):
                raise self._fault(place, f"expected string, got {kind_of(item)}")
            found.append(decode_base64(item, named(place)))
        return tuple(found)

    def number(self, name: str) -> int:
        value = self._tree.get(name)
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if text is None:
            return 0
        if not isinstance(text, str) or not _DECIMAL.fullmatch(text) or int(text) > _MAX_NUMBER:
            raise self._fault(join(self.place, name), f"expected a decimal number, got {quote(str(value))}")
        return int(text)


def _certificate(material: _Object, version: str) -> bytes | None:
    """The signer's certificate, which stands where the version has it; nothing else of a chain is looked at."""
    if material.has("publicKey"):
        return None
    chained = material.has("x509CertificateChain")
    if version == "0.3":
        if chained:
            raise unsupported(
                "it holds a certificate chain of a private authority, as model-signing writes it",
                hint="bundles 0.3 of Sigstore hold the certificate alone",
            )
        found = material.at("certificate", ("rawBytes",)).data("rawBytes")
    else:
        if not chained:
            raise MalformedEnvelope(f"a bundle {version} has its certificate in x509CertificateChain, got certificate")
        chain = material.at("x509CertificateChain", ("certificates",))
        certificates = list(chain.objects("certificates", ("rawBytes",)))
        # Old clients wrote the whole chain up to the root. It is the trusted root that says who issued the first.
        found = certificates[0].data("rawBytes") if certificates else b""
    if not found:
        raise MalformedEnvelope("no certificate in it")
    return found


def _entry(entry: _Object) -> LogEntry:
    kind = entry.at("kindVersion", ("kind", "version"))
    promise = entry.at("inclusionPromise", ("signedEntryTimestamp",)).data("signedEntryTimestamp")
    if entry.has("inclusionPromise") and not promise:
        raise MalformedEnvelope(f"{named(entry.place)}: an inclusionPromise without its signature")
    return LogEntry(
        kind=f"{kind.text('kind')}/{kind.text('version')}",
        log_id=entry.at("logId", ("keyId",)).data("keyId"),
        index=entry.number("logIndex"),
        time=entry.number("integratedTime"),
        promise=promise,
        proof=_proof(entry.at("inclusionProof", _PROOF)) if entry.has("inclusionProof") else None,
        body=entry.data("canonicalizedBody"),
    )


def _proof(proof: _Object) -> Proof:
    return Proof(
        index=proof.number("logIndex"),
        size=proof.number("treeSize"),
        root=proof.data("rootHash"),
        hashes=proof.many_data("hashes"),
        checkpoint=proof.at("checkpoint", ("envelope",)).text("envelope"),
    )
