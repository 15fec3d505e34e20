"""Any bytes at all on every reader (those that are fuzzed, and keys): an answer or the reader's own errors."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.producer.keys import generate
from in_toto_done_receipt.producer.sign import key_signer
from in_toto_done_receipt.trust.keys import load_key
from tests.fuzz.targets import TARGETS, Target, attempt
from tests.property.denied import at, changed, other_types, places

FEW = settings(max_examples=60, derandomize=True, database=None)
PIECES = (
    b"",
    b"\0",
    b"\xff",
    b'"',
    b"{",
    b"[",
    b"]]",
    b"\n",
    b"\\u0000",
    b"\\ud800",
    b"1e9",
    b"-",
    b"=",
    b"\xef\xbb\xbf",
    b"'''",
)
OTHER_FORMS = ("policy-bundle", "junit", "go", "rust")  # a tar, XML, two languages
JSON_TARGETS = [target for target in TARGETS if not target.toml and target.name not in OTHER_FORMS]


def torn(data: bytes, random: Random) -> bytes:
    """The bytes with a few of them cut out, replaced or put in twice."""
    for _ in range(random.randint(1, 3)):
        start = random.randint(0, len(data))
        end = min(len(data), start + random.choice((0, 1, 1, 2, 50)))
        piece = random.choice((*PIECES, data[start:end] * 2, random.randbytes(2)))
        data = data[:start] + piece + data[end:]
    return data


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
@FEW
@given(data=st.binary(max_size=200))
def test_any_bytes(target: Target, data: bytes) -> None:
    attempt(target, data)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_torn_documents(target: Target) -> None:
    random = Random(target.name)  # noqa: S311 - a fixed sequence is wanted
    seeds = list(target.seeds())
    for _ in range(200):
        attempt(target, torn(random.choice(seeds), random))


def document_of(seed: bytes) -> Any:
    """The one JSON document in a seed, None for several."""
    try:
        return json.loads(seed)
    except ValueError:
        return None


@pytest.mark.parametrize("target", JSON_TARGETS, ids=lambda target: target.name)
def test_another_type_at_every_place(target: Target) -> None:
    document = max(filter(None, map(document_of, list(target.seeds())[:20])), key=len)
    for place in places(document):
        if place[:2] == ("untrusted", "statement"):
            continue  # any JSON may stand there
        for value in other_types(at(document, place)):
            attempt(target, json.dumps(changed(document, place, value)).encode())


PLAIN, LOCKED = generate("ed25519"), generate("ecdsa-p256", passphrase=b"right")
KEYS: dict[str, tuple[bytes, Callable[[bytes], object]]] = {
    "public": (PLAIN.public_pem, lambda data: load_key(data, name="a", what="a")),
    "private": (PLAIN.private_pem, lambda data: key_signer(data, passphrase=lambda: b"wrong", what="a", key_id=None)),
    "locked": (LOCKED.private_pem, lambda data: key_signer(data, passphrase=lambda: b"wrong", what="a", key_id=None)),
}


@pytest.mark.parametrize(("pem", "load"), KEYS.values(), ids=KEYS)
def test_torn_keys(pem: bytes, load: Callable[[bytes], object]) -> None:
    random = Random(7)  # noqa: S311 - a fixed sequence is wanted
    first, *body, last = pem.splitlines()
    der = b64decode(b"".join(body))
    for number in range(150):
        inner = b64encode(torn(der, random))
        data = b"\n".join((first, inner, last, b"")) if number % 2 else torn(pem, random)
        with suppress(ConfigurationError):
            load(data)
