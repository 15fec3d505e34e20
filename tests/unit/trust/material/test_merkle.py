"""Inclusion proofs, against the test vectors of RFC 9162's tree and against trees made here."""

import pytest

from in_toto_done_receipt.trust.material.merkle import leaf_hash, node_hash, root_of
from tests.forge.log import audit_path, head

LEAVES = tuple(leaf_hash(b"%d" % number) for number in range(9))


def test_leaf_hash_of_nothing() -> None:
    """RFC 6962's empty leaf, as certificate logs publish it."""
    assert leaf_hash(b"").hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"


def test_node_and_leaf_are_told_apart() -> None:
    assert node_hash(b"", b"") != leaf_hash(b"")


def test_the_example_tree_of_the_rfc() -> None:
    """RFC 9162, 2.1.5: the proof for d0 of seven leaves is [b, h, l]."""
    a, b, c, d, e, f, j = LEAVES[:7]
    g, h, i = node_hash(a, b), node_hash(c, d), node_hash(e, f)
    k, l_ = node_hash(g, h), node_hash(i, j)
    assert root_of(a, index=0, size=7, hashes=[b, h, l_]) == node_hash(k, l_)
    assert root_of(d, index=3, size=7, hashes=[c, g, l_]) == node_hash(k, l_)
    assert root_of(e, index=4, size=7, hashes=[f, j, k]) == node_hash(k, l_)
    assert root_of(j, index=6, size=7, hashes=[i, k]) == node_hash(k, l_)


@pytest.mark.parametrize("size", range(1, 10))
def test_every_leaf_of_small_trees(size: int) -> None:
    leaves = LEAVES[:size]
    for index, leaf in enumerate(leaves):
        assert root_of(leaf, index=index, size=size, hashes=audit_path(index, leaves)) == head(leaves)


@pytest.mark.parametrize(
    ("index", "size", "count"),
    [(1, 1, 0), (-1, 1, 0), (0, 0, 0), (9, 9, 4), (0, 1, 1), (0, 9, 3), (0, 9, 5), (8, 9, 0), (8, 9, 2), (2**63, 9, 4)],
)
def test_proofs_that_no_tree_has(index: int, size: int, count: int) -> None:
    assert root_of(LEAVES[0], index=index, size=size, hashes=LEAVES[:count]) is None


def test_hashes_of_another_length() -> None:
    assert root_of(LEAVES[0], index=0, size=2, hashes=[b"short"]) is None


def test_a_huge_tree_takes_as_many_steps_as_it_has_levels() -> None:
    assert root_of(LEAVES[0], index=0, size=2**63, hashes=[LEAVES[1]] * 63) is not None
    assert root_of(LEAVES[0], index=0, size=2**63, hashes=[LEAVES[1]] * 62) is None
