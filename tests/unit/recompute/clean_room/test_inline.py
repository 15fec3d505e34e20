"""Base's tests in files of head's product."""

from typing import Final

from in_toto_done_receipt.recompute.clean_room.inline import with_base_tests
from in_toto_done_receipt.recompute.clean_room.trees import Tree
from tests.unit.observe.runners.trees import Files

MANIFEST: Final = '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n'
ARGV: Final = ("/opt/rust/bin/cargo", "test")
TEST: Final = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() { check(1) }\n}\n"
BASE: Final = {
    "Cargo.toml": MANIFEST,
    "src/lib.rs": "mod a;\n#[cfg(test)]\nmod support;\npub fn f() {}\n" + TEST,
    "src/a.rs": "pub fn g() {}\n",
    "src/support.rs": "pub fn check(a: u8) { assert_eq!(a, 1) }\n",
}


def changed(head: dict[str, str], argv: tuple[str, ...] | None = ARGV) -> dict[str, bytes]:
    """What is written in the place of head's files."""
    tree = with_base_tests(Tree(files={}, literal={}), Files({**BASE, **head}), Files(BASE), argv)
    return {path.decode(): data for path, data in tree.literal.items()}


def test_weakened_test_in_a_product_file_is_base_s() -> None:
    head = str(BASE["src/lib.rs"]).replace("check(1)", "").replace("fn f() {}", "fn f() { new() }")
    expected = str(BASE["src/lib.rs"]).replace("fn f() {}", "fn f() { new() }")
    assert changed({"src/lib.rs": head})["src/lib.rs"] == expected.encode()


def test_helper_that_only_tests_have_is_base_s() -> None:
    weak = {"src/support.rs": "pub fn check(_: u8) {}\n"}
    assert changed(weak)["src/support.rs"] == BASE["src/support.rs"].encode()


def test_helper_is_product_to_whoever_does_not_know_the_command() -> None:
    assert changed({"src/support.rs": "pub fn check(_: u8) {}\n"}, None) == {}


def test_product_stays_heads() -> None:
    assert "src/a.rs" not in changed({"src/a.rs": "pub fn g() { other() }\n"})


def test_tests_of_a_file_that_base_has_not_go() -> None:
    assert changed({"src/new.rs": "pub fn h() {}\n" + TEST})["src/new.rs"] == b"pub fn h() {}\n\n"
