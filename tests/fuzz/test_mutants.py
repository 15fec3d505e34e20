"""2,000 mutants of genuine attestations, receipts and roots, the same in every run (more: `tests.fuzz.mutants`)."""

import json
from base64 import b64decode
from random import Random

import pytest

from in_toto_done_receipt.errors import DoneReceiptError
from tests.forge.authority import der_of
from tests.fuzz import genuine
from tests.fuzz.bundle_mutation import mutant
from tests.fuzz.der_mutation import mutated_der, parsed
from tests.fuzz.findings import in_time
from tests.fuzz.mutants import campaign
from tests.fuzz.targets import attempt

PARTS = 4
EACH = 500


@pytest.mark.parametrize("part", range(PARTS))
def test_mutants_are_refused_or_right(part: int, capfd: pytest.CaptureFixture[str]) -> None:
    for target, data in campaign(EACH, seed=part):
        with in_time():
            attempt(target, data)
    assert capfd.readouterr() == ("", ""), "a library said something by itself"


@pytest.mark.parametrize("name", genuine.bundles())
def test_the_genuine_ones_verify(name: str) -> None:
    assert genuine.attestation_mutant(genuine.bundles()[name]) == 1


def test_most_mutants_are_refused_and_some_are_right() -> None:
    """Or the changes would be none, or too coarse to get past the reader."""
    random, seeds = Random(1), tuple(genuine.bundles().values())
    unread = refused = right = 0
    for _ in range(300):
        try:
            accepted = genuine.attestation_mutant(mutant(random.choice(seeds), seeds, random))
        except DoneReceiptError:
            unread += 1
            continue
        refused += not accepted
        right += bool(accepted)
    assert refused > unread > 10
    assert right > 10


def test_another_payload_of_the_same_signer_is_wrong() -> None:
    """The judge of the mutants sees a signature of the trusted signer over what is none of the genuine payloads."""
    forged = genuine.forge().bundle(_statement())
    with pytest.raises(genuine.Wrong, match="nobody signed this"):
        genuine.attestation_mutant(json.dumps(forged).encode())


def test_a_time_that_nobody_vouched_for_is_wrong() -> None:
    tree = json.loads(genuine.bundles()["v1"])
    payload = b64decode(tree["dsseEnvelope"]["payload"])
    later = genuine.forge().bundle(payload, after=60)
    with pytest.raises(genuine.Wrong, match="nobody vouched for this"):
        genuine.attestation_mutant(json.dumps(later).encode())


def _statement() -> bytes:
    tree = json.loads(b64decode(json.loads(genuine.bundles()["v1"])["dsseEnvelope"]["payload"]))
    tree["predicate"]["run"]["iterations"] = 999
    return json.dumps(tree).encode()


def test_der_is_taken_apart_and_put_together_again() -> None:
    certificate = der_of(genuine.forge().authority.chain[0])
    trees = parsed(certificate)
    assert trees is not None
    assert b"".join(tree.encoded() for tree in trees) == certificate
    assert len(trees[0].walk()) > 60


def test_changes_of_der_mostly_are_der() -> None:
    certificate = der_of(genuine.forge().authority.chain[0])
    random = Random(1)
    changed = [mutated_der(certificate, (certificate,), random) for _ in range(200)]
    assert sum(one != certificate for one in changed) > 150
    assert sum(parsed(one) is not None for one in changed) > 120


@pytest.mark.parametrize(
    "seed", [b"", b"{}", b'x": 1', b"[1]", b"\xff", b'"x"', b"[" * 100_000, b'{"a": "AAAAAAAAAAAAAAAA"}']
)
def test_any_seed_has_mutants(seed: bytes) -> None:
    """The search that is guided makes seeds of its own."""
    random, seeds = Random(1), (*genuine.bundles().values(), b"[]")
    for _ in range(100):
        assert isinstance(mutant(seed, seeds, random), bytes)
