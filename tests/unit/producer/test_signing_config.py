"""Which services of a Sigstore instance are called now, and which root belongs to them."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from in_toto_done_receipt.errors import ConfigurationError, TrustError
from in_toto_done_receipt.producer.signing_config import SIGNING_CONFIG, TRUST_CONFIG, Instance, read_instance
from tests.forge.sigstore import Forge

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ROOT = Forge.of().trusted_root()


def offered(url: str, *, version: int = 1, operator: str = "a", start: str = "2025", end: str | None = None) -> Any:
    valid = {"start": f"{start}-01-01T00:00:00Z"} | ({} if end is None else {"end": f"{end}-01-01T00:00:00Z"})
    return {"url": url, "majorApiVersion": version, "operator": operator, "validFor": valid}


def config(**changes: Any) -> dict[str, Any]:
    return {
        "mediaType": SIGNING_CONFIG,
        "caUrls": [offered("https://ca")],
        "oidcUrls": [offered("https://oidc")],
        "rekorTlogUrls": [offered("https://log")],
        "rekorTlogConfig": {"selector": "ANY"},
        "tsaUrls": [offered("https://tsa/stamp")],
        "tsaConfig": {"selector": "ANY"},
    } | changes


def trust_config(**changes: Any) -> tuple[str, bytes]:
    tree = {"mediaType": TRUST_CONFIG, "trustedRoot": ROOT, "signingConfig": config()} | changes
    return "trust.json", json.dumps(tree).encode()


def instance(**changes: Any) -> Instance:
    return read_instance(trust_config=trust_config(signingConfig=config(**changes)), now=NOW)


def test_a_trust_configuration_has_all() -> None:
    found = instance()
    assert found.fulcio is not None
    assert found.issuer is not None
    assert found.log is not None
    assert (found.fulcio.url, found.issuer.url, found.log.service.url) == ("https://ca", "https://oidc", "https://log")
    assert ([tsa.url for tsa in found.stamps], found.log.version) == (["https://tsa/stamp"], 1)
    assert found.root.name == "trust.json: trustedRoot"


def test_two_files_are_as_good() -> None:
    found = read_instance(
        signing_config=("signing.json", json.dumps(config()).encode()),
        trusted_root=("root.json", json.dumps(ROOT).encode()),
        now=NOW,
    )
    assert (found.known_as, found.root.name) == ("signing.json", "root.json")


def test_files_of_their_own_beat_the_trust_configuration() -> None:
    other = Forge.of("other").trusted_root()
    found = read_instance(
        trust_config=trust_config(),
        signing_config=("signing.json", json.dumps(config(caUrls=[offered("https://mine")])).encode()),
        trusted_root=("root.json", json.dumps(other).encode()),
        now=NOW,
    )
    assert found.fulcio is not None
    assert (found.fulcio.url, found.root.data) == ("https://mine", json.dumps(other).encode())


@pytest.mark.parametrize("missing", ["trusted_root", "signing_config"])
def test_half_is_not_enough(missing: str) -> None:
    files = {
        "trusted_root": ("root.json", json.dumps(ROOT).encode()),
        "signing_config": ("signing.json", json.dumps(config()).encode()),
    }
    del files[missing]
    with pytest.raises(
        ConfigurationError,
        match=f"a {missing.replace('signing_config', 'signing configuration').replace('_', ' ')} is missing",
    ):
        read_instance(**files, now=NOW)


def test_the_highest_version_then_the_newest() -> None:
    logs = [
        offered("https://old", version=1, start="2026"),
        offered("https://v2-old", version=2, start="2024"),
        offered("https://v2-new", version=2, start="2025"),
        offered("https://v3", version=3),
    ]
    found = instance(rekorTlogUrls=logs)
    assert found.log is not None
    assert (found.log.service.url, found.log.version) == ("https://v2-new", 2)


@pytest.mark.parametrize("window", [{"start": "2027"}, {"start": "2020", "end": "2026"}], ids=["not-yet", "no-more"])
def test_what_is_not_valid_now_is_not_called(window: dict[str, Any]) -> None:
    assert instance(caUrls=[offered("https://ca", **window)]).fulcio is None


def test_both_ends_of_a_window_belong_to_it() -> None:
    entry = offered("https://ca") | {"validFor": {"start": "2026-11-30T00:00:00Z", "end": "2026-11-30T00:00:00Z"}}
    assert instance(caUrls=[entry]).fulcio is not None


def test_one_authority_of_each_operator() -> None:
    stamps = [offered("https://a1"), offered("https://a2", start="2026"), offered("https://b", operator="b")]
    found = instance(tsaUrls=stamps, tsaConfig={"selector": "ALL"})
    assert [tsa.url for tsa in found.stamps] == ["https://a2", "https://b"]


def test_exactly_so_many() -> None:
    stamps = [offered(f"https://{name}", operator=name) for name in "abc"]
    found = instance(tsaUrls=stamps, tsaConfig={"selector": "EXACT", "count": 2})
    assert len(found.stamps) == 2


def test_more_than_there_are() -> None:
    with pytest.raises(ConfigurationError, match="tsaConfig demands 2 operators, 1 can be called now"):
        instance(tsaConfig={"selector": "EXACT", "count": 2})


def test_none_of_what_is_demanded() -> None:
    with pytest.raises(ConfigurationError, match="tsaConfig demands 1 operators, 0 can be called now"):
        instance(tsaUrls=[], tsaConfig={"selector": "EXACT", "count": 1})


def test_no_services_and_no_demand() -> None:
    bare: dict[str, Any] = {"rekorTlogUrls": [], "tsaUrls": [], "caUrls": [], "oidcUrls": []}
    found = instance(**bare)
    assert (found.fulcio, found.log, found.stamps, found.issuer) == (None, None, (), None)


def test_several_logs_at_once() -> None:
    logs = [offered("https://a"), offered("https://b", operator="b")]
    with pytest.raises(ConfigurationError, match="entries in 2 logs are demanded, a bundle here holds one"):
        instance(rekorTlogUrls=logs, rekorTlogConfig={"selector": "ALL"})


def test_too_many_timestamps() -> None:
    stamps = [offered(f"https://h{number}", operator=str(number)) for number in range(9)]
    with pytest.raises(ConfigurationError, match="9 timestamps are demanded"):
        instance(tsaUrls=stamps, tsaConfig={"selector": "ALL"})


@pytest.mark.parametrize(
    "selector",
    [None, {}, "ANY", {"selector": "SOME"}, {"selector": "EXACT"}, {"selector": "EXACT", "count": True}],
    ids=repr,
)
def test_a_selector_of_another_kind(selector: Any) -> None:
    with pytest.raises(ConfigurationError, match="rekorTlogConfig: expected selector ALL, ANY or EXACT"):
        instance(rekorTlogConfig=selector)


BROKEN: dict[str, Any] = {
    "no-list": {"caUrls": {}},
    "no-url": {"caUrls": [{"majorApiVersion": 1, "validFor": {"start": "2020-01-01T00:00:00Z"}}]},
    "no-window": {"caUrls": [{"url": "https://ca", "majorApiVersion": 1}]},
    "no-start": {"caUrls": [{"url": "https://ca", "majorApiVersion": 1, "validFor": {}}]},
    "no-zone": {"caUrls": [{"url": "https://ca", "majorApiVersion": 1, "validFor": {"start": "2020-01-01T00:00:00"}}]},
    "operator": {"tsaUrls": [offered("https://tsa") | {"operator": 7}]},
    "url": {"caUrls": [offered("ftp://ca")]},
}


@pytest.mark.parametrize("changes", BROKEN.values(), ids=BROKEN)
def test_an_entry_that_cannot_be_read(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        instance(**changes)


@pytest.mark.parametrize("entry", [7, None, {}, {"majorApiVersion": True}, {"majorApiVersion": "1"}], ids=repr)
def test_an_entry_of_no_version_is_not_called(entry: Any) -> None:
    assert instance(caUrls=[entry]).fulcio is None


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"mediaType": "x"}', json.dumps(ROOT).encode(), b"[" * 100_000], ids=range(6)
)
def test_a_file_of_another_kind(data: bytes) -> None:
    with pytest.raises(ConfigurationError, match=r"trust\.json"):
        read_instance(trust_config=("trust.json", data), now=NOW)


@pytest.mark.parametrize("changes", [{"trustedRoot": None}, {"trustedRoot": {}}, {"signingConfig": {}}], ids=repr)
def test_a_trust_configuration_with_something_else_inside(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=r"trust\.json"):
        read_instance(trust_config=trust_config(**changes), now=NOW)


def test_a_root_that_cannot_be_used() -> None:
    with pytest.raises(TrustError, match="no start of validity"):
        read_instance(trust_config=trust_config(trustedRoot=ROOT | {"tlogs": [{"publicKey": {}}]}), now=NOW)
