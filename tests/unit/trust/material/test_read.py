"""The material of a bundle: one reading, or none."""

from base64 import b64encode, urlsafe_b64encode
from copy import deepcopy
from typing import Any

import pytest

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.trust.material.model import LogEntry, Material, Proof
from in_toto_done_receipt.trust.material.read import read_material

BYTES = b"\xff\xfb\xbf>>?"  # both alphabets have their own spelling of it


def text(data: bytes = BYTES) -> str:
    return b64encode(data).decode()


ENTRY: dict[str, Any] = {
    "logIndex": "7",
    "logId": {"keyId": text()},
    "kindVersion": {"kind": "dsse", "version": "0.0.1"},
    "integratedTime": "1700000000",
    "inclusionPromise": {"signedEntryTimestamp": text()},
    "inclusionProof": {
        "logIndex": "3",
        "treeSize": "9",
        "rootHash": text(),
        "hashes": [text(), text(b"a")],
        "checkpoint": {"envelope": "note"},
    },
    "canonicalizedBody": text(b"{}"),
}
MATERIAL: dict[str, Any] = {
    "certificate": {"rawBytes": text()},
    "tlogEntries": [ENTRY],
    "timestampVerificationData": {"rfc3161Timestamps": [{"signedTimestamp": text()}]},
}


def changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The material with one value changed, or removed if the value is `...`."""
    tree = deepcopy(MATERIAL)
    holder: Any = tree
    for step in path[:-1]:
        holder = holder[step]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return tree


def test_everything_is_decoded() -> None:
    proof = Proof(index=3, size=9, root=BYTES, hashes=(BYTES, b"a"), checkpoint="note")
    entry = LogEntry(kind="dsse/0.0.1", log_id=BYTES, index=7, time=1700000000, promise=BYTES, proof=proof, body=b"{}")
    expected = Material(version="0.3", certificate=BYTES, entries=(entry,), stamps=(BYTES,))
    assert read_material(MATERIAL, "0.3") == expected


E = ("tlogEntries", 0)
SAME: dict[str, tuple[tuple[Any, ...], Any]] = {
    "numbers as numbers": ((*E, "logIndex"), 7),
    "the other alphabet": (("certificate", "rawBytes"), urlsafe_b64encode(BYTES).decode()),
    "no padding": ((*E, "inclusionProof", "hashes", 1), text(b"a").rstrip("=")),
}


@pytest.mark.parametrize(("path", "value"), SAME.values(), ids=SAME)
def test_spellings_that_mean_the_same(path: tuple[Any, ...], value: Any) -> None:
    assert read_material(changed(path, value), "0.3") == read_material(MATERIAL, "0.3")


@pytest.mark.parametrize("value", [None, ...], ids=["null", "absent"])
@pytest.mark.parametrize(
    ("path", "attribute", "default"),
    [
        (("tlogEntries",), "entries", ()),
        (("timestampVerificationData",), "stamps", ()),
        (("timestampVerificationData", "rfc3161Timestamps"), "stamps", ()),
    ],
)
def test_null_and_absent_mean_the_default(path: tuple[Any, ...], attribute: str, default: Any, value: Any) -> None:
    assert getattr(read_material(changed(path, value), "0.3"), attribute) == default


@pytest.mark.parametrize("value", [None, ...], ids=["null", "absent"])
@pytest.mark.parametrize(
    ("path", "attribute", "default"),
    [
        (("logIndex",), "index", 0),
        (("integratedTime",), "time", 0),
        (("logId",), "log_id", b""),
        (("inclusionPromise",), "promise", b""),
        (("inclusionProof",), "proof", None),
        (("canonicalizedBody",), "body", b""),
        (("kindVersion",), "kind", "/"),
    ],
)
def test_null_and_absent_in_an_entry_mean_the_default(
    path: tuple[Any, ...], attribute: str, default: Any, value: Any
) -> None:
    (entry,) = read_material(changed((*E, *path), value), "0.3").entries
    assert getattr(entry, attribute) == default


WRONG: dict[str, tuple[tuple[Any, ...], Any, str]] = {
    "an unknown member": (("x",), 1, 'unknown member "x"'),
    "a second spelling": ((*E, "log_index"), "7", 'unknown member "log_index"'),
    "a member of another case": ((*E, "LogIndex"), "7", 'unknown member "LogIndex"'),
    "an unknown member deep inside": ((*E, "inclusionProof", "checkpoint", "x"), 1, "checkpoint: unknown member"),
    "a key with more than a hint": (("certificate", "keyDetails"), "x", "unknown member"),
    "no object": (("timestampVerificationData",), [], "expected an object, got array"),
    "no list": (("tlogEntries",), {}, "expected array, got object"),
    "no list of hashes": ((*E, "inclusionProof", "hashes"), "x", "expected array, got string"),
    "a hash that is a number": ((*E, "inclusionProof", "hashes", 0), 1, "expected string, got integer"),
    "an entry that is a string": (E, "x", "expected an object, got string"),
    "bytes that are a number": ((*E, "canonicalizedBody"), 1, "expected string, got integer"),
    "a text that is a number": ((*E, "inclusionProof", "checkpoint", "envelope"), 1, "expected string"),
    "a negative number": ((*E, "logIndex"), "-1", "expected a decimal number"),
    "a leading zero": ((*E, "logIndex"), "07", "expected a decimal number"),
    "a fraction": ((*E, "logIndex"), 7.0, "expected a decimal number"),
    "a boolean": ((*E, "logIndex"), True, "expected a decimal number"),
    "a blank": ((*E, "logIndex"), " 7", "expected a decimal number"),
    "digits of another script": ((*E, "logIndex"), "\N{ARABIC-INDIC DIGIT SEVEN}", "expected a decimal number"),
    "too large a number": ((*E, "logIndex"), str(2**63), "expected a decimal number"),
    "mixed alphabets": (("certificate", "rawBytes"), "-/-/", "not base64"),
    "a line break": (("certificate", "rawBytes"), text() + "\n", "not base64"),
    "data after the padding": (("certificate", "rawBytes"), "YQ==YQ==", "not base64"),
    "bits that are not zero": (("certificate", "rawBytes"), "YR==", "not base64"),
    "no certificate": (("certificate", "rawBytes"), "", "no certificate in it"),
}


@pytest.mark.parametrize(("path", "value", "message"), WRONG.values(), ids=WRONG)
def test_everything_else_is_refused(path: tuple[Any, ...], value: Any, message: str) -> None:
    with pytest.raises(SignatureNotTrusted, match=message) as caught:
        read_material(changed(path, value), "0.3")
    assert caught.value.reason == "signature.sigstore"
    assert caught.value.message.startswith("the Sigstore bundle cannot be read: ")
    assert caught.value.message.isascii()


def chained(*certificates: Any) -> dict[str, Any]:
    return changed(("certificate",), ...) | {"x509CertificateChain": {"certificates": list(certificates)}}


@pytest.mark.parametrize("version", ["0.1", "0.2"])
def test_the_first_of_a_chain_is_the_signers(version: str) -> None:
    tree = chained({"rawBytes": text(b"leaf")}, {"rawBytes": text(b"issuer")})
    assert read_material(tree, version).certificate == b"leaf"


@pytest.mark.parametrize("tree", [chained(), chained({}), MATERIAL], ids=["empty chain", "empty", "no chain"])
def test_an_old_version_needs_a_chain(tree: dict[str, Any]) -> None:
    with pytest.raises(SignatureNotTrusted, match="certificate"):
        read_material(tree, "0.2")


def test_a_chain_of_a_private_authority_is_unsupported() -> None:
    with pytest.raises(SignatureNotTrusted, match="a certificate chain of a private authority") as caught:
        read_material(chained({"rawBytes": text()}), "0.3")
    assert caught.value.reason == "signature.unsupported"


@pytest.mark.parametrize("version", ["0.1", "0.2", "0.3"])
def test_a_managed_key_has_no_certificate(version: str) -> None:
    assert read_material(changed(("certificate",), ...) | {"publicKey": {}}, version).certificate is None
