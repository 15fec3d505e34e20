"""Base's tests put back into head's product files."""

import pytest

from in_toto_done_receipt.observe.runners.rust_inline import put_back_inline

PRODUCT = b"pub fn mul(a: i64) -> i64 { a * 2 }\n"
CHANGED = b"pub fn mul(a: i64) -> i64 { a * 3 }\n"
TESTS = b"#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() { assert_eq!(super::mul(1), 2); }\n}\n"
WEAK = TESTS.replace(b"2)", b"3)")


def test_file_without_tests_is_left_alone() -> None:
    assert put_back_inline(PRODUCT, CHANGED) is None


def test_weakened_module_is_base_s() -> None:
    assert put_back_inline(PRODUCT + TESTS, CHANGED + WEAK) == CHANGED + TESTS


def test_unchanged_module_changes_nothing() -> None:
    assert put_back_inline(PRODUCT + TESTS, CHANGED + TESTS) == CHANGED + TESTS


def test_removed_module_comes_back() -> None:
    result = put_back_inline(PRODUCT + TESTS, CHANGED)
    assert result is not None
    assert result.startswith(CHANGED)
    assert TESTS.strip() in result


def test_module_of_head_only_goes() -> None:
    result = put_back_inline(PRODUCT + TESTS, CHANGED + TESTS + b"#[cfg(test)]\nmod more { fn patch() {} }\n")
    assert result is not None
    assert result.strip() == (CHANGED + TESTS).strip()


def test_module_of_head_only_goes_where_base_had_no_tests() -> None:
    assert put_back_inline(PRODUCT, CHANGED + TESTS) == CHANGED + b"\n"


def test_module_that_hides_behind_another_condition_is_known() -> None:
    hidden = WEAK.replace(b"cfg(test)", b"cfg(all(any(test), not(not(test))))")
    assert put_back_inline(PRODUCT + TESTS, CHANGED + hidden) == CHANGED + TESTS


def test_module_keeps_its_place_between_the_product() -> None:
    after = b"pub fn last() {}\n"
    assert put_back_inline(TESTS + PRODUCT, WEAK + CHANGED + after) == TESTS + CHANGED + after


@pytest.mark.parametrize(
    "item", [b"#[test]\nfn one() {}\n", b"#[cfg(test)]\nuse a::b;\n", b"#[cfg(test)]\nfn c() {}\n"]
)
def test_single_items_come_back_too(item: bytes) -> None:
    result = put_back_inline(PRODUCT + item, CHANGED)
    assert result is not None
    assert item.strip() in result


def test_macro_comes_back_before_what_may_use_it() -> None:
    macro = b"#[cfg(test)]\nmacro_rules! check { () => {} }\n"
    result = put_back_inline(macro + PRODUCT, b"//! The crate.\n" + CHANGED)
    assert result is not None
    assert result.index(b"macro_rules") < result.index(b"pub fn")
    assert result.startswith(b"//! The crate.")


def test_tests_inside_of_a_module_are_put_back_there() -> None:
    base = b"mod inner {\n" + PRODUCT + TESTS + b"}\n"
    head = b"mod inner {\n" + CHANGED + WEAK + b"}\n"
    assert put_back_inline(base, head) == b"mod inner {\n" + CHANGED + TESTS + b"}\n"


def test_modules_of_the_same_name_in_different_places_are_not_mixed_up() -> None:
    base = PRODUCT + TESTS + b"mod inner {\n" + TESTS.replace(b"super::", b"super::super::") + b"}\n"
    head = base.replace(b"* 2", b"* 3").replace(b"), 2)", b"), 3)")
    assert put_back_inline(base, head) == base.replace(b"* 2", b"* 3")


def test_imports_of_tests_are_compared_as_a_whole() -> None:
    both = b"#[cfg(test)]\nuse a::b;\n#[cfg(test)]\nuse a::c;\n"
    assert put_back_inline(both + PRODUCT, both + CHANGED) == both + CHANGED


def test_file_that_is_all_tests_is_base_s() -> None:
    base = b"#![cfg(test)]\nfn helper() { assert!(true) }\n"
    assert put_back_inline(base, b"fn helper() {}\n") == base


def test_product_that_exists_without_tests_only_stays() -> None:
    head = b"#[cfg(not(test))]\npub fn mul() {}\n#[cfg(test)]\npub fn mul() { good() }\n"
    assert put_back_inline(PRODUCT, head) == b"#[cfg(not(test))]\npub fn mul() {}\n\n"


def test_text_that_looks_like_a_module_is_none() -> None:
    fake = b'const A: &str = "#[cfg(test)] mod tests {";\n/* ' + WEAK + b" */\n"
    assert put_back_inline(PRODUCT + TESTS, CHANGED + fake + WEAK) == CHANGED + fake + TESTS
