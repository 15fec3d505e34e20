"""Bundles: the payload byte for byte, verified before anybody gets them; one clear error when a service fails."""

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from msgspec.structs import replace
from sigstore.models import Bundle as LibraryBundle
from sigstore.models import ClientTrustConfig
from sigstore.verify import Verifier, policy

from in_toto_done_receipt.errors import ConfigurationError, MalformedStatement, ProducerError
from in_toto_done_receipt.producer import calls
from in_toto_done_receipt.producer.bundle import sign_keyless, sign_managed
from in_toto_done_receipt.producer.calls import Deadline, service
from in_toto_done_receipt.producer.identity_token import Token, read_token
from in_toto_done_receipt.producer.keys import KeyAlgorithm, generate
from in_toto_done_receipt.producer.sign import KeySigner, Signed, key_signer
from in_toto_done_receipt.producer.signing_config import Instance, read_instance
from in_toto_done_receipt.wire.bundle import read_bundle
from in_toto_done_receipt.wire.strict_json import loads
from tests.forge.servers import (
    IDENTITY,
    ISSUER,
    Fault,
    Serving,
    cutting,
    hanging_up,
    in_turn,
    saying,
    serving,
    silent,
    status,
    token,
    trickling,
)
from tests.forge.sigstore import Forge, Part

pytestmark = pytest.mark.loopback

# Members that no library of ours would write so, and a digest that sigstore's own signer refuses.
PAYLOAD = (
    b'{ "_type":"https://in-toto.io/Statement/v1",\n"subject":[{"digest":{"gitCommit":"%s","sha256":"%s"},"name":"x"}],'
    b' "predicateType":"https://example.com/v1","predicate":{"b":1.0,"a":"\\u00e9"} }\n' % (b"b" * 40, b"a" * 64)
)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "PAUSE_SECONDS", 0.01)


@pytest.fixture(params=["v1", "v2"])
def at(request: pytest.FixtureRequest) -> Iterator[Serving]:
    with serving(Forge.of(), rekor=request.param) as found:
        yield found


@pytest.fixture
def v1() -> Iterator[Serving]:
    with serving(Forge.of(), rekor="v1") as found:
        yield found


@pytest.fixture
def v2() -> Iterator[Serving]:
    with serving(Forge.of(), rekor="v2") as found:
        yield found


def instance(at: Serving, **changes: Any) -> Instance:
    data = json.dumps(at.trust_config(**changes)).encode()
    return read_instance(trust_config=("trust.json", data), now=datetime.now(UTC))


def somebody(**claims: Any) -> Token:
    return read_token(token(**claims).encode(), what="token")


def keyless(at: Serving, payload: bytes = PAYLOAD, *, seconds: float = 20, **changes: Any) -> Signed:
    now = datetime.now(UTC)
    return sign_keyless(payload, somebody(), instance(at, **changes), now=now, deadline=Deadline(seconds))


def managed(at: Serving | None, signer: KeySigner, payload: bytes = PAYLOAD, **changes: Any) -> Signed:
    found = None if at is None else instance(at, **changes)
    return sign_managed(payload, signer, found, now=datetime.now(UTC), deadline=Deadline(20))


def signer(algorithm: KeyAlgorithm = "ecdsa-p256", key_id: str | None = None) -> KeySigner:
    return key_signer(generate(algorithm).private_pem, what="k", padding="pkcs1v15", key_id=key_id)


# --- without a key --------------------------------------------------------------------------------------------------


def test_the_payload_is_what_was_given_byte_for_byte(at: Serving) -> None:
    signed = keyless(at)
    bundle = read_bundle(loads(signed.document))
    assert (bundle.envelope.payload, bundle.envelope.payload_type) == (PAYLOAD, "application/vnd.in-toto+json")
    assert bundle.media_type == "application/vnd.dev.sigstore.bundle.v0.3+json"


def test_it_says_who_signed_and_where_it_is_logged(at: Serving) -> None:
    signed = keyless(at)
    index = {"v1": 1_000_004, "v2": 4}[at.rekor]
    assert (signed.identity, signed.issuer, signed.log_index) == (IDENTITY, ISSUER, index)
    assert (signed.key, signed.keyid) == (None, None)


def test_sigstore_itself_accepts_it(at: Serving) -> None:
    config = ClientTrustConfig.from_json(json.dumps(at.trust_config()))
    found = LibraryBundle.from_json(keyless(at).document)
    identity = policy.Identity(identity=IDENTITY, issuer=ISSUER)
    assert Verifier(trusted_root=config.trusted_root).verify_dsse(found, identity)[1] == PAYLOAD


def test_each_service_is_asked_once_and_the_log_last(at: Serving) -> None:
    keyless(at)
    assert at.asked == (["fulcio", "rekor"] if at.rekor == "v1" else ["fulcio", "tsa", "rekor"])


def test_several_timestamps(v2: Serving) -> None:
    entries = [
        v2.signing_config()["tsaUrls"][0] | {"operator": operator} for operator in ("a.example.org", "b.example.org")
    ]
    signed = keyless(v2, tsaUrls=entries, tsaConfig={"selector": "ALL"})
    material = json.loads(signed.document)["verificationMaterial"]
    assert len(material["timestampVerificationData"]["rfc3161Timestamps"]) == 2


def test_the_token_goes_to_fulcio_and_nowhere_else(v2: Serving) -> None:
    found = somebody()
    sign_keyless(PAYLOAD, found, instance(v2), now=datetime.now(UTC), deadline=Deadline(20))
    assert [body for body in v2.bodies if found.raw.encode() in body] == []


def test_what_is_no_statement_leaves_the_machine_never(at: Serving) -> None:
    with pytest.raises(MalformedStatement):
        keyless(at, b'{"_type":"https://in-toto.io/Statement/v1"}')
    assert at.asked == []


# --- what an instance lacks -----------------------------------------------------------------------------------------

LACKING = {
    "fulcio": ({"caUrls": []}, "names no certificate authority"),
    "log": ({"rekorTlogUrls": [], "rekorTlogConfig": None}, "names no transparency log"),
    "time": ({"tsaUrls": [], "tsaConfig": None}, "nobody vouches for the time"),
}


@pytest.mark.parametrize(("changes", "said"), LACKING.values(), ids=LACKING)
def test_an_instance_that_cannot_do_it_is_asked_nothing(v2: Serving, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        keyless(v2, **changes)
    assert v2.asked == []


def test_a_token_never_travels_unencrypted(v2: Serving) -> None:
    found = replace(instance(v2), fulcio=service("Fulcio", "http://fulcio.example.org"))
    with pytest.raises(ConfigurationError, match="would travel unencrypted"):
        sign_keyless(PAYLOAD, somebody(), found, now=datetime.now(UTC), deadline=Deadline(5))


# --- services that fail ---------------------------------------------------------------------------------------------

NAMES = {"fulcio": "Fulcio", "rekor": "Rekor", "tsa": "timestamp authority"}
PLACES = {"fulcio": "", "rekor": "", "tsa": "/api/v1/timestamp"}
FAILING: dict[str, tuple[Fault, str]] = {
    "refuses": (status(400, "no such thing"), r"HTTP status 400 \(Bad Request\): no such thing"),
    "is-down": (status(503, "down"), r"HTTP status 503 \(Service Unavailable\): down, tried 3 times"),
    "hangs-up": (hanging_up, "tried 3 times"),
    "cuts": (cutting, "tried 3 times"),
    "answers-nothing": (saying(b""), "the answer"),
    "answers-null": (saying(b"null"), "the answer"),
    "answers-another-object": (saying(b"{}"), "the answer"),
    "answers-text": (saying(b"<html>"), "the answer"),
    "answers-endless-depth": (saying(b"[" * 100_000), "the answer"),
    "redirects": (status(302, Location="http://192.0.2.1"), "HTTP status 302"),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("fault", "said"), FAILING.values(), ids=FAILING)
def test_a_service_that_fails_is_named(v2: Serving, name: str, fault: Fault, said: str) -> None:
    v2.faults[name] = fault
    with pytest.raises(ProducerError, match=rf"^{NAMES[name]} at {v2.url}{PLACES[name]}: .*{said}"):
        keyless(v2)


@pytest.mark.parametrize("fault", [silent, trickling], ids=["silent", "trickling"])
@pytest.mark.parametrize("name", NAMES)
def test_a_service_that_is_slow_is_named(v2: Serving, name: str, fault: Fault) -> None:
    v2.faults[name] = fault
    with pytest.raises(ProducerError, match=rf"^{NAMES[name]} at {v2.url}{PLACES[name]}: no answer within .*0\.3 s"):
        keyless(v2, seconds=0.3)


@pytest.mark.parametrize("name", NAMES)
def test_a_service_that_fails_for_a_moment(v2: Serving, name: str) -> None:
    v2.faults[name] = in_turn(status(503), hanging_up)
    assert keyless(v2).identity == IDENTITY


def test_fulcio_that_repeats_the_token(v2: Serving) -> None:
    found = somebody()
    v2.faults["fulcio"] = status(400, f"bad {found.raw[:-9]}, try again")
    with pytest.raises(ProducerError, match="bad …, try again"):
        sign_keyless(PAYLOAD, found, instance(v2), now=datetime.now(UTC), deadline=Deadline(5))


def pem_of(certificate: Any) -> str:
    return str(certificate.public_bytes(ser.Encoding.PEM).decode())


def test_a_certificate_for_another_key(v2: Serving) -> None:
    other: Any = ec.generate_private_key(ec.SECP256R1()).public_key()
    leaf = v2.forge.authority.issue(other, v2.now(), v2.forge.certificate_log)
    chain = {"signedCertificateEmbeddedSct": {"chain": {"certificates": [pem_of(leaf)]}}}
    v2.faults["fulcio"] = saying(json.dumps(chain).encode())
    with pytest.raises(ProducerError, match="the certificate is for another key"):
        keyless(v2)
    assert v2.asked == ["fulcio"]


def test_a_certificate_that_has_expired(v2: Serving) -> None:
    later = datetime(2039, 1, 1, tzinfo=UTC)
    with pytest.raises(ProducerError, match="here it is 2039-01-01T00:00:00Z"):
        sign_keyless(PAYLOAD, somebody(), instance(v2), now=later, deadline=Deadline(5))
    assert v2.asked == ["fulcio"]


def test_a_certificate_of_nobody(v2: Serving) -> None:
    from dataclasses import replace as changed

    v2.plan = changed(v2.plan, lies=changed(v2.plan.lies, names=()))
    with pytest.raises(ProducerError, match=r"Fulcio at .*: the certificate has 0 names"):
        keyless(v2)
    assert v2.asked == ["fulcio"]


@pytest.mark.parametrize("part", ["authority", "certificate_log", "rekor_v1", "rekor_v2", "timestamps"])
def test_what_does_not_verify_nobody_gets(part: Part) -> None:
    """Every service answers, and one of them is not the one that the root knows."""
    with serving(Forge.of().with_stranger(part), rekor="v1" if part == "rekor_v1" else "v2") as at:
        with pytest.raises(
            ProducerError, match=r"what was signed does not verify with trust\.json: trustedRoot: "
        ) as caught:
            keyless(at)
        assert f"the entry in the log at {at.url} stays" in str(caught.value.hint)


def test_a_root_of_another_instance(v2: Serving) -> None:
    other = Forge.of("other").trusted_root()
    data = json.dumps(v2.trust_config() | {"trustedRoot": other}).encode()
    found = read_instance(trust_config=("trust.json", data), now=datetime.now(UTC))
    with pytest.raises(ProducerError, match="does not verify"):
        sign_keyless(PAYLOAD, somebody(), found, now=datetime.now(UTC), deadline=Deadline(20))


def test_a_timestamp_of_another_request(v2: Serving) -> None:
    first = v2.forge.timestamps.answer(b"\0" * 32, datetime.now(UTC), number=1, nonce=7)
    v2.faults["tsa"] = saying(first)
    with pytest.raises(ProducerError, match="not over this signature, or of another request"):
        keyless(v2)


def test_a_timestamp_that_was_refused(v2: Serving) -> None:
    v2.faults["tsa"] = saying(b"\x30\x05\x30\x03\x02\x01\x02")
    with pytest.raises(ProducerError, match="no timestamp, status 2"):
        keyless(v2)


def test_a_timestamp_that_is_too_long(v2: Serving) -> None:
    v2.faults["tsa"] = saying(b"x" * 70_000)
    with pytest.raises(ProducerError, match="70000 bytes, at most 65536"):
        keyless(v2)


# --- entries that the log has already -------------------------------------------------------------------------------


def test_an_answer_that_was_lost_is_fetched_from_v1(v1: Serving) -> None:
    v1.faults["rekor"] = lambda handler, at: _conflict(at)
    assert keyless(v1).log_index == 1_000_004


def _conflict(at: Serving) -> tuple[int, dict[str, str], bytes]:
    at.rekor_v1(at.bodies[-1])
    return 409, {"Location": "/api/v1/log/entries/f00d"}, b'{"message":"equivalent entry exists"}'


def test_v1_that_points_elsewhere(v1: Serving) -> None:
    v1.faults["rekor"] = status(409, "exists", Location="http://192.0.2.1/api/v1/log/entries/f00d")
    with pytest.raises(ProducerError, match="it has this entry already"):
        keyless(v1)


def test_v2_gives_its_proof_once(v2: Serving) -> None:
    v2.faults["rekor"] = status(409, "exists", X_Log_Index="12")
    with pytest.raises(ProducerError, match="it has this entry already at index 12, and gives its proof only once"):
        keyless(v2)


# --- with a key -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["ecdsa-p256", "rsa-3072"])
def test_a_key_in_either_log(at: Serving, algorithm: KeyAlgorithm) -> None:
    private = signer(algorithm)
    signed = managed(at, private)
    bundle = read_bundle(loads(signed.document))
    assert (bundle.envelope.payload, bundle.has_certificate) == (PAYLOAD, False)
    assert bundle.key_hint == base64.b64encode(bytes.fromhex(private.key.fingerprint[7:])).decode()
    assert (signed.key, signed.log_index) == (private.key, {"v1": 1_000_004, "v2": 4}[at.rekor])


def test_the_envelope_in_a_bundle_has_no_keyid(at: Serving) -> None:
    """cosign and Rekor v1 refuse a signature that names another key id than the one they make up themselves."""
    signed = managed(at, signer(key_id="worker"))
    bundle = read_bundle(loads(signed.document))
    assert (bundle.envelope.signatures[0].keyid, bundle.key_hint, signed.keyid) == ("", "worker", "worker")


def test_ed25519_in_v1(v1: Serving) -> None:
    assert managed(v1, signer("ed25519")).log_index == 1_000_004


@pytest.mark.parametrize("curve", [ec.SECP384R1(), ec.SECP521R1()], ids=["p384", "p521"])
def test_other_curves_in_v2(v2: Serving, curve: ec.EllipticCurve) -> None:
    private = ec.generate_private_key(curve)
    assert managed(v2, KeySigner(private, what="k")).log_index == 4


def test_what_a_log_cannot_verify_is_not_sent(v1: Serving, v2: Serving) -> None:
    with pytest.raises(ConfigurationError, match="version 2 takes no signature of a key of type ed25519"):
        managed(v2, signer("ed25519"))
    with pytest.raises(ConfigurationError, match="version 1 takes no signature of a key of type ecdsa-p384"):
        managed(v1, KeySigner(ec.generate_private_key(ec.SECP384R1()), what="k"))
    odd = rsa.generate_private_key(public_exponent=65537, key_size=2056)
    with pytest.raises(ConfigurationError, match="version 2 takes no signature of a key of type rsa-2056"):
        managed(v2, KeySigner(odd, what="k", padding="pkcs1v15"))
    assert v1.asked + v2.asked == []


def test_only_a_timestamp(v2: Serving) -> None:
    signed = managed(v2, signer("ed25519"), rekorTlogUrls=[], rekorTlogConfig=None)
    assert (v2.asked, signed.log_index) == (["tsa"], None)


def test_an_instance_of_nothing(v2: Serving) -> None:
    nothing: dict[str, Any] = {"rekorTlogUrls": [], "rekorTlogConfig": None, "tsaUrls": [], "tsaConfig": None}
    with pytest.raises(ConfigurationError, match="names neither a log nor a timestamp authority"):
        managed(v2, signer(), **nothing)


@pytest.mark.parametrize("algorithm", ["ed25519", "ecdsa-p256", "rsa-3072"])
def test_a_key_and_nobody_else(algorithm: KeyAlgorithm) -> None:
    tree = json.loads(managed(None, signer(algorithm)).document)
    assert tree["verificationMaterial"].keys() == {"publicKey"}


def test_rsa_of_another_padding() -> None:
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    with pytest.raises(ConfigurationError, match=r"a bundle wants PKCS#1 v1\.5"):
        managed(None, KeySigner(private, what="k", padding="pss"))


@pytest.mark.parametrize("name", ["rekor", "tsa"])
def test_a_service_that_fails_is_named_with_a_key_too(v2: Serving, name: str) -> None:
    v2.faults[name] = status(400, "no such thing")
    with pytest.raises(ProducerError, match=rf"^{NAMES[name]} at {v2.url}{PLACES[name]}: .*no such thing"):
        managed(v2, signer())


@pytest.mark.parametrize("part", ["rekor_v1", "rekor_v2", "timestamps"])
def test_what_does_not_verify_nobody_gets_with_a_key_either(part: Part) -> None:
    with (
        serving(Forge.of().with_stranger(part), rekor="v1" if part == "rekor_v1" else "v2") as at,
        pytest.raises(ProducerError, match="what was signed does not verify"),
    ):
        managed(at, signer())
