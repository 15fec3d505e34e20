"""Nothing verified is never a pass."""

import json

import pytest

from testdata.receipts import generate
from tests.advisories.conftest import TRUSTED, Court

NOTHING: dict[str, list[str]] = {
    "an empty file": [""],
    "blank lines": ["", "\r", "  "],
    "an empty object": ["{}"],
    "an empty list": ["[]"],
    "null": ["null"],
    "lines of another kind": ['{"a":1}', '{"b":2}'],
    "an empty answer of an attestation store": ['{"attestations":[]}'],
    "a trusted root": ['{"mediaType":"application/vnd.dev.sigstore.trustedroot+json;version=0.1"}'],
    "an envelope that nobody signed": [json.dumps(generate.envelope(b"{}") | {"signatures": []})],
}


@pytest.mark.parametrize("lines", NOTHING.values(), ids=NOTHING)
def test_cve_2025_25204_no_attestation_is_no_success(court: Court, lines: list[str]) -> None:
    assert court.judge(*lines).code in (3, 10)


@pytest.mark.parametrize("change", ["payload", "signatures", "payloadType"])
def test_cve_2025_25204_an_attestation_without_its_parts_is_no_success(court: Court, change: str) -> None:
    bundle = court.bundle()
    del bundle["dsseEnvelope"][change]
    assert court.judge(bundle).code == 3


def of_type(name: str) -> generate.Change:
    return lambda tree, _predicate: tree.update(predicateType=f"https://example.org/{name}")


def test_cve_2025_25204_only_attestations_of_another_type_is_no_success(court: Court) -> None:
    others = [court.bundle(of_type(name)) for name in "abc"]
    seen = court.judge(*others)
    assert seen.code == 12
    assert seen.document["decision"]["allow"] is False


def test_cve_2025_25204_only_attestations_by_others_is_no_success(court: Court) -> None:
    court.refused(*[court.bundle(identity=f"{name}@example.org") for name in "abc"], reason="signature.identity")


def test_cve_2025_25204_a_receipt_of_nothing_is_no_success(court: Court) -> None:
    seen = court.judge(court.bundle(generate.claims()))
    assert seen.code == 12


@pytest.mark.parametrize("place", ["missing.json", ".", "workspace"])
def test_cve_2025_25204_no_file_is_no_success(court: Court, place: str) -> None:
    court.judge(court.bundle())
    assert court.run("verify", place, "--trusted-root", "root.json", *TRUSTED).code == 3
