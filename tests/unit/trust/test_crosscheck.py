"""The second judge: asked only what it can judge, and believed only about what was read."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.errors import SignatureNotTrusted, TrustError
from in_toto_done_receipt.trust import crosscheck
from in_toto_done_receipt.trust.certified import verify_certified
from in_toto_done_receipt.trust.crosscheck import confirm
from in_toto_done_receipt.trust.model import RootFile, TextRule, TrustedIdentity, make_policy
from in_toto_done_receipt.trust.root import read_root
from in_toto_done_receipt.trust.signers import signers_of
from in_toto_done_receipt.wire.bundle import read_bundle
from tests.forge.plan import MEDIA_TYPES, NOW, V01
from tests.forge.sigstore import Forge

FORGE = Forge.of()


def root_of(**windows: Any) -> RootFile:
    return read_root(json.dumps(FORGE.trusted_root(**windows)).encode(), name="root.json")


ROOT = root_of()


def judged(changes: dict[str, Any], root: RootFile = ROOT) -> bool:
    bundle = read_bundle(FORGE.bundle(b"{}", **changes))
    return confirm(bundle, verify_certified(bundle, root), root)


@pytest.mark.parametrize("media_type", MEDIA_TYPES)
@pytest.mark.parametrize("changes", [{}, {"stamps": 1}, {"identity": "robot"}], ids=str)
def test_it_confirms(media_type: str, changes: dict[str, Any]) -> None:
    assert judged(changes | {"media_type": media_type})


def test_it_confirms_rekor_v2() -> None:
    assert judged({"rekor": "v2", "stamps": 2})


@pytest.mark.parametrize(
    "changes",
    [
        {"entry": "intoto/0.0.2"},
        {"media_type": V01, "proof": False},
        {"rekor": None, "stamps": 1},
        {"curve": "P-384"},
        {"curve": "P-521", "rekor": "v2"},
    ],
    ids=str,
)
def test_it_is_not_asked_what_it_cannot_judge(changes: dict[str, Any]) -> None:
    assert not judged(changes)


def test_it_is_not_asked_about_the_last_moment_of_a_timestamp_authority() -> None:
    bundle = {"rekor": "v2", "after": 0}
    assert not judged(bundle, root_of(timestamps=(NOW, NOW)))
    assert judged(bundle, root_of(timestamps=(NOW, None)))


def test_it_is_not_asked_about_roots_without_certificate_logs() -> None:
    tree = FORGE.trusted_root()
    del tree["ctlogs"]
    assert not judged({}, read_root(json.dumps(tree).encode(), name="root.json"))


def test_its_refusal_counts() -> None:
    """Were something accepted here that it refuses, it would be refused."""
    bundle = read_bundle(FORGE.bundle(b"{}"))
    certified = verify_certified(bundle, ROOT)
    other = read_root(json.dumps(Forge.of("other").trusted_root()).encode(), name="other.json")
    with pytest.raises(SignatureNotTrusted, match="sigstore-python refuses it"):
        confirm(bundle, certified, other)


def test_another_certificate_is_no_confirmation() -> None:
    bundle, other = (read_bundle(FORGE.bundle(b"{}", signer=name)) for name in ("signer", "other"))
    certified = replace(verify_certified(bundle, ROOT), certificate=verify_certified(other, ROOT).certificate)
    with pytest.raises(SignatureNotTrusted, match="judged another certificate"):
        confirm(bundle, certified, ROOT)


def test_another_payload_is_no_confirmation(monkeypatch: pytest.MonkeyPatch) -> None:
    bundle, other = (read_bundle(FORGE.bundle(payload)) for payload in (b"{}", b"[]"))
    written_again = crosscheck.written_again
    monkeypatch.setattr(crosscheck, "written_again", lambda _bundle, material: written_again(other, material))
    with pytest.raises(SignatureNotTrusted, match="sigstore-python"):
        confirm(bundle, verify_certified(bundle, ROOT), ROOT)


@pytest.mark.parametrize("asked", [True, False])
def test_the_trust_file_asks_for_it(monkeypatch: pytest.MonkeyPatch, asked: bool) -> None:
    def refuse(*arguments: object) -> bool:
        raise SignatureNotTrusted("no", reason="signature.sigstore")

    monkeypatch.setattr(crosscheck, "confirm", refuse)
    identity = TrustedIdentity(
        name="dev",
        principal="dev",
        subject=TextRule(text="dev@example.org"),
        issuer=TextRule(text="https://accounts.example.org"),
    )
    root = replace(ROOT, cross_check=asked)
    trust = make_policy(keys=(), identities=(identity,), root=root, threshold=1)
    bundle = read_bundle(FORGE.bundle(b"{}"))
    if asked:
        with pytest.raises(SignatureNotTrusted, match="no"):
            signers_of(bundle, trust, at=NOW)
    else:
        assert signers_of(bundle, trust, at=NOW)


def test_a_root_that_it_cannot_load_is_the_verifiers_fault() -> None:
    tree = FORGE.trusted_root() | {"unknown": 1}
    root = read_root(json.dumps(tree).encode(), name="root.json")
    with pytest.raises(TrustError, match=r"root\.json: trusted root cannot be loaded by sigstore-python"):
        judged({}, root)
