import json
from datetime import UTC, datetime
from typing import Any

import pytest

from in_toto_done_receipt.errors import TrustError
from in_toto_done_receipt.trust.root import read_root


def tree(**changes: Any) -> dict[str, Any]:
    def log(start: str, end: str | None = None) -> dict[str, Any]:
        valid_for = {"start": start} | ({} if end is None else {"end": end})
        return {"baseUrl": f"https://log/{start}", "publicKey": {"validFor": valid_for}}

    return {
        "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
        "tlogs": [log("2022-01-01T00:00:00Z", "2023-01-01T00:00:00Z"), log("2023-01-01T00:00:00Z")],
        "certificateAuthorities": [{"uri": "https://ca", "validFor": {"start": "2022-01-01T00:00:00Z"}}],
        "ctlogs": [log("2022-01-01T00:00:00Z", "2022-06-01T00:00:00Z"), log("2022-06-01T00:00:00Z")],
        "timestampAuthorities": [{"uri": "https://tsa", "validFor": {"start": "2030-01-01T00:00:00Z"}}],
    } | changes


def read(document: Any) -> Any:
    return read_root(json.dumps(document).encode(), name="root.json")


def test_newest_validity_start_over_all_sections() -> None:
    assert read(tree()).newest_validity_start == datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "expected a trusted root"),
        ({}, "got no media type"),
        (tree(mediaType="application/vnd.dev.sigstore.trustedroot.v0.2+json"), "trustedroot.v0.2"),
        (tree(mediaType=7), "got no media type"),
        (tree(tlogs=[], timestampAuthorities=[]), "has neither tlogs nor timestampAuthorities"),
        (tree(tlogs={}), "tlogs is not a list"),
        (tree(ctlogs=None), "ctlogs is not a list"),
        (tree(certificateAuthorities={}), "certificateAuthorities is not a list"),
        (tree(timestampAuthorities={}), "timestampAuthorities is not a list"),
        (tree(tlogs=["x"]), "tlogs holds something that is not an object"),
        (tree(tlogs=[{"baseUrl": "https://x", "publicKey": {}}]), '"https://x" has no start of validity'),
        (tree(tlogs=[{"baseUrl": "https://x", "publicKey": []}]), '"https://x" has no start of validity'),
        (tree(tlogs=[{"validFor": {"start": 7}}]), 'not a time: "7"'),
        (tree(tlogs=[{"validFor": {"start": "2022-13-01T00:00:00Z"}}]), "not a time"),
        (tree(tlogs=[{"validFor": {"start": "2022-01-01T00:00:00"}}]), "without a zone"),
        (tree(tlogs=[{"validFor": {"start": "9999-12-31T23:59:59-01:00"}}]), "1 to 9999 in UTC"),
        (tree(tlogs=[{"validFor": {"start": "2022-01-01T00:00:00Z", "end": "soon"}}]), "not a time"),
    ],
)
def test_refuses(document: Any, message: str) -> None:
    with pytest.raises(TrustError, match=message):
        read(document)


@pytest.mark.parametrize("data", [b"", b"{", b'{"a":1,"a":2}', b"\xff"])
def test_refuses_what_is_not_strict_json(data: bytes) -> None:
    with pytest.raises(TrustError, match=r"trusted root root\.json"):
        read_root(data, name="root.json")


def test_several_roots_in_one_file_get_a_hint() -> None:
    with pytest.raises(TrustError, match="after the end") as caught:
        read_root(b"{}\n{}\n", name="root.json")
    assert caught.value.hint == "one trusted root per file; split JSON Lines of several roots"


def test_a_root_says_whether_it_has_certificate_logs() -> None:
    assert read(tree()).certificate_logs
    assert not read(tree(ctlogs=[])).certificate_logs


@pytest.mark.parametrize("sections", [("tlogs",), ("timestampAuthorities",)], ids=["a log", "a timestamp authority"])
def test_a_root_may_vouch_for_managed_keys_only(sections: tuple[str, ...]) -> None:
    whole = tree()
    read({name: value for name, value in whole.items() if name in ("mediaType", *sections)})
