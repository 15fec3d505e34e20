"""Items of Rust files, and what exists in test builds only."""

import time

import pytest

from in_toto_done_receipt.observe.runners.rust_items import Item, Truth, cfg, is_test, is_test_only, items


def found(content: bytes) -> list[tuple[str, str]]:
    return [(item.keyword, item.name) for item in items(content)[0]]


def only(content: bytes) -> Item:
    (item,) = items(content)[0]
    return item


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"fn a() {}", ("fn", "a")),
        (b"pub(crate) async unsafe fn a() {}", ("fn", "a")),
        (b'pub unsafe extern "C" fn a() {}', ("fn", "a")),
        (b"pub const fn a() -> [u8; 3] { [1; 3] }", ("fn", "a")),
        (b"const unsafe fn a() {}", ("fn", "a")),
        (b"pub const A: [u8; 2] = { [1, 2] };", ("const", "A")),
        (b"static A: S = S { a: 1 };", ("static", "A")),
        (b"use a::{b, c};", ("use", "a")),
        (b"type A = B;", ("type", "A")),
        (b"extern crate a;", ("extern", "crate")),
        (b"struct A(u8);", ("struct", "A")),
        (b"struct A { a: u8 }", ("struct", "A")),
        (b"mod a;", ("mod", "a")),
        (b"mod r#type { fn b() {} }", ("mod", "type")),
        (b"impl A for B { fn c() {} }", ("impl", "A")),
        (b"macro_rules! a { () => { } }", ("macro_rules", "a")),
        (b"a!{ b }", ("a", "b")),
    ],
)
def test_item_has_a_keyword_and_a_name(text: bytes, expected: tuple[str, str]) -> None:
    assert found(text + b"\nfn after() {}") == [expected, ("fn", "after")]


@pytest.mark.parametrize(
    "text",
    [
        b"// } fn x() {\nfn a() {}",
        b"/* } /* } */ fn x() {} */ fn a() {}",
        b'fn a() { "}" ; }',
        b'fn a() { "\\"}" ; }',
        b'fn a() { r#"}"# ; }',
        b'fn a() { br##"}"#"## ; }',
        b"fn a() { '}' ; }",
        b"fn a() { '\\'' ; '\"' ; }",
        b"fn a() { b'{' ; }",
        b"fn a() { '\\u{7d}' ; }",
        "fn a() { 'é' ; }".encode(),
        b"fn a<'x>(b: &'x u8) -> &'x u8 { b }",
        b"fn a() { 'outer: loop { break 'outer; } }",
    ],
)
def test_brackets_in_comments_and_literals_do_not_count(text: bytes) -> None:
    assert found(text + b" fn after() {}") == [("fn", "a"), ("fn", "after")]


def test_item_begins_with_its_attributes_and_comments() -> None:
    content = b"use a;\n/// What it does.\n#[test]\n#[cfg( all( test ) )]\nfn b() {}\n"
    item = items(content)[0][1]
    assert content[item.start :].startswith(b"/// What")
    assert item.attributes == ("test", "cfg(all(test))")


def test_inner_attributes_are_told_apart() -> None:
    content = b"//! The crate.\n#![cfg(test)]\n#![deny(warnings)]\nfn a() {}\n"
    assert items(content)[1] == ("cfg(test)", "deny(warnings)")
    assert items(content)[0][0].start == content.index(b"fn")


def test_content_of_a_module_is_between_its_braces() -> None:
    content = b"mod a { fn b() {} }"
    item = only(content)
    assert content[item.opened : item.closed] == b" fn b() {} "


@pytest.mark.parametrize(
    "text", [b"fn a() {", b"}", b"mod a { fn b( }", b'"open', b"/* open", b"#[", b"#![x", b"'", b""]
)
def test_file_that_is_no_rust_does_not_stop_anybody(text: bytes) -> None:
    items(text)


@pytest.mark.parametrize(
    "piece",
    [b"/*", b'"', b'"\\', b"'\\", b"'", b'r#"', b"r#", b"#[", b"{", b"}", b"(", b"fn a", b"///\n", b"b", b"/*/"],
)
def test_hostile_file_is_read_in_bounded_time(piece: bytes) -> None:
    began = time.monotonic()
    items(piece * 20_000)
    assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("test", "no"),
        ("all(test,unix)", "no"),
        ("any(test)", "no"),
        ("any(test,unix)", "unknown"),
        ("not(test)", "yes"),
        ("not(not(test))", "no"),
        ("all(not(test),unix)", "unknown"),
        ('all(feature="test",test)', "no"),
        ('feature="test"', "unknown"),
        ("all()", "yes"),
        ("any()", "no"),
        ("all(", "unknown"),
        ("", "unknown"),
        ("other(test)", "unknown"),
        ("not(" * 500 + "test" + ")" * 500, "unknown"),
    ],
)
def test_condition_when_there_is_no_test_build(text: str, expected: Truth) -> None:
    assert cfg(text, {"test": "no"}) == expected


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        (b"#[test]", True),
        (b"#[tokio::test]", True),
        (b'#[tokio::test(flavor = "x")]', True),
        (b"#[test_case(1)]", False),
        (b"#[cfg(test)]", False),
        (b"#[doc = test]", False),
        (b"#[my::tester]", False),
    ],
)
def test_function_is_a_test_by_its_attribute(attribute: bytes, expected: bool) -> None:
    assert is_test(only(attribute + b" fn a() {}")) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"#[cfg(test)] mod a {}", True),
        (b'#[cfg(all(test, feature = "x"))] use a;', True),
        (b"#[cfg(any(test))] fn a() {}", True),
        (b"#[test] fn a() {}", True),
        (b"#[cfg(any(test, unix))] fn a() {}", False),
        (b"#[cfg(not(test))] fn a() {}", False),
        (b"#[cfg_attr(test, derive(Debug))] struct A;", False),
        (b"fn a() {}", False),
    ],
)
def test_item_is_test_only(text: bytes, expected: bool) -> None:
    assert is_test_only(only(text)) is expected
