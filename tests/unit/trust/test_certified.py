"""Bundles of the forge with a certificate: genuine ones show what is true of them, each lie is named."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from in_toto_done_receipt.errors import SignatureNotTrusted, TrustError
from in_toto_done_receipt.trust.certified import Certified, verify_certified
from in_toto_done_receipt.trust.model import RootFile
from in_toto_done_receipt.trust.root import read_root
from in_toto_done_receipt.wire.bundle import read_bundle
from tests.forge.plan import MEDIA_TYPES, NOW, V01, V02, V03, Lies
from tests.forge.sigstore import PARTS, Forge, Part
from tests.forge.test_forge import GENUINE, LET_PASS, LIES, PAYLOAD

SEEN = NOW + timedelta(seconds=5)
SECOND = timedelta(seconds=1)


@pytest.fixture(scope="module")
def forge() -> Forge:
    return Forge.of()


def root_of(forge: Forge, **windows: Any) -> RootFile:
    return read_root(json.dumps(forge.trusted_root(**windows)).encode(), name="root.json")


@pytest.fixture(scope="module")
def root(forge: Forge) -> RootFile:
    return root_of(forge)


def verify(bundle: dict[str, Any], root: RootFile) -> Certified:
    return verify_certified(read_bundle(bundle), root)


def refused(bundle: dict[str, Any], root: RootFile, message: str, reason: str = "signature.sigstore") -> None:
    with pytest.raises(SignatureNotTrusted, match=message) as caught:
        verify(bundle, root)
    assert caught.value.reason == reason


NO_PAIR = "P-384 over SHA-256"  # the library takes it, and the registry has no such pair
PAIRED = {name: changes for name, changes in GENUINE.items() if name != NO_PAIR}


@pytest.mark.parametrize("changes", PAIRED.values(), ids=PAIRED)
def test_genuine_for_the_library_is_genuine_here(forge: Forge, root: RootFile, changes: Mapping[str, Any]) -> None:
    assert verify(forge.bundle(PAYLOAD, **changes), root).facts.issuer == "https://accounts.example.org"


BEYOND: dict[str, Mapping[str, Any]] = {
    "intoto/0.0.2": {"entry": "intoto/0.0.2"},
    "intoto/0.0.2 in 0.1 without a proof": {"entry": "intoto/0.0.2", "media_type": V01, "proof": False},
    "a promise and no proof": {"media_type": V01, "proof": False},
    "a promise and a proof without a checkpoint": {"media_type": V01, "checkpoint": False},
    "a timestamp and no log": {"rekor": None, "stamps": 1},
    "P-384": {"curve": "P-384"},
    "P-384, Rekor v2": {"curve": "P-384", "rekor": "v2"},
    "P-521": {"curve": "P-521"},
    "P-521, Rekor v2": {"curve": "P-521", "rekor": "v2"},
    "the first entry of a log": {"tree_size": 1, "index": 0, "rekor": "v2"},
}


@pytest.mark.parametrize("changes", BEYOND.values(), ids=BEYOND)
def test_genuine_beyond_the_library(forge: Forge, root: RootFile, changes: Mapping[str, Any]) -> None:
    assert verify(forge.bundle(PAYLOAD, **changes), root).facts.subject == "dev@example.org"


def test_the_first_entry_of_a_log_may_leave_out_its_index(forge: Forge, root: RootFile) -> None:
    """Protobuf's JSON leaves out what is 0, and cosign writes it so."""
    bundle = forge.bundle(PAYLOAD, tree_size=1, index=0, rekor="v2")
    entry = bundle["verificationMaterial"]["tlogEntries"][0]
    del entry["inclusionProof"]["logIndex"]
    assert verify(bundle, root).log_index == 0


@pytest.mark.parametrize(
    ("changes", "times", "index"),
    [
        ({}, ((SEEN, "rekor"),), 4),
        ({"rekor": "v2"}, ((SEEN, "tsa"),), 4),
        ({"rekor": "v2", "stamps": 2}, ((SEEN, "tsa"), (SEEN + SECOND, "tsa")), 4),
        ({"stamps": 1}, ((SEEN, "rekor"), (SEEN, "tsa")), 4),
        ({"promise": False, "stamps": 1}, ((SEEN, "tsa"),), 4),
        ({"rekor": None, "stamps": 1}, ((SEEN, "tsa"),), None),
    ],
)
def test_only_what_others_vouch_for_is_shown(
    forge: Forge, root: RootFile, changes: Mapping[str, Any], times: Any, index: int | None
) -> None:
    found = verify(forge.bundle(PAYLOAD, **changes), root)
    assert (found.times, found.log_index) == (times, index)


def test_a_promise_alone_vouches_for_its_own_index(forge: Forge, root: RootFile) -> None:
    bundle = forge.bundle(PAYLOAD, media_type=V01, proof=False)
    promised = int(bundle["verificationMaterial"]["tlogEntries"][0]["logIndex"])
    assert verify(bundle, root).log_index == promised


def test_a_time_that_the_log_did_not_promise_is_nobodys(forge: Forge, root: RootFile) -> None:
    bundle = forge.bundle(PAYLOAD, rekor="v2")
    bundle["verificationMaterial"]["tlogEntries"][0]["integratedTime"] = "1"
    assert verify(bundle, root).times == ((SEEN, "tsa"),)
    bundle = forge.bundle(PAYLOAD, promise=False)
    refused(bundle, root, "no time that the trusted root vouches for")


def test_an_index_that_nobody_vouches_for_is_not_shown(forge: Forge, root: RootFile) -> None:
    bundle = forge.bundle(PAYLOAD, rekor="v2")
    bundle["verificationMaterial"]["tlogEntries"][0]["logIndex"] = "99"
    assert verify(bundle, root).log_index == 4


REFUSED = {
    "a signature over another payload": "signature is not over this payload",
    "a signature over another payload type": "signature is not over this payload",
    "a signature that is none": "signature is not over this payload",
    "a certificate for another key": "signature is not over this payload",
    "an entry of another payload": "log entry is for another payload",
    "an entry of another payload, Rekor v2": "log entry is for another payload",
    "an entry of another payload type, Rekor v2": "log entry is for another payload",
    "an entry of another signature": "log entry is for another signature",
    "an entry of another signature, Rekor v2": "log entry is for another signature",
    "an entry of another signer": "log entry is for another key",
    "an entry of another signer, Rekor v2": "log entry is for another key",
    "an entry that is none": 'said to be of kind "dsse/0.0.1"',
    "a promise for another time": "promise of .* is not for its log entry",
    "a promise for another index": "promise of .* is not for its log entry",
    "a promise for another body": "promise of .* is not for its log entry",
    "a promise of another log": "promise of .* is not for its log entry",
    "a checkpoint of another root": "for another tree than its checkpoint",
    "a log that the root lacks": "is not in the trusted root",
    "a timestamp of another signature": "timestamp is for another signature",
    "a certificate log's promise for another certificate": "is not for its certificate",
    "no certificate log's promise": "certificate is in no certificate log",
    "a certificate not for signatures": "not for signatures",
    "a certificate not for code": "not for signing code",
    "a certificate of an authority": "no authority of the trusted root",
    "an expired certificate": "valid from .* until 2026-11-30T12:10:00Z, it was signed 2026-11-30T12:10:01Z",
    "an expired certificate, Rekor v2": "it was signed 2026-11-30T12:10:01Z",
    "a certificate that is not valid yet": "it was signed 2026-11-30T11:59:59Z",
    "no source of time": "no time that the trusted root vouches for",
    "no proof": "log entry has no inclusionProof",
    "no checkpoint": r"log entry has no inclusionProof\.checkpoint",
}
UNSUPPORTED = {
    "two certificate log's promises": "2 timestamps of certificate logs",
    "hashedrekord/0.0.1, which is no entry of an envelope": 'of kind "hashedrekord/0.0.1"',
    "two entries": "2 transparency log entries",
}
ACCEPTED_HERE = {
    "intoto/0.0.2, which it does not know",
    "no entry",
    "P-384 over SHA-384, which it does not know",
}


def test_every_lie_of_the_forge_is_judged_here() -> None:
    assert REFUSED.keys() | UNSUPPORTED.keys() | ACCEPTED_HERE == LIES.keys()


@pytest.mark.parametrize("name", REFUSED)
def test_a_lie_is_named(forge: Forge, root: RootFile, name: str) -> None:
    refused(forge.bundle(PAYLOAD, **LIES[name]), root, REFUSED[name])


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_others_could_verify_is_not_called_wrong(forge: Forge, root: RootFile, name: str) -> None:
    refused(forge.bundle(PAYLOAD, **LIES[name]), root, UNSUPPORTED[name], "signature.unsupported")


def test_another_pair_of_key_and_hash_is_not_called_wrong(forge: Forge, root: RootFile) -> None:
    bundle = forge.bundle(PAYLOAD, **GENUINE[NO_PAIR])
    refused(bundle, root, "signs with SHA-256", "signature.unsupported")


STRICTER = {
    "a checkpoint of another size": "for another tree than its checkpoint",
    "a checkpoint of another origin": 'checkpoint is of "elsewhere.example.org"',
    "two issuers": "names two different issuers",
    "two names": "has 2 names",
}


@pytest.mark.parametrize("name", LET_PASS)
def test_what_the_library_lets_pass_is_refused(forge: Forge, root: RootFile, name: str) -> None:
    with pytest.raises(SignatureNotTrusted, match=STRICTER[name]):
        verify(forge.bundle(PAYLOAD, **LET_PASS[name]), root)


def test_a_log_id_counts_to_its_last_byte(forge: Forge, root: RootFile) -> None:
    log_id = forge.rekor_v2.log_id
    for lied in (log_id[:4] + b"\0" * 28, log_id[:-1] + bytes([log_id[-1] ^ 1])):
        refused(forge.bundle(PAYLOAD, rekor="v2", lies=Lies(log_id=lied)), root, "is not in the trusted root")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("rekor", ["v1", "v2"])
def test_what_a_stranger_signs_is_refused(forge: Forge, root: RootFile, part: Part, rekor: str) -> None:
    bundle = forge.with_stranger(part).bundle(PAYLOAD, rekor=rekor)
    if part in {"v1": ("rekor_v2", "timestamps"), "v2": ("rekor_v1",)}[rekor]:
        verify(bundle, root)
        return
    with pytest.raises(SignatureNotTrusted, match="does not verify"):
        verify(bundle, root)


PART_OF = {"authority": "certificate authority", "certificate_log": "certificate log", "rekor_v1": "log"}


@pytest.mark.parametrize("part", [*PART_OF, "rekor_v2", "timestamps"])
@pytest.mark.parametrize("seconds", [-1, 0, 1])
def test_both_ends_of_a_validity_belong_to_it(forge: Forge, part: str, seconds: int) -> None:
    """The library ignores the end of all but the timestamp authority's, and takes that as exclusive."""
    moment = NOW if part == "certificate_log" else SEEN
    rekor = "v2" if part in ("rekor_v2", "timestamps") else "v1"
    bundle = forge.bundle(PAYLOAD, rekor=rekor)
    early = root_of(forge, **{part: (moment - timedelta(days=9), moment + seconds * SECOND)})
    late = root_of(forge, **{part: (moment - seconds * SECOND, None)})
    for root in (early, late):
        if seconds >= 0:
            verify(bundle, root)
        else:
            refused(bundle, root, "is valid from")


@pytest.mark.parametrize("part", ["authority", "rekor_v2", "certificate_log"])
def test_a_validity_is_judged_at_each_time(forge: Forge, part: str) -> None:
    """Of two timestamps the later one is outside."""
    bundle = forge.bundle(PAYLOAD, rekor="v2", stamps=2)
    root = root_of(forge, **{part: (NOW - timedelta(days=9), SEEN)})
    if part == "certificate_log":
        verify(bundle, root)  # it certified at the time of the certificate
    else:
        refused(bundle, root, "2026-11-30T12:00:06Z")


@pytest.mark.parametrize("media_type", MEDIA_TYPES)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"promise": False, "stamps": 1}, "no inclusionPromise, which a bundle 0.1"),
        ({"proof": False}, "no inclusionProof, which a bundle 0"),
        ({"checkpoint": False}, r"no inclusionProof\.checkpoint, which a bundle 0"),
    ],
    ids=["no promise", "no proof", "no checkpoint"],
)
def test_what_the_format_demands(
    forge: Forge, root: RootFile, media_type: str, changes: Mapping[str, Any], message: str
) -> None:
    bundle = forge.bundle(PAYLOAD, media_type=media_type, **changes)
    if (media_type == V01) == ("bundle 0.1" in message):
        refused(bundle, root, message)
    else:
        verify(bundle, root)


def test_rekor_v2_promises_nothing(forge: Forge, root: RootFile) -> None:
    bundle = forge.bundle(PAYLOAD, rekor="v2")
    entry = bundle["verificationMaterial"]["tlogEntries"][0]
    entry["inclusionPromise"] = {"signedEntryTimestamp": "AAAA"}
    refused(bundle, root, "for which no log gives a promise")


@pytest.mark.parametrize("time", [None, "0", "253402300800"])
def test_a_promise_is_of_a_time(forge: Forge, root: RootFile, time: str | None) -> None:
    bundle = forge.bundle(PAYLOAD)
    bundle["verificationMaterial"]["tlogEntries"][0]["integratedTime"] = time
    refused(bundle, root, "no integratedTime")


@pytest.mark.parametrize(("media_type", "other"), [(V03, V02), (V02, V03)])
def test_the_certificate_stands_where_the_version_has_it(
    forge: Forge, root: RootFile, media_type: str, other: str
) -> None:
    bundle = forge.bundle(PAYLOAD, media_type=media_type)
    bundle["mediaType"] = other
    reason = "signature.unsupported" if other == V03 else "signature.sigstore"
    refused(bundle, root, "certificate", reason)


def test_only_the_first_certificate_of_a_chain_is_looked_at(forge: Forge, root: RootFile) -> None:
    bundle = forge.bundle(PAYLOAD, media_type=V02)
    chain = bundle["verificationMaterial"]["x509CertificateChain"]["certificates"]
    chain.append({"rawBytes": "AAAA"})
    verify(bundle, root)
    chain.reverse()
    refused(bundle, root, "certificate cannot be read")


def test_neither_log_entry_nor_timestamp(forge: Forge, root: RootFile) -> None:
    bundle = forge.bundle(PAYLOAD, rekor=None)
    refused(bundle, root, "neither a log entry nor a timestamp", "signature.unsupported")


def without(forge: Forge, *sections: str) -> RootFile:
    tree = forge.trusted_root()
    return read_root(json.dumps({k: v for k, v in tree.items() if k not in sections}).encode(), name="root.json")


def test_a_root_without_certificate_logs_demands_none(forge: Forge) -> None:
    verify(forge.bundle(PAYLOAD, lies=Lies(scts=0)), without(forge, "ctlogs"))


@pytest.mark.parametrize(
    ("section", "rekor", "message"),
    [
        ("tlogs", "v2", "is not in the trusted root"),
        ("timestampAuthorities", "v2", "has no timestamp authority"),
    ],
)
def test_a_root_without_what_the_bundle_needs(forge: Forge, section: str, rekor: str, message: str) -> None:
    refused(forge.bundle(PAYLOAD, rekor=rekor), without(forge, section), message)


def test_a_root_without_authorities_is_the_verifiers_fault(forge: Forge) -> None:
    with pytest.raises(TrustError, match=r"root\.json: trusted root has no certificateAuthorities"):
        verify(forge.bundle(PAYLOAD), without(forge, "certificateAuthorities"))


def test_the_certificate_that_is_judged_is_the_one_that_signed(forge: Forge, root: RootFile) -> None:
    """A certificate of the same identity and key, issued for another signature, is another certificate."""
    bundle, other = forge.bundle(PAYLOAD), forge.bundle(PAYLOAD, lifetime=601)
    assert bundle["dsseEnvelope"]["payload"] == other["dsseEnvelope"]["payload"]
    bundle["verificationMaterial"]["certificate"] = other["verificationMaterial"]["certificate"]
    refused(bundle, root, "log entry is for another")


def test_times_are_in_utc(forge: Forge, root: RootFile) -> None:
    ((moment, _),) = verify(forge.bundle(PAYLOAD, rekor="v2"), root).times
    assert moment.tzinfo is UTC
    assert isinstance(moment, datetime)
