"""Whatever a signing service answers, it is one error of ours that names it, or an answer that is used."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.errors import ConfigurationError, ProducerError
from in_toto_done_receipt.producer import fulcio, rekor
from in_toto_done_receipt.producer.calls import Answer, service
from in_toto_done_receipt.producer.signing_config import Log
from tests.forge.log import Logged, entry_body
from tests.forge.plan import Plan
from tests.forge.servers import Serving
from tests.forge.sigstore import Forge

FORGE = Forge.of()
AT = service("Rekor", "https://rekor.example.org")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def genuine(version: int) -> Any:
    """What Rekor answers."""
    key = FORGE.key("signer")
    logged = Logged(payload=b"{}", payload_type="x", signature=b"s", signer=key.public_key())
    if version == 2:
        plan = Plan(rekor="v2")
        return FORGE.rekor_v2.entry(entry_body("hashedrekord/0.0.2", logged), plan)
    at = Serving(forge=FORGE, rekor="v1")
    envelope = {"payload": "e30=", "payloadType": "x", "signatures": [{"sig": "cw=="}]}
    proposed = {"envelope": json.dumps(envelope), "verifiers": [logged.verifier]}
    return at.rekor_v1(json.dumps({"spec": {"proposedContent": proposed}}).encode())


ANSWERS = {version: genuine(version) for version in (1, 2)}


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value."""
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [path, *(found for name, value in inner for found in places(value, (*path, name)))]


def changed(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The tree with another value at a place."""
    if not path:
        return value
    copy = dict(tree) if isinstance(tree, dict) else list(tree)
    copy[path[0]] = changed(tree[path[0]], path[1:], value)
    return copy


def entry(version: int, body: bytes) -> Any:
    return rekor._entry(Answer(status=201, headers={}, body=body), Log(service=AT, version=version))


def answered(call: Callable[[], Any], name: str) -> Any:
    """What the call gave; None when it was refused in our own words."""
    try:
        return call()
    except ProducerError as error:
        if not error.message.startswith(f"{name} at https://{name.lower()}.example.org: "):
            raise
        return None


@given(version=st.sampled_from([1, 2]), data=st.data(), value=VALUES)
def test_an_entry_with_another_value_somewhere(version: int, data: st.DataObject, value: Any) -> None:
    path = data.draw(st.sampled_from(places(ANSWERS[version])))
    body = json.dumps(changed(ANSWERS[version], path, value)).encode()
    found = answered(lambda: entry(version, body), "Rekor")
    assert found is None or isinstance(rekor.entry_index(found), int)


@given(body=st.binary(max_size=200))
def test_bytes_instead_of_an_entry(body: bytes) -> None:
    assert [answered(partial(entry, version, body), "Rekor") for version in (1, 2)] == [None, None]


@given(value=VALUES | st.fixed_dictionaries({"signedCertificateEmbeddedSct": VALUES}))
def test_anything_instead_of_a_certificate(value: Any) -> None:
    at = service("Fulcio", "https://fulcio.example.org")
    assert answered(lambda: fulcio._leaf(json.dumps(value).encode(), at), "Fulcio") is None


@given(text=st.text(max_size=40))
def test_anything_instead_of_a_url(text: str) -> None:
    try:
        found = service("Rekor", text)
    except ConfigurationError:
        return
    assert found.url.startswith(("http://", "https://", "HTTP", "Http"))
