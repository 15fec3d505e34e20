"""Mutants of genuine attestations and roots: at the level of bits, of JSON, of what base64 holds, of DER."""

import json
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any, Final

from tests.fuzz.der_mutation import mutated_bits, mutated_der
from tests.fuzz.mutation import mutated

WORDS: Final = (
    "payload", "payloadType", "signatures", "keyid", "sig", "mediaType", "dsseEnvelope", "messageSignature",
    "verificationMaterial", "publicKey", "hint", "certificate", "rawBytes", "x509CertificateChain", "certificates",
    "tlogEntries", "timestampVerificationData", "rfc3161Timestamps", "signedTimestamp", "logIndex", "logId", "keyId",
    "kindVersion", "kind", "version", "integratedTime", "inclusionPromise", "signedEntryTimestamp", "inclusionProof",
    "rootHash", "treeSize", "hashes", "checkpoint", "envelope", "canonicalizedBody", "dsse", "intoto", "hashedrekord",
    "0.0.1", "0.0.2", "application/vnd.in-toto+json", "application/vnd.dev.sigstore.bundle.v0.3+json",
    "application/vnd.dev.sigstore.bundle+json;version=0.1", "application/vnd.dev.sigstore.bundle+json;version=0.2",
)  # fmt: skip
_SHORTEST: Final = 8  # bytes that are worth to be taken for base64

Place = tuple[Any, Any]  # a container and a key of it


def mutant(seed: bytes, seeds: tuple[bytes, ...], random: Random) -> bytes:
    """The seed with one change, seldom more."""
    level = random.choice(_LEVELS)
    try:
        data = level(seed, seeds, random)
    except RecursionError:  # a seed of the search's own may be nested as deep as it likes
        return mutated_bits(seed, random)
    return mutated_bits(data, random) if random.random() < 0.05 else data


def _bits(seed: bytes, _seeds: tuple[bytes, ...], random: Random) -> bytes:
    return mutated_bits(seed, random)


def _json(seed: bytes, _seeds: tuple[bytes, ...], random: Random) -> bytes:
    return mutated(seed, words=WORDS, toml=False, random=random)


def _twice(seed: bytes, _seeds: tuple[bytes, ...], random: Random) -> bytes:
    """A member said twice, before or after the true one."""
    text = seed.decode("utf-8", "replace")
    starts = [at for at in range(len(text)) if text.startswith('": ', at) and '"' in text[:at]]
    if not starts:
        return seed
    at = random.choice(starts)
    name = text[text.rindex('"', 0, at) : at + 1]
    member = f"{name}: {random.choice(('null', '[]', '{}', '0', json.dumps(random.choice(WORDS))))}, "
    begin = at + 1 - len(name)
    return (text[:begin] + member + text[begin:]).encode()


def _spliced(seed: bytes, seeds: tuple[bytes, ...], random: Random) -> bytes:
    """A part of another attestation in the place of the same part."""
    tree, other = _tree(seed), _tree(random.choice(seeds))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        container, key = random.choice(places(tree) or [({}, "")])
        donors = [(node, name) for node, name in places(other) if name == key]
        if donors:
            node, name = random.choice(donors)
            container[key] = deepcopy(node[name])
    return _dumped(tree)


def _encoded(seed: bytes, seeds: tuple[bytes, ...], random: Random) -> bytes:
    """What a base64 text holds, changed bit by bit, as JSON or as DER."""
    tree = _tree(seed)
    texts = [(node, key) for node, key in places(tree) if held(node[key]) is not None]
    if not texts:
        return mutated_bits(seed, random)
    node, key = random.choice(texts)
    raw = held(node[key]) or b""
    if raw[:1] == b"{" and random.random() < 0.7:
        changed = mutated(raw, words=WORDS, toml=False, random=random)
    elif raw[:1] == b"{":
        changed = mutated_bits(raw, random)
    else:
        foreign = tuple(
            other for seed in random.sample(seeds, min(2, len(seeds))) for other in _held_under(_tree(seed), key)
        )
        changed = mutated_der(raw, foreign, random)
    encode: Callable[[bytes], bytes] = urlsafe_b64encode if random.random() < 0.1 else b64encode
    text = encode(changed).decode()
    node[key] = text.rstrip("=") if random.random() < 0.1 else text
    return _dumped(tree)


def _respelt(seed: bytes, _seeds: tuple[bytes, ...], random: Random) -> bytes:
    """The same bytes in another spelling of base64, right or wrong."""
    tree = _tree(seed)
    texts = [(node, key) for node, key in places(tree) if held(node[key]) is not None]
    if not texts:
        return seed
    node, key = random.choice(texts)
    text = str(node[key])
    node[key] = random.choice(
        (
            text.replace("+", "-").replace("/", "_"),
            text.rstrip("="),
            text + "=",
            text + "\n",
            text[: len(text) // 2] + "\n" + text[len(text) // 2 :],
            text + "!!!!",
            text.rstrip("=") + "A==",
            text.replace("+", "-", 1),
            " " + text,
            text + text,
        )
    )
    return _dumped(tree)


def _texts(seed: bytes, _seeds: tuple[bytes, ...], random: Random) -> bytes:
    """A line of a checkpoint, a number, a kind: what is plain text in an attestation."""
    tree = _tree(seed)
    texts = [(node, key) for node, key in places(tree) if isinstance(node[key], str) and held(node[key]) is None]
    if not texts:
        return seed
    node, key = random.choice(texts)
    text = str(node[key])
    if text.isdigit():
        number = int(text)
        changes = (number + 1, number - 1, 0, -1, number + 2**32, 2**63, 2**64 + number, f"+{number}", f"0{number}")
        node[key] = str(random.choice((*changes, f"{number}.0", f" {number}", f"{number}e0", hex(number))))
    else:
        lines = text.split("\n")
        at = random.randrange(len(lines))
        lines[at] = random.choice(
            (mutated_bits(lines[at].encode(), random).decode("utf-8", "replace"), "", lines[at] + " ", lines[-1])
        )
        node[key] = "\n".join(lines)
    return _dumped(tree)


_LEVELS: Final[tuple[Callable[[bytes, tuple[bytes, ...], Random], bytes], ...]] = (
    _bits, _json, _twice, _spliced, _spliced, _encoded, _encoded, _encoded, _encoded, _respelt, _texts,
)  # fmt: skip


def places(tree: Any) -> list[Place]:
    """Every place of a tree, what is nearer to the top first."""
    found: list[Place] = []
    rest = [tree]
    while rest:
        node = rest.pop(0)
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            found.append((node, key))
            rest.append(node[key])
    return found


def held(value: Any) -> bytes | None:
    """What a text holds if it is base64 of something."""
    if not isinstance(value, str) or len(value) % 4 or len(value) * 3 // 4 < _SHORTEST:
        return None
    try:
        return b64decode(value, validate=True)
    except ValueError:
        return None


def _held_under(tree: Any, key: Any) -> list[bytes]:
    return [raw for node, name in places(tree) if name == key and (raw := held(node[name])) is not None]


def _tree(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return {}


def _dumped(tree: Any) -> bytes:
    return json.dumps(tree).encode("utf-8", "surrogatepass")
