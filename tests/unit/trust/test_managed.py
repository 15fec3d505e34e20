"""Bundles of managed keys: what is beside the signature counts if the root vouches for it, and must then be right."""

import json
import subprocess
import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.results.model import Signer
from in_toto_done_receipt.trust.keys import load_key
from in_toto_done_receipt.trust.model import RootFile, TrustedKey, TrustPolicy, make_policy
from in_toto_done_receipt.trust.root import read_root
from in_toto_done_receipt.trust.verify import verify_group
from in_toto_done_receipt.wire.reader import read_receipts
from tests.forge.keys import pem
from tests.forge.plan import MEDIA_TYPES, NOW, V01, Lies
from tests.forge.sigstore import Forge

SEEN = NOW + timedelta(seconds=5)
LATER = NOW + timedelta(days=400)
PAYLOAD = (
    b'{"_type":"https://in-toto.io/Statement/v1","predicateType":"https://example.com/p",'
    b'"subject":[{"name":"a","digest":{"sha256":"' + b"0" * 64 + b'"}}]}'
)


@pytest.fixture(scope="module")
def forge() -> Forge:
    return Forge.of()


@pytest.fixture(scope="module")
def root(forge: Forge) -> RootFile:
    return root_of(forge.trusted_root())


def root_of(tree: Mapping[str, Any]) -> RootFile:
    return read_root(json.dumps(tree).encode(), name="root.json")


def trusted(forge: Forge, label: str = "managed", curve: str = "P-256", **members: Any) -> TrustedKey:
    return load_key(pem(forge.key(label, curve).public_key()), name=label, what=label, **members)


def policy(key: TrustedKey, root: RootFile | None) -> TrustPolicy:
    return make_policy(keys=(key,), identities=(), root=root, threshold=1)


def verify(bundle: dict[str, Any], trust: TrustPolicy, at: Any = LATER) -> Signer:
    (group,) = read_receipts(json.dumps(bundle).encode(), what="receipt", allow_statement=False).groups
    (signer,) = verify_group(group, trust, at=at).signers
    return signer


def managed(forge: Forge, curve: str = "P-256", **changes: Any) -> dict[str, Any]:
    return forge.managed(PAYLOAD, forge.key("managed", curve), **changes)


CURVES = ["P-256", "P-384", "P-521", "Ed25519"]


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("entry", ["dsse/0.0.1", "intoto/0.0.2", "hashedrekord/0.0.2"])
def test_a_log_entry_is_verified(forge: Forge, root: RootFile, curve: str, entry: str) -> None:
    rekor = "v2" if entry == "hashedrekord/0.0.2" else "v1"
    bundle = managed(forge, curve, rekor=rekor, entry=entry)
    trust = policy(trusted(forge, curve=curve, transparency=True), root)
    if (curve, rekor) == ("Ed25519", "v2"):
        with pytest.raises(SignatureNotTrusted, match="its key signs messages only") as caught:
            verify(bundle, trust)
        assert caught.value.reason == "signature.unsupported"
        return
    assert verify(bundle, trust).log_index == 4


@pytest.mark.parametrize(
    ("changes", "sources"),
    [
        ({}, []),
        ({"rekor": "v1"}, ["rekor"]),
        ({"rekor": "v2"}, ["tsa"]),
        ({"stamps": 1}, ["tsa"]),
        ({"rekor": "v1", "stamps": 2}, ["rekor", "tsa", "tsa"]),
        ({"rekor": "v2", "stamps": 0}, []),
    ],
    ids=str,
)
def test_what_the_root_vouches_for_is_shown(
    forge: Forge, root: RootFile, changes: Mapping[str, Any], sources: list[str]
) -> None:
    signer = verify(managed(forge, **changes), policy(trusted(forge), root))
    assert [time.source for time in signer.times] == sources
    assert (signer.log_index is None) == ("rekor" not in changes)
    assert (signer.kind, signer.identity) == ("key", None)


@pytest.mark.parametrize("changes", [{"rekor": "v1"}, {"rekor": "v2"}, {"stamps": 1}], ids=str)
def test_nobody_vouches_for_anything_without_a_root(forge: Forge, changes: Mapping[str, Any]) -> None:
    signer = verify(managed(forge, **changes), policy(trusted(forge), None))
    assert (signer.times, signer.log_index) == ((), None)


WRONG: dict[str, tuple[Mapping[str, Any], str]] = {
    "an entry of another payload": ({"rekor": "v1", "lies": Lies(logged_payload=b"{}")}, "for another payload"),
    "an entry of another payload, Rekor v2": ({"rekor": "v2", "lies": Lies(logged_payload=b"{}")}, "for another"),
    "an entry of another signature": ({"rekor": "v1", "lies": Lies(logged_signature=b"0")}, "another signature"),
    "an entry of another signature, Rekor v2": ({"rekor": "v2", "lies": Lies(logged_signature=b"0")}, "another sign"),
    "an entry of another key": ({"rekor": "v1", "lies": Lies(logged_by="other")}, "for another key"),
    "an entry of another key, Rekor v2": ({"rekor": "v2", "lies": Lies(logged_by="other")}, "for another key"),
    "an entry of another type, intoto": (
        {"rekor": "v1", "entry": "intoto/0.0.2", "lies": Lies(logged_type="text/plain")},
        "for another payload type",
    ),
    "a promise for another time": ({"rekor": "v1", "lies": Lies(promised={"integratedTime": 1})}, "promise of"),
    "a checkpoint of another root": ({"rekor": "v2", "lies": Lies(checkpoint_root=b"0" * 32)}, "another tree"),
    "a log that the root lacks": ({"rekor": "v1", "lies": Lies(log_id=b"0" * 32)}, "not in the trusted root"),
    "a timestamp of another signature": ({"stamps": 1, "lies": Lies(stamped=b"x")}, "timestamp is for another"),
    "no proof": ({"rekor": "v1", "proof": False}, "has no inclusionProof"),
    "no promise in 0.1": ({"rekor": "v1", "promise": False, "media_type": V01}, "has no inclusionPromise"),
}


@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=WRONG)
def test_what_is_there_must_be_right(forge: Forge, root: RootFile, changes: Mapping[str, Any], message: str) -> None:
    """Though the signature is good and the key demands nothing."""
    with pytest.raises(SignatureNotTrusted, match=message) as caught:
        verify(managed(forge, **changes), policy(trusted(forge), root))
    assert caught.value.reason == "signature.sigstore"


@pytest.mark.parametrize("part", ["rekor_v1", "rekor_v2", "timestamps"])
def test_what_a_stranger_signs_is_refused(forge: Forge, root: RootFile, part: Any) -> None:
    rekor = "v1" if part == "rekor_v1" else "v2"
    bundle = managed(forge.with_stranger(part), rekor=rekor)
    with pytest.raises(SignatureNotTrusted, match="does not verify"):
        verify(bundle, policy(trusted(forge), root))


def test_a_log_of_somebody_elses_sigstore_is_refused(forge: Forge, root: RootFile) -> None:
    other = Forge.of("other")
    bundle = other.managed(PAYLOAD, forge.key("managed"), rekor="v1")
    with pytest.raises(SignatureNotTrusted, match="is not in the trusted root"):
        verify(bundle, policy(trusted(forge), root))


@pytest.mark.parametrize(
    ("demands", "changes", "reason"),
    [
        ({"transparency": True}, {}, "signature.no_transparency"),
        ({"transparency": True}, {"stamps": 1}, "signature.no_transparency"),
        ({"transparency": True}, {"rekor": "v1"}, None),
        ({"timestamp": True}, {"rekor": "v1"}, "signature.no_timestamp"),
        ({"timestamp": True}, {"stamps": 1}, None),
        ({"transparency": True, "timestamp": True}, {"rekor": "v2"}, None),
    ],
)
def test_what_the_trust_file_demands(
    forge: Forge, root: RootFile, demands: Mapping[str, Any], changes: Mapping[str, Any], reason: str | None
) -> None:
    trust = policy(trusted(forge, **demands), root)
    if reason is None:
        verify(managed(forge, **changes), trust)
        return
    with pytest.raises(SignatureNotTrusted, match="demands a") as caught:
        verify(managed(forge, **changes), trust)
    assert caught.value.reason == reason


@pytest.mark.parametrize("changes", [{"rekor": "v1"}, {"rekor": "v2"}, {"stamps": 1}], ids=str)
def test_a_key_that_has_ended_counts_at_a_verified_time(
    forge: Forge, root: RootFile, changes: Mapping[str, Any]
) -> None:
    key = trusted(forge, not_after=SEEN)
    verify(managed(forge, **changes), policy(key, root))
    for trust, bundle in (
        (policy(key, None), managed(forge, **changes)),
        (policy(key, root), managed(forge)),
        (policy(replace(key, not_after=SEEN - timedelta(seconds=1)), root), managed(forge, **changes)),
    ):
        with pytest.raises(SignatureNotTrusted, match="is valid until") as caught:
            verify(bundle, trust)
        assert caught.value.reason == "signature.key_not_valid"


def test_a_log_without_a_time_must_be_valid_now(forge: Forge) -> None:
    """Rekor v2 gives no time; without a timestamp the entry could be from after the end of the log's validity."""
    bundle = managed(forge, rekor="v2", stamps=0)
    root = root_of(forge.trusted_root(rekor_v2=(NOW - timedelta(days=9), NOW + timedelta(days=9))))
    assert verify(bundle, policy(trusted(forge), root), at=NOW).log_index == 4
    with pytest.raises(SignatureNotTrusted, match=r"its log .* is valid from"):
        verify(bundle, policy(trusted(forge), root), at=LATER)


@pytest.mark.parametrize("media_type", MEDIA_TYPES)
def test_every_version_holds_a_managed_key(forge: Forge, root: RootFile, media_type: str) -> None:
    bundle = managed(forge, rekor="v1", media_type=media_type)
    assert verify(bundle, policy(trusted(forge), root)).log_index == 4


@pytest.mark.parametrize("hint", ["", "another key", None])
def test_the_hint_decides_nothing(forge: Forge, root: RootFile, hint: str | None) -> None:
    bundle = managed(forge, hint="x")
    bundle["verificationMaterial"]["publicKey"] = {} if hint is None else {"hint": hint}
    assert verify(bundle, policy(trusted(forge), root)).principal == "managed"


def test_a_key_inside_the_bundle_is_not_trusted(forge: Forge) -> None:
    bundle = managed(forge)
    bundle["verificationMaterial"]["publicKey"]["rawBytes"] = "AAAA"
    with pytest.raises(SignatureNotTrusted, match="none of 1 trusted key"):
        verify(bundle, policy(trusted(forge, "other"), None))


def test_a_root_of_logs_alone_is_enough(forge: Forge) -> None:
    tree = forge.trusted_root()
    logs = root_of({name: tree[name] for name in ("mediaType", "tlogs")})
    assert verify(managed(forge, rekor="v1"), policy(trusted(forge, transparency=True), logs)).log_index == 4


PROBE = """
import json, sys
from datetime import UTC, datetime
from pathlib import Path
from in_toto_done_receipt.trust.file import load_trust
from in_toto_done_receipt.trust.verify import verify_group
from in_toto_done_receipt.wire.reader import read_receipts
folder = Path(sys.argv[1])
trust = load_trust((folder / "trust.toml").read_bytes(), base=folder, read=Path.read_bytes)
file = read_receipts((folder / "receipt.json").read_bytes(), what="receipt", allow_statement=False)
print(verify_group(file.groups[0], trust, at=datetime.now(UTC)).signers[0].log_index)
print(*sorted({"sigstore", "pydantic", "requests", "tuf", "rfc3161_client", "jsonschema"} & set(sys.modules)))
"""


def test_a_logged_bundle_of_a_managed_key_loads_no_sigstore(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "key.pub").write_bytes(pem(forge.key("managed").public_key()))
    (tmp_path / "root.json").write_text(json.dumps(forge.trusted_root()))
    (tmp_path / "trust.toml").write_text(
        'version = 1\n[[key]]\nname = "k"\npath = "key.pub"\ntransparency = true\n'
        '[sigstore]\ntrustedRoot = "root.json"\n'
    )
    (tmp_path / "receipt.json").write_text(json.dumps(managed(forge, rekor="v1")))
    done = subprocess.run([sys.executable, "-c", PROBE, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout == "4\n\n"
