"""What is read from Go and Rust files, which a change may have written to be misread."""

from typing import Final

from in_toto_done_receipt.observe.runners.go_files import read_go
from in_toto_done_receipt.observe.runners.rust_inline import put_back_inline
from in_toto_done_receipt.observe.runners.rust_items import items
from tests.runners.cargo_attacks import FORGER, PRODUCT, UNIT
from tests.runners.go_attacks import TESTS

GO: Final = (
    b"//go:build linux && !(a || b)\n\n"
    + TESTS.encode()
    + b"\nvar q = `\"` + \"\\\"`\" // '\n/* ' */ const c = '\\''\n",
)
GO_WORDS: Final = (
    *("//go:build ", "package m", "func TestA(t *testing.T) {", "func FuzzA(f *testing.F) {", "\n", "(", "!"),
    *("`", '"', "'", "\\", "/*", "*/", "//", "{", "}", "é"),
)
RUST: Final = (
    (PRODUCT + UNIT).encode(),
    (PRODUCT + UNIT).encode() + b"\0" + (PRODUCT + UNIT.replace("4", "5")).encode(),
    b"mod a {\n" + UNIT.encode() + b"}\0mod a { fn b<'x>() -> &'x str { r#\"}\"# } }",
    FORGER.encode(),
)
RUST_WORDS: Final = (
    *(
        "#[test]",
        "#[cfg(test)]",
        "#![cfg(all(test, not(x)))]",
        "mod a {",
        "fn b() {",
        "use c::{d};",
        "const E: u8 =",
    ),
    *(
        "/*",
        "*/",
        "//",
        "///",
        '"',
        "'",
        'r#"',
        '"#',
        "\\",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        "\0",
        "\n",
    ),
)


def go(data: bytes) -> None:
    """A test file of Go: a test can be made to fail after a brace, and an import stands after the package clause."""
    file = read_go(data)
    if file is not None:
        assert data[: file.clause_end].endswith(file.package.encode()) or b"\xef\xbf\xbd" in file.package.encode()
        assert all(data[test.position - 1 : test.position] == b"{" for test in file.tests)


def rust(data: bytes) -> None:
    """Two Rust files: items follow each other, what is put back into itself changes nothing, and twice is once."""
    base, _, head = data.partition(b"\0")
    at = 0
    for item in items(base)[0]:
        assert at <= item.start <= item.end <= len(base)
        at = item.end
    assert put_back_inline(base, base) in (None, base)
    both = put_back_inline(base, head)
    if both is not None:
        put_back_inline(base, both)
