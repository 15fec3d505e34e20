"""Inclusion in a Merkle tree: RFC 6962, section 2.1.1, verified as RFC 9162, section 2.1.3.2 says. SHA-256 only."""

import hashlib
from collections.abc import Sequence


def leaf_hash(body: bytes) -> bytes:
    """The hash of a leaf."""
    return hashlib.sha256(b"\x00" + body).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node over its two children."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(leaf: bytes, *, index: int, size: int, hashes: Sequence[bytes]) -> bytes | None:
    """The root of the tree of this size in which the leaf hash stands at this index, by the proof's hashes.

    None when index, size and number of hashes do not fit together. Takes time in the number of hashes, which the
    size bounds.
    """
    if not 0 <= index < size or any(len(hash_) != len(leaf) for hash_ in hashes):
        return None
    position, last, found = index, size - 1, leaf
    for hash_ in hashes:
        if last == 0:
            return None  # more hashes than the tree has levels
        if position % 2 or position == last:
            found = node_hash(hash_, found)
            while position % 2 == 0 and position:  # a node without a sibling goes up unchanged
                position, last = position // 2, last // 2
        else:
            found = node_hash(found, hash_)
        position, last = position // 2, last // 2
    return found if last == 0 else None
