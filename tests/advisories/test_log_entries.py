"""A log entry that is genuine and is not of this signature, of this payload, or of this signer."""

import json
from base64 import b64decode, b64encode
from copy import deepcopy
from typing import Any

import pytest

from testdata.receipts import generate
from tests.advisories.conftest import ISSUER, Bundle, Court, statement
from tests.forge.plan import V02, Lies

LOGS = ("v1", "v2")
OF_ANOTHER: dict[str, Lies] = {
    "payload": Lies(logged_payload=b"{}"),
    "signature": Lies(logged_signature=b"other"),
    "signer": Lies(logged_by="other"),
    "everything": Lies(logged_payload=b"{}", logged_signature=b"other", logged_by="other"),
}


def entry_of(bundle: Bundle) -> Any:
    return bundle["verificationMaterial"]["tlogEntries"][0]


def with_entry(bundle: Bundle, entry: Any) -> Bundle:
    changed = deepcopy(bundle)
    changed["verificationMaterial"]["tlogEntries"] = [entry]
    return changed


@pytest.mark.parametrize("rekor", LOGS)
def test_the_honest_bundle_is_admitted(court: Court, rekor: str) -> None:
    seen = court.judge(court.bundle(rekor=rekor))
    (signer,) = seen.result["signers"]
    assert (seen.code, signer["issuer"], signer["logIndex"]) == (0, ISSUER, 4)


@pytest.mark.parametrize("rekor", LOGS)
@pytest.mark.parametrize("lies", OF_ANOTHER.values(), ids=OF_ANOTHER)
def test_cve_2022_23649_an_entry_of_another(court: Court, lies: Lies, rekor: str) -> None:
    court.refused(court.bundle(rekor=rekor, lies=lies))


def test_cve_2022_23649_an_entry_of_another_payload_type(court: Court) -> None:
    court.refused(court.bundle(rekor="v2", lies=Lies(logged_type="text/plain")))


@pytest.mark.parametrize("rekor", LOGS)
def test_cve_2022_23649_an_entry_of_a_kind_that_is_not_an_envelopes(court: Court, rekor: str) -> None:
    court.refused(court.bundle(rekor=rekor, entry="hashedrekord/0.0.1"), reason="signature.unsupported")


@pytest.mark.parametrize("rekor", LOGS)
@pytest.mark.parametrize(
    ("flag", "value", "reason"),
    [
        ("--certificate-identity", "dev@example.org.evil.example", "signature.identity"),
        ("--certificate-identity", "dev@example.or", "signature.identity"),
        ("--certificate-oidc-issuer", "https://accounts.example.org/", "signature.issuer"),
        ("--certificate-oidc-issuer", "https://accounts.example.or", "signature.issuer"),
        ("--certificate-source-repository", "https://example.org/o/r", "signature.claims"),
    ],
)
def test_cve_2022_36056_identity_flags_hold_beside_a_good_log_entry(
    court: Court, rekor: str, flag: str, value: str, reason: str
) -> None:
    court.refused(court.bundle(rekor=rekor), reason=reason, flags=[flag, value])


BAD_ENTRIES: dict[str, Any] = {
    "no body": lambda entry: entry.update(canonicalizedBody=""),
    "a body that is no JSON": lambda entry: entry.update(canonicalizedBody=b64encode(b"{").decode()),
    "a body that is an empty object": lambda entry: entry.update(canonicalizedBody=b64encode(b"{}").decode()),
    "a body with one more byte": lambda entry: entry.update(
        canonicalizedBody=b64encode(b64decode(entry["canonicalizedBody"]) + b" ").decode()
    ),
    "no log": lambda entry: entry.pop("logId"),
    "another log": lambda entry: entry["logId"].update(keyId=b64encode(b"\0" * 32).decode()),
    "no proof": lambda entry: entry.pop("inclusionProof"),
    "an empty proof": lambda entry: entry["inclusionProof"].update(hashes=[]),
    "a proof of another place": lambda entry: entry["inclusionProof"].update(logIndex="3"),
    "a proof of another tree": lambda entry: entry["inclusionProof"].update(rootHash=b64encode(b"\0" * 32).decode()),
    "a tree of another size": lambda entry: entry["inclusionProof"].update(treeSize="8"),
    "a place beyond the tree": lambda entry: entry["inclusionProof"].update(logIndex="9"),
    "no checkpoint": lambda entry: entry["inclusionProof"].pop("checkpoint"),
    "an unsigned checkpoint": lambda entry: entry["inclusionProof"]["checkpoint"].update(
        envelope=entry["inclusionProof"]["checkpoint"]["envelope"].partition("\n\n")[0] + "\n\n"
    ),
    "another kind": lambda entry: entry["kindVersion"].update(kind="rekord"),
    "another version": lambda entry: entry["kindVersion"].update(version="0.0.3"),
    "an entry that is no object": None,
}


@pytest.mark.parametrize("rekor", LOGS)
@pytest.mark.parametrize("change", BAD_ENTRIES.values(), ids=BAD_ENTRIES)
def test_cve_2022_36056_an_invalid_entry_is_no_success(court: Court, rekor: str, change: Any) -> None:
    bundle = court.bundle(rekor=rekor)
    if change is None:
        bundle = with_entry(bundle, "x")
    else:
        change(entry_of(bundle))
    seen = court.judge(bundle)
    assert (seen.code, seen.result["signers"]) == (10, [])


@pytest.mark.parametrize("entries", [None, []], ids=["without the member", "an empty list"])
def test_cve_2022_36056_no_entry_is_no_success(court: Court, entries: Any) -> None:
    bundle = court.bundle()
    if entries is None:
        del bundle["verificationMaterial"]["tlogEntries"]
    else:
        bundle["verificationMaterial"]["tlogEntries"] = entries
    assert court.judge(bundle).code == 10


@pytest.mark.parametrize("promised", [{"integratedTime": 1}, {"logIndex": 1}, {"body": "e30="}, {"logID": "00" * 32}])
def test_cve_2022_36056_a_promise_of_something_else(court: Court, promised: dict[str, Any]) -> None:
    court.refused(court.bundle(lies=Lies(promised=promised)))


@pytest.mark.parametrize("rekor", LOGS)
def test_cve_2022_36056_a_promise_and_a_checkpoint_by_a_stranger(court: Court, rekor: str) -> None:
    part: Any = f"rekor_{rekor}"
    lying = court.forge.with_stranger(part).bundle(statement(), rekor=rekor)
    court.refused(lying)


LATER = generate.update("run", iterations=4)


@pytest.mark.parametrize("rekor", LOGS)
@pytest.mark.parametrize("signer", ["signer", "other"], ids=["by the same signer", "by somebody else"])
def test_cve_2026_22703_the_whole_genuine_entry_of_another_bundle(court: Court, rekor: str, signer: str) -> None:
    mine, other = court.bundle(rekor=rekor), court.bundle(LATER, rekor=rekor, signer=signer)
    court.refused(with_entry(mine, entry_of(other)))


@pytest.mark.parametrize("rekor", LOGS)
def test_cve_2026_22703_an_entry_of_the_same_payload_by_another_signature(court: Court, rekor: str) -> None:
    mine, other = court.bundle(rekor=rekor), court.bundle(rekor=rekor, signer="other")
    court.refused(with_entry(mine, entry_of(other)))


@pytest.mark.parametrize("rekor", LOGS)
@pytest.mark.parametrize("first", [True, False], ids=["own first", "own last"])
@pytest.mark.parametrize("signer", ["signer", "other"], ids=["by the same key", "by another key"])
def test_cve_2024_51746_of_several_entries_none_may_be_of_another(
    court: Court, rekor: str, first: bool, signer: str
) -> None:
    mine, other = court.bundle(rekor=rekor), court.bundle(LATER, rekor=rekor, signer=signer, index=5)
    entries = [entry_of(mine), entry_of(other)]
    bundle = deepcopy(mine)
    bundle["verificationMaterial"]["tlogEntries"] = entries if first else entries[::-1]
    seen = court.judge(bundle)
    assert (seen.code, seen.result["signers"]) == (10, [])


def test_cve_2024_51746_two_bundles_of_one_certificate_keep_their_entries(court: Court) -> None:
    """One certificate, two signatures: each bundle stands on its own entry, and is told apart by it."""
    mine, other = court.bundle(), court.bundle(LATER, index=5)
    assert mine["verificationMaterial"]["certificate"] == other["verificationMaterial"]["certificate"]
    seen = [court.judge(bundle).result["signers"][0]["logIndex"] for bundle in (mine, other)]
    assert seen == [4, 5]


def test_cve_2024_51746_a_time_without_a_promise_is_nobodys(court: Court) -> None:
    bundle = court.bundle(promise=False, media_type=V02)
    court.refused(bundle)
    entry_of(bundle)["integratedTime"] = str(2**40)
    court.refused(bundle)


def test_the_tests_here_change_what_they_say(court: Court) -> None:
    bundle = court.bundle()
    entry = json.dumps(entry_of(bundle))
    for change in filter(None, BAD_ENTRIES.values()):
        changed = json.loads(entry)
        change(changed)
        assert json.dumps(changed) != entry
