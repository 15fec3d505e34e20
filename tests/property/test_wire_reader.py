"""Envelopes, bundles, statements and lines of them: whatever the bytes are, an answer or one of our errors."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.errors import MalformedEnvelope, MalformedInput
from in_toto_done_receipt.wire import dsse
from in_toto_done_receipt.wire.paths import check_path, twin_key
from in_toto_done_receipt.wire.reader import read_receipts
from in_toto_done_receipt.wire.rfc3339 import format_time, parse_time
from in_toto_done_receipt.wire.statement import read_statement

STATEMENT: dict[str, Any] = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [
        {"name": "a", "uri": "https://a", "digest": {"sha256": "ab" * 32, "md5": "x"}, "annotations": {"k": 1}}
    ],
    "predicateType": "https://example.com/p/v1",
    "predicate": {"x": [1, {"y": None}]},
}
ENVELOPE: dict[str, Any] = {
    "payload": base64.b64encode(json.dumps(STATEMENT).encode()).decode(),
    "payloadType": dsse.INTOTO_PAYLOAD_TYPE,
    "signatures": [{"keyid": "k", "sig": "c2lnbmF0dXJl"}],
}
BUNDLE: dict[str, Any] = {
    "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
    "verificationMaterial": {"publicKey": {"hint": "k"}, "tlogEntries": []},
    "dsseEnvelope": ENVELOPE,
}
VALID = [json.dumps(tree).encode() for tree in (ENVELOPE, BUNDLE, STATEMENT)]
VALID.append(b"\n".join(VALID))
VALUES = st.sampled_from([None, True, 0, 1.5, "", "x", "\n", [], {}, [None], {"": None}, "a" * 100])


def check_message(error: MalformedInput) -> None:
    assert error.message.isprintable()


def places(tree: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a tree."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [place for key, value in items for place in [(tree, key), *places(value)]]


@st.composite
def mutated_bytes(draw: st.DrawFn) -> bytes:
    """A valid file with a few bytes replaced, removed or put in."""
    data = bytearray(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        data[start : start + draw(st.integers(0, 4))] = draw(
            st.binary(max_size=3) | st.sampled_from([b'"', b"{", b"\n"])
        )
    return bytes(data)


@st.composite
def mutated_tree(draw: st.DrawFn, tree: dict[str, Any]) -> dict[str, Any]:
    """A valid tree with one value replaced or removed, or a member added."""
    copy: dict[str, Any] = json.loads(json.dumps(tree))
    container, key = draw(st.sampled_from(places(copy)))
    change = draw(st.sampled_from(["replace", "remove", "add"]))
    if change == "replace":
        container[key] = draw(VALUES)
    elif change == "remove":
        del container[key]
    elif isinstance(container, dict):
        container[draw(st.text(max_size=5) | st.sampled_from(["predicate_type", "Payload", "type"]))] = draw(VALUES)
    return copy


def attempt(data: bytes) -> None:
    """Reads a file and the statements in it; anything but our errors fails the test."""
    try:
        file = read_receipts(data, what="r", allow_statement=True)
    except MalformedInput as error:
        check_message(error)
        return
    for group in file.groups:
        try:
            read_statement(group.payload)
        except MalformedInput as error:
            check_message(error)


@given(st.binary() | mutated_bytes())
def test_read_receipts_raises_only_our_errors_for_bytes(data: bytes) -> None:
    attempt(data)


@given(st.sampled_from([ENVELOPE, BUNDLE, STATEMENT]).flatmap(mutated_tree))
def test_read_receipts_raises_only_our_errors_for_trees(tree: dict[str, Any]) -> None:
    attempt(json.dumps(tree).encode())


@given(mutated_tree(STATEMENT))
def test_read_statement_raises_only_our_errors(tree: dict[str, Any]) -> None:
    envelope = ENVELOPE | {"payload": base64.b64encode(json.dumps(tree).encode()).decode()}
    attempt(json.dumps(envelope).encode())


@given(st.lists(st.sampled_from(VALID[:2]) | st.just(b"") | st.just(b'{"a":1}'), min_size=2, max_size=6))
def test_read_receipts_accounts_for_every_line(lines: list[bytes]) -> None:
    data = b"\n".join(lines) + b"\n"
    wanted = [line for line in lines if line in VALID]
    if not wanted or len([line for line in lines if line]) < 2:
        return
    file = read_receipts(data, what="r", allow_statement=False)
    assert sum(len(group.parts) for group in file.groups) == len(wanted)
    assert file.skipped == len(lines) - len(wanted)


@given(st.binary())
def test_decode_base64_agrees_with_python_on_valid_text(data: bytes) -> None:
    for text in (base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()):
        assert dsse.decode_base64(text, "x") == data
        assert dsse.decode_base64(text.rstrip("="), "x") == data


@given(st.text(st.sampled_from("AQgw09+/-_= \n!é"), max_size=12))
def test_decode_base64_has_one_spelling_per_alphabet_and_padding(text: str) -> None:
    try:
        data = dsse.decode_base64(text, "x")
    except MalformedEnvelope:
        return
    spellings = {base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()}
    assert text in spellings | {spelling.rstrip("=") for spelling in spellings}


@given(st.text(max_size=8), st.binary(max_size=8), st.text(max_size=8), st.binary(max_size=8))
def test_pae_differs_for_different_input(type_a: str, a: bytes, type_b: str, b: bytes) -> None:
    assert (dsse.pae(type_a, a) == dsse.pae(type_b, b)) is ((type_a, a) == (type_b, b))


@given(st.datetimes(timezones=st.timezones()))
def test_format_time_round_trip(moment: Any) -> None:
    try:
        text = format_time(moment)
    except OverflowError:  # no such moment in UTC
        return
    assert format_time(parse_time(text)) == text


@given(st.text(max_size=30))
def test_parse_time_raises_only_our_error(text: str) -> None:
    try:
        parse_time(text)
    except MalformedInput as error:
        check_message(error)


@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("./\\"), max_size=12))
def test_check_path_accepts_only_relative_normal_paths(path: str) -> None:
    if check_path(path) is None:
        assert "/".join(part for part in path.split("/") if part not in ("", ".", "..")) == path
        assert twin_key(twin_key(path)) == twin_key(path)


@pytest.mark.parametrize("data", VALID)
def test_the_examples_of_this_file_are_valid(data: bytes) -> None:
    assert read_receipts(data, what="r", allow_statement=True).groups
