"""wire/escape.py"""

import json
import re
import sys
import unicodedata

import pytest

from in_toto_done_receipt.wire.escape import CONTROL_OR_FORMAT, ascii_json, ascii_json_bytes, escape


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("src/é 中.py", "src/é 中.py", id="ordinary"),
        pytest.param("a\nb\tc", "a\\x0ab\\x09c", id="line-break"),
        pytest.param("\x1b[31m", "\\x1b[31m", id="terminal-escape"),
        pytest.param("\x9b31m", "\\x9b31m", id="c1-escape"),
        pytest.param("a\u202egpj.exe", "a\\u202egpj.exe", id="bidi-override"),
        pytest.param("a\u2066b", "a\\u2066b", id="bidi-isolate"),
        pytest.param("a\u200bb\ufeff", "a\\u200bb\\ufeff", id="zero-width"),
        pytest.param("a\u2028b\u2029", "a\\u2028b\\u2029", id="line-separators"),
        pytest.param("\ud800", "\\ud800", id="lone-surrogate"),
        pytest.param("a\udcff", "a\\xff", id="byte-of-a-file-name"),
        pytest.param("\U000e0041", "\\U000e0041", id="tag"),
        pytest.param(b"a\xffb\n", "a\\xffb\\x0a", id="bytes"),
        pytest.param("a\\b", "a\\b", id="backslash-stays"),
        pytest.param("::error::x::", "\\x3a:error::x::", id="command-of-a-line"),
        pytest.param(" \xa0::error::x", " \xa0\\x3a:error::x", id="command-after-blanks"),
        pytest.param("a::b, C::D", "a::b, C::D", id="colons-stay"),
        pytest.param("x ##[error]y", "x \\x23#[error]y", id="old-command-anywhere"),
        pytest.param("###[x]##VSO[y] ## [", "#\\x23#[x]\\x23#VSO[y] ## [", id="azure-command"),
    ],
)
def test_escape_shows(text: str | bytes, shown: str) -> None:
    assert escape(text) == shown


def test_escaped_text_is_printable_and_one_line() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    shown = escape(everything)
    assert len(shown.splitlines()) == 1
    assert shown.encode()


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="the pinned table is compared with Unicode 14")
def test_pinned_table_has_every_format_character() -> None:
    of_python = {c for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) in {"Cc", "Cf"}}
    pinned = {c for c in range(sys.maxunicode + 1) if CONTROL_OR_FORMAT.fullmatch(chr(c))}
    # Unicode 15.0 made 13439-1343F format characters; nothing else changed until 16.0.
    assert pinned - of_python == set(range(0x13439, 0x13440))
    assert of_python <= pinned


@pytest.mark.parametrize("text", ["##[error]", "\\##[x]", "\\\\###[x]", '"##vso[', "#" * 9 + "[", "## ["])
def test_ascii_json_says_the_same_and_no_command(text: str) -> None:
    written = ascii_json(json.dumps([text]))
    assert json.loads(written) == [text]
    assert "##[" not in written
    assert "##vso[" not in written


@pytest.mark.parametrize(
    "text", ["plain", "\u2014\u0100\uffff", "caf\u00e9 \u2014 \U0001f600", "\x7f", "##[error]\u2028", '\\"\\u00e9\n']
)
def test_ascii_json_bytes_is_the_same_document_in_ascii(text: str) -> None:
    data = json.dumps({text: [text, 2**53 - 1, None]}, ensure_ascii=False, separators=(",", ":")).encode()
    written = ascii_json_bytes(data)
    assert written == ascii_json(json.dumps(json.loads(data), separators=(",", ":"))).encode()
    assert re.fullmatch(rb"[ -~]*", written)
    assert b"##[" not in written


def test_ascii_json_bytes_leaves_what_is_plain() -> None:
    data = b'{"a":["b",1]}'
    assert ascii_json_bytes(data) is data
