"""A valid signature over a statement of another type, over something that is no statement, beside one that counts."""

from typing import Any

import pytest

from testdata.receipts import generate
from tests.advisories.conftest import Court, statement
from tests.forge.plan import MEDIA_TYPES

SLSA = "https://slsa.dev/provenance/v1"
OURS = "https://w3id.org/done-receipt/v0.1"
TRUST = """version = 1
[[identity]]
name = "dev"
subject = "dev@example.org"
issuer = "https://accounts.example.org"
predicateTypes = ["{}"]
[sigstore]
trustedRoot = "root.json"
"""


def of_type(name: str) -> generate.Change:
    return lambda tree, _predicate: tree.update(predicateType=name)


@pytest.mark.parametrize("name", [SLSA, OURS + "/", OURS.upper(), OURS[:-1]])
def test_cve_2022_35929_a_valid_attestation_of_another_type_is_not_the_one_asked_for(court: Court, name: str) -> None:
    seen = court.judge(court.bundle(of_type(name)))
    assert seen.code == 12
    assert any(name in violation["message"] for violation in seen.document["decision"]["violations"])


@pytest.mark.parametrize("name", ["custom", " " + OURS, OURS + "\n", ""])
def test_cve_2022_35929_what_is_no_type_is_malformed(court: Court, name: str) -> None:
    assert court.judge(court.bundle(of_type(name))).code == 3


def test_cve_2022_35929_of_several_none_is_of_the_type(court: Court) -> None:
    bundles = [court.bundle(of_type(f"{SLSA}{number}")) for number in range(3)]
    assert court.judge(*bundles).code == 12


def test_cve_2022_35929_a_signer_speaks_for_its_predicate_types_only(court: Court) -> None:
    court.write("trust.toml", TRUST.format(SLSA))
    seen = court.judge(court.bundle(), trust=["--trust", "trust.toml"])
    assert (seen.code, "signature.out_of_scope" in seen.reasons) == (10, True)
    court.write("trust.toml", TRUST.format(OURS))
    assert court.judge(court.bundle(), trust=["--trust", "trust.toml"]).code == 0


def test_cve_2022_35930_the_type_of_one_and_the_signature_of_another_do_not_add_up(court: Court) -> None:
    right_type = court.bundle(identity="eve@example.org")
    right_signer = court.bundle(of_type(SLSA))
    for attestations in ((right_type, right_signer), (right_signer, right_type)):
        seen = court.judge(*attestations)
        assert seen.code == 12
        assert seen.result["claims"] == []


def test_cve_2022_35930_a_type_said_twice_is_malformed(court: Court) -> None:
    twice = statement().replace(b'{"_type":', f'{{"predicateType":"{OURS}","_type":'.encode(), 1)
    assert court.judge(court.forge.bundle(twice)).code == 3


MALFORMED: dict[str, Any] = {
    "nothing": b"",
    "no JSON": b"{",
    "JSON cut short": statement()[:-1],
    "JSON and more": statement() + b"{}",
    "a list": b"[]",
    "null": b"null",
    "a text": b'"x"',
    "an empty object": b"{}",
    "no predicate type": statement(lambda tree, _predicate: tree.pop("predicateType")),
    "a predicate type that is no text": statement(lambda tree, _predicate: tree.update(predicateType=1)),
    "no subject": statement(lambda tree, _predicate: tree.update(subject=[])),
    "no type": statement(lambda tree, _predicate: tree.pop("_type")),
    "another type": statement(lambda tree, _predicate: tree.update(_type="https://in-toto.io/Statement/v2")),
    "no predicate": statement(lambda tree, _predicate: tree.pop("predicate")),
    "a predicate that is no object": statement(lambda tree, _predicate: tree.update(predicate=[])),
    "an empty predicate": statement(lambda tree, _predicate: tree.update(predicate={})),
    "bytes that are no UTF-8": b"\xff" + statement(),
    "a byte order mark": b"\xef\xbb\xbf" + statement(),
}


@pytest.mark.parametrize("media_type", [MEDIA_TYPES[0], MEDIA_TYPES[3]], ids=["0.1", "0.3"])
@pytest.mark.parametrize("payload", MALFORMED.values(), ids=MALFORMED)
def test_cve_2026_39395_a_malformed_payload_that_is_validly_signed(
    court: Court, payload: bytes, media_type: str
) -> None:
    seen = court.judge(court.forge.bundle(payload, media_type=media_type))
    assert seen.code == 3
    assert seen.document["error"]["exitCode"] == 3


@pytest.mark.parametrize("payload_type", ["text/plain", "", "application/json", "application/vnd.in-toto+json "])
@pytest.mark.parametrize("rekor", ["v1", "v2"])
def test_cve_2026_39395_a_payload_of_another_type_that_is_validly_signed(
    court: Court, payload_type: str, rekor: str
) -> None:
    assert court.judge(court.bundle(payload_type=payload_type, rekor=rekor)).code == 3


def test_cve_2026_39395_a_malformed_one_hides_nothing_that_is_beside_it(court: Court) -> None:
    good, bad = court.bundle(), court.forge.bundle(b"{}")
    assert [court.judge(*pair).code for pair in ((good, bad), (bad, good))] == [0, 0]
    failing = court.bundle(generate.failed("the tests were red"))
    assert court.judge(failing, bad).code != 0


TWO = """version = 1
threshold = 2
[[identity]]
name = "dev"
subject = "dev@example.org"
issuer = "https://accounts.example.org"
[[key]]
name = "registry"
path = "registry.pub"
[sigstore]
trustedRoot = "root.json"
"""


def test_ghsa_r2xv_vpr2_42m9_of_two_attestations_each_is_verified(court: Court) -> None:
    """A good attestation by the builder, and one that says it is the registry's: the second is not taken on trust."""
    court.write("registry.pub", generate.public_pem("second"))
    court.write("trust.toml", TWO)
    trust = ["--trust", "trust.toml"]
    build, payload = court.bundle(), statement()
    registry = generate.envelope(payload, ("second",))
    assert court.judge(build, registry, trust=trust).code == 0
    tampered = registry | {"payload": generate.envelope(statement(generate.failed("red")))["payload"]}
    unsigned = registry | {"signatures": [{"sig": "AAAA", "keyid": "registry"}]}
    by_another = generate.envelope(payload, ("third",))
    relabelled = by_another | {"signatures": [by_another["signatures"][0] | {"keyid": "second"}]}
    for second in (tampered, unsigned, by_another, relabelled):
        for attestations in ((build, second), (second, build)):
            court.refused(*attestations, trust=trust, reason=None)
    court.refused(registry, trust=trust, reason="signature.threshold")
