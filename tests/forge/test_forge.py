"""What the forge makes is genuine for the library, its lies are not, and both are the same in every run."""

import hashlib
import json
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from sigstore.errors import Error
from sigstore.models import Bundle, ClientTrustConfig
from sigstore.verify import Verifier

from tests.forge.log import pae
from tests.forge.plan import MEDIA_TYPES, NOW, V02, Lies
from tests.forge.sigstore import PARTS, Forge, Part

PAYLOAD = b'{"_type":"https://in-toto.io/Statement/v1","predicateType":"https://example.org/p","subject":[]}'
_CONFIG = "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json"
_SIGNING = {"mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json"}


class Anybody:
    """The library's policy object; what it asks about a certificate is not what is tested here."""

    def verify(self, cert: x509.Certificate) -> None:
        """Accepts."""


def verifier(root: dict[str, Any]) -> Verifier:
    config = {"mediaType": _CONFIG, "trustedRoot": root, "signingConfig": _SIGNING}
    return Verifier(trusted_root=ClientTrustConfig.from_json(json.dumps(config)).trusted_root)


def accepted(checker: Verifier, bundle: dict[str, Any]) -> bytes:
    return checker.verify_dsse(Bundle.from_json(json.dumps(bundle)), Anybody())[1]


@pytest.fixture(scope="module")
def forge() -> Forge:
    return Forge.of()


@pytest.fixture(scope="module")
def library(forge: Forge) -> Verifier:
    return verifier(forge.trusted_root())


GENUINE: dict[str, Mapping[str, Any]] = {
    "Rekor v1": {},
    "Rekor v2": {"rekor": "v2"},
    "Rekor v1, no promise, a timestamp": {"stamps": 1, "promise": False, "media_type": V02},
    "Rekor v1 and two timestamps": {"stamps": 2},
    "Rekor v2 and three timestamps": {"rekor": "v2", "stamps": 3},
    "P-384 over SHA-256": {"curve": "P-384", "digest": "sha256"},
    "a workflow": {"identity": "https://forge.example.org/o/r/.github/workflows/w.yml@refs/heads/main"},
    "a user name": {"identity": "robot"},
    "a tree of one entry": {"tree_size": 1, "index": 0},
    "a tree of two entries": {"tree_size": 2, "index": 1},
    "a tree of 300 entries": {"tree_size": 300, "index": 299},
    "the certificate's last second": {"after": 600},
    "the certificate's first second": {"after": 0},
    **{f"media type {name}": {"media_type": name} for name in MEDIA_TYPES},
    **{f"key {number}": {"signer": f"{number}"} for number in range(8)},  # lengths of signatures differ
}


@pytest.mark.parametrize("changes", GENUINE.values(), ids=GENUINE)
def test_the_library_accepts_what_is_genuine(forge: Forge, library: Verifier, changes: dict[str, Any]) -> None:
    assert accepted(library, forge.bundle(PAYLOAD, **changes)) == PAYLOAD


@pytest.mark.parametrize("intermediate", [True, False])
@pytest.mark.parametrize("rekor", ["v1", "v2"])
def test_with_and_without_an_intermediate(intermediate: bool, rekor: str) -> None:
    forge = Forge.of("another", intermediate=intermediate)
    assert accepted(verifier(forge.trusted_root()), forge.bundle(PAYLOAD, rekor=rekor)) == PAYLOAD


OTHER = Lies(logged_payload=b"{}")
LIES: dict[str, Mapping[str, Any]] = {
    "a signature over another payload": {"lies": Lies(signed=pae("application/vnd.in-toto+json", b"{}"))},
    "a signature over another payload type": {"lies": Lies(signed=pae("text/plain", PAYLOAD))},
    "a signature that is none": {"lies": Lies(signature=b"\0" * 70)},
    "a certificate for another key": {"lies": Lies(leaf="other")},
    "an entry of another payload": {"lies": OTHER},
    "an entry of another payload, Rekor v2": {"lies": OTHER, "rekor": "v2"},
    "an entry of another payload type, Rekor v2": {"lies": Lies(logged_type="text/plain"), "rekor": "v2"},
    "an entry of another signature": {"lies": Lies(logged_signature=b"0")},
    "an entry of another signature, Rekor v2": {"lies": Lies(logged_signature=b"0"), "rekor": "v2"},
    "an entry of another signer": {"lies": Lies(logged_by="other")},
    "an entry of another signer, Rekor v2": {"lies": Lies(logged_by="other"), "rekor": "v2"},
    "an entry that is none": {"lies": Lies(body=b"{}")},
    "a promise for another time": {"lies": Lies(promised={"integratedTime": 1})},
    "a promise for another index": {"lies": Lies(promised={"logIndex": 1})},
    "a promise for another body": {"lies": Lies(promised={"body": "e30="})},
    "a promise of another log": {"lies": Lies(promised={"logID": "00" * 32})},
    "a checkpoint of another root": {"lies": Lies(checkpoint_root=b"\0" * 32)},
    "a log that the root lacks": {"lies": Lies(log_id=b"\0" * 32)},
    "a timestamp of another signature": {"lies": Lies(stamped=b"other"), "rekor": "v2"},
    "a certificate log's promise for another certificate": {"lies": Lies(certified=b"other")},
    "no certificate log's promise": {"lies": Lies(scts=0)},
    "two certificate log's promises": {"lies": Lies(scts=2)},
    "a certificate not for signatures": {"lies": Lies(digital_signature=False)},
    "a certificate not for code": {"lies": Lies(code_signing=False)},
    "a certificate of an authority": {"lies": Lies(certificate_authority=True)},
    "an expired certificate": {"after": 601},
    "an expired certificate, Rekor v2": {"after": 601, "rekor": "v2"},
    "a certificate that is not valid yet": {"after": -1},
    "no source of time": {"promise": False, "media_type": V02},
    "no proof": {"proof": False},
    "no checkpoint": {"checkpoint": False},
    "intoto/0.0.2, which it does not know": {"entry": "intoto/0.0.2"},
    "hashedrekord/0.0.1, which is no entry of an envelope": {"entry": "hashedrekord/0.0.1"},
    "two entries": {"entries": 2},
    "no entry": {"rekor": None, "stamps": 1},
    "P-384 over SHA-384, which it does not know": {"curve": "P-384"},
}


@pytest.mark.parametrize("changes", LIES.values(), ids=LIES)
def test_the_library_refuses_a_lie(forge: Forge, library: Verifier, changes: dict[str, Any]) -> None:
    bundle = forge.bundle(PAYLOAD, **changes)
    with pytest.raises(Error):
        accepted(library, bundle)


LET_PASS: dict[str, Mapping[str, Any]] = {
    "a checkpoint of another size": {"lies": Lies(checkpoint_size=10_000)},
    "a checkpoint of another origin": {"lies": Lies(checkpoint_origin="elsewhere.example.org")},
    "two issuers": {"lies": Lies(issuers=("https://a.example.org", "https://b.example.org"))},
    "two names": {"lies": Lies(names=("a@example.org", "b@example.org"))},
}


@pytest.mark.parametrize("changes", LET_PASS.values(), ids=LET_PASS)
def test_what_the_library_lets_pass(forge: Forge, library: Verifier, changes: dict[str, Any]) -> None:
    accepted(library, forge.bundle(PAYLOAD, **changes))


def test_of_a_v2_log_id_the_library_reads_four_bytes(forge: Forge, library: Verifier) -> None:
    lies = Lies(log_id=forge.rekor_v2.log_id[:4] + b"\0" * 28)
    accepted(library, forge.bundle(PAYLOAD, rekor="v2", lies=lies))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("rekor", ["v1", "v2"])
def test_what_a_stranger_signs_is_refused(forge: Forge, library: Verifier, part: Part, rekor: str) -> None:
    bundle = forge.with_stranger(part).bundle(PAYLOAD, rekor=rekor)
    needed = rekor == "v2" if part in ("rekor_v2", "timestamps") else rekor == "v1" if part == "rekor_v1" else True
    if not needed:
        assert accepted(library, bundle) == PAYLOAD
        return
    with pytest.raises(Error):
        accepted(library, bundle)


@pytest.mark.parametrize("rekor", ["v1", "v2"])
def test_another_sigstore_of_the_same_names_is_refused(library: Verifier, rekor: str) -> None:
    with pytest.raises(Error):
        accepted(library, Forge.of("another").bundle(PAYLOAD, rekor=rekor))


def test_windows_are_of_the_part(forge: Forge) -> None:
    root = forge.trusted_root(timestamps=(NOW, NOW + timedelta(days=1)))
    (window,) = [entry["validFor"] for entry in root["timestampAuthorities"]]
    assert window == {"start": "2026-11-30T12:00:00Z", "end": "2026-12-01T12:00:00Z"}
    late = forge.bundle(PAYLOAD, rekor="v2", at=NOW + timedelta(days=2))
    accepted(verifier(forge.trusted_root()), late)
    with pytest.raises(Error, match="not enough sources of verified time"):
        accepted(verifier(root), late)


@pytest.mark.parametrize("kind", ["P-256", "P-384", "P-521", "Ed25519", "rsa"])
@pytest.mark.parametrize("changes", [{}, {"rekor": "v1"}, {"rekor": "v2"}, {"stamps": 1}], ids=str)
def test_a_managed_key_signs_a_bundle(forge: Forge, kind: str, changes: dict[str, Any]) -> None:
    rsa_key = rsa.generate_private_key(public_exponent=65537, key_size=2048) if kind == "rsa" else None
    bundle = forge.managed(PAYLOAD, rsa_key or forge.key("managed", kind), **changes)
    material = bundle["verificationMaterial"]
    assert ("tlogEntries" in material) == ("rekor" in changes)
    assert ("timestampVerificationData" in material) == (changes.get("rekor") == "v2" or "stamps" in changes)
    assert material["publicKey"]["hint"]


def test_the_same_plan_gives_the_same_bytes() -> None:
    made = [json.dumps(Forge.of("x").bundle(PAYLOAD, rekor=rekor)).encode() for rekor in ("v1", "v2")]
    again = [json.dumps(Forge.of("x").bundle(PAYLOAD, rekor=rekor)).encode() for rekor in ("v1", "v2")]
    assert [hashlib.sha256(data).hexdigest() for data in made] == [hashlib.sha256(data).hexdigest() for data in again]


def test_a_bundle_takes_less_than_10_ms(forge: Forge) -> None:
    forge.bundle(PAYLOAD, rekor="v2")
    best = 1.0
    for _ in range(5):
        begin = time.process_time()
        forge.bundle(PAYLOAD, rekor="v2")
        best = min(best, time.process_time() - begin)
    assert best < 0.01
