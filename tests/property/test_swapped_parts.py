"""Parts of two genuine bundles of one signer, exchanged in every combination: what verifies is one of the two."""

import json
from collections.abc import Iterator
from copy import deepcopy
from itertools import product
from typing import Any

import pytest

from in_toto_done_receipt.errors import DoneReceiptError
from tests.fuzz.bundle_mutation import places
from tests.fuzz.genuine import bundles, demand_genuine, own_trust

PAIRS = {
    "Rekor v1": ("v1", "v1, the same signer"),
    "Rekor v2": ("v2", "v2, the same signer"),
    "one log and the other": ("v1", "v2"),
    "a log entry of each kind": ("v1", "v1, intoto"),
    "old and new": ("v1, 0.1", "v1"),
    "with and without a timestamp": ("v1", "v1, 0.2 and a timestamp"),
    "a key and a certificate": ("key, logged", "v1"),
    "two keys": ("key, logged", "key, stamped"),
    "two signers": ("v2", "robot, two timestamps"),
}
PARTS = (
    ("dsseEnvelope", "payload"),
    ("dsseEnvelope", "signatures"),
    ("verificationMaterial", "certificate"),
    ("verificationMaterial", "x509CertificateChain"),
    ("verificationMaterial", "publicKey"),
    ("verificationMaterial", "tlogEntries"),
    ("verificationMaterial", "timestampVerificationData"),
    ("mediaType",),
)


def both(pair: tuple[str, str]) -> tuple[Any, Any]:
    first, second = (json.loads(bundles()[name]) for name in pair)
    return first, second


def taken(tree: Any, path: tuple[str, ...], other: Any) -> None:
    """Give the tree what the other has in this place, or nothing if it has nothing."""
    node, donor = tree, other
    for step in path[:-1]:
        node, donor = node[step], donor[step]
    node.pop(path[-1], None)
    if path[-1] in donor:
        node[path[-1]] = deepcopy(donor[path[-1]])


def refused_or_right(tree: Any) -> int:
    """How many signers count; all of them genuine."""
    try:
        return demand_genuine(json.dumps(tree).encode(), own_trust())
    except DoneReceiptError:
        return 0


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_every_set_of_parts(pair: tuple[str, str]) -> None:
    first, second = both(pair)
    accepted = 0
    for chosen in product((False, True), repeat=len(PARTS)):
        mixed = deepcopy(first)
        for path in (path for path, other in zip(PARTS, chosen, strict=True) if other):
            taken(mixed, path, second)
        accepted += refused_or_right(mixed)
    whole = refused_or_right(first) + refused_or_right(second)
    assert whole == 2
    assert accepted >= 2  # the two themselves; and those where what was exchanged was the same, or absent, in both


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_every_single_place(pair: tuple[str, str]) -> None:
    for receiver, donor in (both(pair), both(pair)[::-1]):
        for mixed in with_one_place(receiver, donor):
            refused_or_right(mixed)


def with_one_place(receiver: Any, donor: Any) -> Iterator[Any]:
    """The receiver with what stands in a place of the donor, for every place that both have."""
    for number, (node, key) in enumerate(places(receiver)):
        found = at(donor, path_to(receiver, node))
        if isinstance(found, dict) and key not in found:
            continue
        if isinstance(found, list) and key >= len(found):
            continue
        if found is None or found[key] == node[key]:
            continue
        mixed = deepcopy(receiver)
        changed, same = places(mixed)[number]
        changed[same] = deepcopy(found[key])
        yield mixed


def path_to(tree: Any, wanted: Any) -> tuple[Any, ...] | None:
    rest: list[tuple[Any, tuple[Any, ...]]] = [(tree, ())]
    while rest:
        node, path = rest.pop()
        if node is wanted:
            return path
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        rest += [(node[key], (*path, key)) for key in keys]
    return None


def at(tree: Any, path: tuple[Any, ...] | None) -> Any:
    """What stands there; None if nothing does."""
    node = tree
    for step in path or ():
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            return None
    return node


def test_what_is_exchanged_matters() -> None:
    """None of the parts of a bundle can come from another bundle of the same signer alone."""
    first, second = both(PAIRS["Rekor v2"])
    for path in (("dsseEnvelope", "payload"), ("dsseEnvelope", "signatures"), *PARTS[5:7]):
        mixed = deepcopy(first)
        taken(mixed, path, second)
        assert refused_or_right(mixed) == 0, path
