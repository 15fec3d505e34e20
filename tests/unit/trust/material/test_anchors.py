"""The trusted root as keys and certificates."""

import json
from base64 import b64encode
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from in_toto_done_receipt.errors import SignatureNotTrusted, TrustError
from in_toto_done_receipt.trust.certified import verify_certified
from in_toto_done_receipt.trust.material.anchors import Anchors, Validity, load_anchors
from in_toto_done_receipt.trust.root import read_root
from in_toto_done_receipt.wire.bundle import read_bundle
from tests.forge.plan import NOW
from tests.forge.sigstore import Forge

FORGE = Forge.of()


def changed(section: str, index: int, path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    tree = deepcopy(FORGE.trusted_root())
    holder = tree[section][index]
    for step in path[:-1]:
        holder = holder[step]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return tree


def load(tree: dict[str, Any]) -> Anchors:
    return load_anchors(read_root(json.dumps(tree).encode(), name="root.json"))


def test_everything_is_loaded() -> None:
    anchors = load(FORGE.trusted_root())
    assert [log.names for log in anchors.logs] == [{FORGE.rekor_v1.origin}, {FORGE.rekor_v2.origin}]
    assert [log.checkpoint_id for log in anchors.logs] == [log.log_id for log in anchors.logs]
    assert [len(authority.chain) for authority in (*anchors.authorities, *anchors.timestamp_authorities)] == [2, 2]
    assert len(anchors.certificate_logs) == 1


def test_the_same_bytes_are_loaded_once() -> None:
    assert load(FORGE.trusted_root()) is load(FORGE.trusted_root())


def test_a_port_belongs_to_the_name_or_not() -> None:
    anchors = load(changed("tlogs", 0, ("baseUrl",), "http://localhost:8000"))
    assert anchors.logs[0].names == {"localhost", "localhost:8000"}


def test_a_log_may_have_another_id_in_checkpoints() -> None:
    other = b"other" * 6
    anchors = load(changed("tlogs", 0, ("checkpointKeyId",), {"keyId": b64encode(other).decode()}))
    assert anchors.logs[0].checkpoint_id == other


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("publicKey", "keyDetails"), "PKIX_ML_DSA_65"),
        (("publicKey", "keyDetails"), ...),
        (("hashAlgorithm",), "SHA2_512"),
    ],
)
def test_a_key_of_an_unknown_kind_harms_only_what_needs_it(path: tuple[Any, ...], value: Any) -> None:
    root = read_root(json.dumps(changed("tlogs", 0, path, value)).encode(), name="root.json")
    verify_certified(read_bundle(FORGE.bundle(b"{}", rekor="v2")), root)
    with pytest.raises(SignatureNotTrusted, match=r"the key of its log .* is of kind") as caught:
        verify_certified(read_bundle(FORGE.bundle(b"{}")), root)
    assert caught.value.reason == "signature.unsupported"


WRONG: dict[str, tuple[str, int, tuple[Any, ...], Any, str]] = {
    "a key that is none": ("tlogs", 0, ("publicKey", "rawBytes"), "AAAA", "rekor"),
    "a key that is no base64": ("tlogs", 0, ("publicKey", "rawBytes"), "!", "not base64"),
    "no key": ("tlogs", 0, ("publicKey", "rawBytes"), ..., "rawBytes"),
    "a key of another kind": ("tlogs", 0, ("publicKey", "keyDetails"), "PKIX_ED25519", "not of the kind"),
    "no id": ("ctlogs", 0, ("logId",), ..., "logId"),
    "an id that is a number": ("ctlogs", 0, ("logId", "keyId"), 1, "ct"),
    "a certificate that is none": (
        "certificateAuthorities",
        0,
        ("certChain", "certificates", 0),
        {"rawBytes": "AAAA"},
        "",
    ),
    "no certificate": ("timestampAuthorities", 0, ("certChain", "certificates"), [], "no certificate"),
    "no chain": ("timestampAuthorities", 0, ("certChain",), ..., "certChain"),
}


@pytest.mark.parametrize(("section", "index", "path", "value", "message"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_loaded_is_the_verifiers_fault(
    section: str, index: int, path: tuple[Any, ...], value: Any, message: str
) -> None:
    with pytest.raises(TrustError, match=rf"root\.json: trusted root: .*{message}"):
        load(changed(section, index, path, value))


@pytest.mark.parametrize(
    ("end", "seconds", "covered"),
    [(None, -1, False), (None, 0, True), (None, 10**9, True), (0, 0, True), (5, 5, True), (5, 6, False)],
)
def test_validity_has_both_its_ends(end: int | None, seconds: int, covered: bool) -> None:
    valid = Validity(start=NOW, end=None if end is None else NOW + timedelta(seconds=end))
    assert valid.covers(NOW + timedelta(seconds=seconds)) is covered


def test_validity_in_words() -> None:
    start, end = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
    assert str(Validity(start=start, end=None)) == "from 2026-01-01T00:00:00Z"
    assert str(Validity(start=start, end=end)) == "from 2026-01-01T00:00:00Z until 2026-01-02T00:00:00Z"
