import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.errors import MalformedInput, MalformedStatement, SignatureNotTrusted
from in_toto_done_receipt.results.model import Signer
from in_toto_done_receipt.trust.model import UNSIGNED, RootFile, TextRule, TrustedIdentity, TrustPolicy, make_policy
from in_toto_done_receipt.trust.verify import verify_group
from in_toto_done_receipt.wire.bundle import Bundle
from in_toto_done_receipt.wire.dsse import DONE_RECEIPT_PAYLOAD_TYPE, Signature
from in_toto_done_receipt.wire.reader import Group


def policy(*keys: Any, threshold: int = 1) -> TrustPolicy:
    return make_policy(keys=keys, identities=(), root=None, threshold=threshold)


def identity_policy(root: RootFile) -> TrustPolicy:
    who = TrustedIdentity(
        name="n", principal="p", subject=TextRule(text="a@b.example"), issuer=TextRule(text="https://i")
    )
    return make_policy(keys=(), identities=(who,), root=root, threshold=1)


@pytest.fixture
def root(workshop: Any) -> RootFile:
    return RootFile(name="root.json", data=b"{}", sha256="0" * 64, newest_validity_start=workshop.now)


def key_bundle(workshop: Any, *, certificate: bool = False) -> Bundle:
    envelope = workshop.envelope(workshop.private_key("ed25519"))
    tree: dict[str, Any] = {"verificationMaterial": {"certificate" if certificate else "publicKey": {}}}
    return Bundle(
        media_type="m", version="0.3", envelope=envelope, tree=tree, has_certificate=certificate, key_hint="whatever"
    )


def test_verified_statement_says_who_signed_what(workshop: Any) -> None:
    private = workshop.private_key("ed25519")
    key = workshop.trusted(private, "laptop", principal="alice")
    verified = verify_group(workshop.group(workshop.envelope(private)), policy(key), at=workshop.now)
    assert verified.payload == workshop.payload
    assert verified.statement.predicate_type == "https://example.com/p"
    expected = Signer(name="laptop", principal="alice", kind="key", key_fingerprint=key.fingerprint)
    assert verified.signers == (expected,)
    assert verified.scopes == ((expected, key.scope),)
    assert (verified.trust.mode, verified.trust.threshold) == ("signed", 1)
    assert verified.signed_times is None


@pytest.mark.parametrize("keyid", ["", "alice", "sha256:" + "0" * 64, "bob"])
def test_keyid_does_not_decide(workshop: Any, keyid: str) -> None:
    private = workshop.private_key("ed25519")
    group = workshop.group(workshop.envelope(private, keyid=keyid))
    assert verify_group(group, policy(workshop.trusted(private)), at=workshop.now).signers[0].principal == "alice"


def test_every_key_is_tried_on_every_signature(workshop: Any) -> None:
    mine, other = workshop.private_key("ed25519"), workshop.private_key("ed25519", 1)
    keys = (workshop.trusted(workshop.private_key("rsa-2048"), "rsa"), workshop.trusted(mine))
    verified = verify_group(workshop.group(workshop.envelope(other, mine)), policy(*keys), at=workshop.now)
    assert [signer.principal for signer in verified.signers] == ["alice"]


def test_all_signers_are_collected_beyond_the_threshold(workshop: Any) -> None:
    privates = [workshop.private_key("ed25519", copy) for copy in range(3)]
    keys = [workshop.trusted(private, name) for private, name in zip(privates, "cab", strict=True)]
    verified = verify_group(workshop.group(workshop.envelope(*privates)), policy(*keys), at=workshop.now)
    assert [signer.principal for signer in verified.signers] == ["a", "b", "c"]


@pytest.mark.parametrize("kind", ["ed25519", "rsa-2048"])
def test_unknown_signer(workshop: Any, kind: str) -> None:
    group = workshop.group(workshop.envelope(workshop.private_key("ed25519", 1)))
    with pytest.raises(SignatureNotTrusted, match="none of 1 trusted key") as caught:
        verify_group(group, policy(workshop.trusted(workshop.private_key(kind))), at=workshop.now)
    assert caught.value.reason == "signature.no_trusted_key"


def test_hint_quotes_the_key_ids_that_the_envelope_claims(workshop: Any) -> None:
    group = workshop.group(workshop.envelope(workshop.private_key("ed25519", 1), keyid="eve\n\x1b[31m"))
    with pytest.raises(SignatureNotTrusted) as caught:
        verify_group(group, policy(workshop.trusted(workshop.private_key("ed25519"))), at=workshop.now)
    assert caught.value.hint == 'it claims to be signed by "eve\\n\\u001b[31m"'


def test_signature_of_another_payload_type_does_not_count(workshop: Any) -> None:
    private = workshop.private_key("ed25519")
    moved = replace(workshop.envelope(private), payload_type=DONE_RECEIPT_PAYLOAD_TYPE)
    with pytest.raises(SignatureNotTrusted):
        verify_group(workshop.group(moved), policy(workshop.trusted(private)), at=workshop.now)


def test_own_payload_type_is_accepted(workshop: Any) -> None:
    private = workshop.private_key("ed25519")
    group = workshop.group(workshop.envelope(private, payload_type=DONE_RECEIPT_PAYLOAD_TYPE))
    assert verify_group(group, policy(workshop.trusted(private)), at=workshop.now).signers


def test_foreign_payload_type_is_malformed_after_a_good_signature(workshop: Any) -> None:
    private = workshop.private_key("ed25519")
    group = workshop.group(workshop.envelope(private, payload_type="text/plain"))
    with pytest.raises(MalformedStatement, match='payload type is "text/plain"'):
        verify_group(group, policy(workshop.trusted(private)), at=workshop.now)


def test_malformed_statement_is_not_looked_at_before_the_signature(workshop: Any) -> None:
    group = workshop.group(workshop.envelope(workshop.private_key("ed25519", 1), payload=b"{"))
    with pytest.raises(SignatureNotTrusted):
        verify_group(group, policy(workshop.trusted(workshop.private_key("ed25519"))), at=workshop.now)


@pytest.mark.parametrize("payload", [b"{", b"[]", b"{}", b"\xff", b'{"a":1,"a":2}'])
def test_malformed_statement_after_a_good_signature(workshop: Any, payload: bytes) -> None:
    private = workshop.private_key("ed25519")
    with pytest.raises(MalformedInput):
        verify_group(
            workshop.group(workshop.envelope(private, payload=payload)),
            policy(workshop.trusted(private)),
            at=workshop.now,
        )


def test_threshold_counts_principals_and_not_keys(workshop: Any) -> None:
    privates = [workshop.private_key("ed25519", copy) for copy in range(3)]
    keys = [
        workshop.trusted(private, name, principal=principal)
        for private, name, principal in zip(privates, "abc", ("alice", "alice", "bob"), strict=True)
    ]
    two_of_alice = workshop.group(workshop.envelope(*privates[:2]))
    with pytest.raises(
        SignatureNotTrusted, match=r'1 distinct principal\(s\) signed \("alice"\), 2 are demanded'
    ) as caught:
        verify_group(two_of_alice, policy(*keys, threshold=2), at=workshop.now)
    assert caught.value.reason == "signature.threshold"
    alice_and_bob = workshop.group(workshop.envelope(*privates[1:]))
    assert len(verify_group(alice_and_bob, policy(*keys, threshold=2), at=workshop.now).signers) == 2


def test_threshold_over_several_envelopes_of_one_payload(workshop: Any) -> None:
    privates = [workshop.private_key("ed25519", copy) for copy in range(2)]
    keys = [workshop.trusted(private, name) for private, name in zip(privates, "ab", strict=True)]
    group = workshop.group(*(workshop.envelope(private) for private in privates))
    assert len(verify_group(group, policy(*keys, threshold=2), at=workshop.now).signers) == 2


def test_one_signature_twice_is_one_signer(workshop: Any) -> None:
    private = workshop.private_key("ed25519")
    group = workshop.group(workshop.envelope(private), workshop.envelope(private, private))
    assert len(verify_group(group, policy(workshop.trusted(private)), at=workshop.now).signers) == 1


@pytest.mark.parametrize(
    ("before", "after", "good"),
    [(None, None, True), (0, 0, True), (-1, 1, True), (1, None, False), (None, -1, False), (-9, -1, False)],
)
def test_key_window(workshop: Any, before: int | None, after: int | None, good: bool) -> None:
    private = workshop.private_key("ed25519")
    ends = [None if days is None else workshop.now + timedelta(days=days) for days in (before, after)]
    key = workshop.trusted(private, not_before=ends[0], not_after=ends[1])
    group = workshop.group(workshop.envelope(private))
    if good:
        assert verify_group(group, policy(key), at=workshop.now).signers
        return
    with pytest.raises(SignatureNotTrusted, match="evaluated at 2026-11-30T12:00:00Z") as caught:
        verify_group(group, policy(key), at=workshop.now)
    assert caught.value.reason == "signature.key_not_valid"


def test_key_outside_its_window_does_not_count_beside_another(workshop: Any) -> None:
    old, new = workshop.private_key("ed25519"), workshop.private_key("ed25519", 1)
    keys = (workshop.trusted(old, "old", not_after=workshop.now - timedelta(1)), workshop.trusted(new, "new"))
    verified = verify_group(workshop.group(workshop.envelope(old, new)), policy(*keys), at=workshop.now)
    assert [signer.principal for signer in verified.signers] == ["new"]


def test_bundle_of_a_managed_key_is_verified_with_keys(workshop: Any) -> None:
    group = workshop.group(key_bundle(workshop))
    verified = verify_group(group, policy(workshop.trusted(workshop.private_key("ed25519"))), at=workshop.now)
    assert verified.signers[0].kind == "key"


def test_bundle_with_a_certificate_and_only_keys_trusted(workshop: Any) -> None:
    group = workshop.group(key_bundle(workshop, certificate=True))
    with pytest.raises(SignatureNotTrusted, match="only keys are trusted") as caught:
        verify_group(group, policy(workshop.trusted(workshop.private_key("ed25519"))), at=workshop.now)
    assert caught.value.reason == "signature.no_trusted_identity"


def test_envelope_and_only_identities_trusted(workshop: Any, root: RootFile) -> None:
    group = workshop.group(workshop.envelope(workshop.private_key("ed25519")))
    with pytest.raises(SignatureNotTrusted, match="without a certificate") as caught:
        verify_group(group, identity_policy(root), at=workshop.now)
    assert caught.value.reason == "signature.no_certificate"


@pytest.mark.parametrize("obtained", [True, False])
def test_root_older_than_its_maximum_age(workshop: Any, root: RootFile, obtained: bool) -> None:
    since = workshop.now - timedelta(seconds=11)
    old = replace(root, max_age=10, **{"obtained_on" if obtained else "newest_validity_start": since})
    group = workshop.group(key_bundle(workshop, certificate=True))
    with pytest.raises(SignatureNotTrusted, match=r'root "root\.json" is 11 s old, at most 10 s are allowed') as caught:
        verify_group(group, identity_policy(old), at=workshop.now)
    assert caught.value.reason == "signature.root_too_old"


def test_an_old_root_is_no_hindrance_to_who_does_not_need_it(workshop: Any, root: RootFile) -> None:
    old = replace(root, max_age=1, obtained_on=workshop.now - timedelta(1))
    trusted = workshop.trusted(workshop.private_key("ed25519"))
    both = replace(identity_policy(old), keys=(trusted,))
    group = workshop.group(workshop.envelope(workshop.private_key("ed25519")))
    assert verify_group(group, both, at=workshop.now).signers[0].kind == "key"


def test_unsigned_policy_yields_no_signers(workshop: Any) -> None:
    tampered = replace(workshop.envelope(workshop.private_key("ed25519")), signatures=(Signature(sig=b"x", keyid=""),))
    verified = verify_group(workshop.group(tampered), UNSIGNED, at=workshop.now)
    assert (verified.signers, verified.scopes, verified.trust.mode) == ((), (), "unsigned")


def test_bare_statement_has_no_signers_to_trust(workshop: Any) -> None:
    bare = Group(payload=workshop.payload, payload_type="application/vnd.in-toto+json", media_type="m", parts=())
    assert verify_group(bare, UNSIGNED, at=workshop.now).signers == ()
    with pytest.raises(SignatureNotTrusted, match="nobody signed this statement"):
        verify_group(bare, policy(workshop.trusted(workshop.private_key("ed25519"))), at=workshop.now)


PROBE = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from in_toto_done_receipt.trust.flags import from_flags
from in_toto_done_receipt.trust.verify import verify_group
from in_toto_done_receipt.wire.reader import read_receipts
folder = Path(sys.argv[1])
trust = from_flags(trusted_keys=(f"alice={folder / 'alice.pub'}",), read=Path.read_bytes)
file = read_receipts((folder / "receipt.json").read_bytes(), what="receipt", allow_statement=False)
print(verify_group(file.groups[0], trust, at=datetime.now(UTC)).signers[0].principal)
print(*sorted({"sigstore", "pydantic", "requests", "tuf", "jsonschema", "securesystemslib"} & set(sys.modules)))
"""


def test_key_signed_receipt_does_not_load_sigstore(workshop: Any, tmp_path: Path) -> None:
    from in_toto_done_receipt.wire.dsse import write_envelope

    private = workshop.private_key("ed25519")
    (tmp_path / "alice.pub").write_bytes(workshop.public_pem(private))
    (tmp_path / "receipt.json").write_bytes(write_envelope(workshop.envelope(private)))
    done = subprocess.run([sys.executable, "-c", PROBE, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout == "alice\n\n"
