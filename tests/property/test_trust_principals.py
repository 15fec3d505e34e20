"""How many persons signed: never more than there are principals, keys and identities; whatever the order."""

from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.results.model import Signer
from in_toto_done_receipt.trust.principals import count, persons

names = st.sampled_from(["alice", "Alice", "bob", "carol", "dave"])
by_key = st.builds(
    lambda principal, key: Signer(name=key, principal=principal, kind="key", key_fingerprint=key),
    names,
    st.sampled_from(["k1", "k2", "k3"]),
)
by_identity = st.builds(
    lambda principal, identity, issuer: Signer(
        name=f"{principal} {identity}", principal=principal, kind="sigstore", identity=identity, issuer=issuer
    ),
    names,
    st.sampled_from(["a@x.example", "A@x.example", "b@x.example", "spiffe://x/y"]),
    st.sampled_from(["https://i", "https://j"]),
)
signers = st.lists(by_key | by_identity, max_size=9)


@given(signers)
def test_trust_persons_are_at_most_the_principals_and_at_most_the_means(found: list[Signer]) -> None:
    counted = count(found, found)
    assert counted <= len({signer.principal.lower() for signer in found})
    assert counted <= len({(signer.identity or "").lower() or signer.key_fingerprint for signer in found})
    assert (counted > 0) == bool(found)


@given(signers, st.randoms(use_true_random=False))
def test_trust_order_and_repetition_change_nothing(found: list[Signer], chance: object) -> None:
    mixed = [*found, *found]
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    assert count(mixed, mixed) == count(found, found)


@given(signers)
def test_trust_persons_share_nothing_with_one_another(found: list[Signer]) -> None:
    groups = persons(found)
    assert sorted(map(repr, found)) == sorted(repr(signer) for group in groups for signer in group)
    for field in ("principal", "identity", "key_fingerprint"):
        values = [{getattr(signer, field).lower() for signer in group if getattr(signer, field)} for group in groups]
        assert sum(map(len, values)) == len(set().union(*values))


@given(signers, st.data())
def test_trust_leaving_a_signer_out_of_the_count_adds_nobody(found: list[Signer], draw: st.DataObject) -> None:
    some = [signer for signer in found if draw.draw(st.booleans())]
    assert count(some, found) <= count(found, found)
    assert count(some, found) <= count(some, some)
