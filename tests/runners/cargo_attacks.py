"""A small Rust crate, and attacks on its tests. In head, mul is wrong."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.runners.compiled import Attack

BROKEN: Final = r"mul$"
# Without debug information, which costs a third of the time.
MANIFEST: Final = '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n\n[profile.dev]\ndebug = false\n'
LOCK: Final = 'version = 3\n\n[[package]]\nname = "m"\nversion = "0.1.0"\n'
PRODUCT: Final = (
    "pub fn add(a: i64, b: i64) -> i64 {\n    a + b\n}\n\npub fn mul(a: i64, b: i64) -> i64 {\n    a * b\n}\n"
)
UNIT: Final = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_add() {
        assert_eq!(add(1, 2), 3);
    }

    #[test]
    fn unit_mul() {
        assert_eq!(mul(2, 2), 4);
    }
}
"""
TESTS: Final = """#[test]
fn it_add() {
    assert_eq!(m::add(1, 2), 3);
}

#[test]
fn mul() {
    assert_eq!(m::mul(3, 4), 12);
}
"""
BASE: Final[Mapping[str, str]] = {
    "Cargo.toml": MANIFEST,
    "Cargo.lock": LOCK,
    "src/lib.rs": PRODUCT + UNIT,
    "tests/it.rs": TESTS,
}
WRONG: Final = PRODUCT.replace("a * b", "a * b + 1")
HEAD: Final[Mapping[str, str]] = {**BASE, "src/lib.rs": WRONG + UNIT}

FORGER: Final = (Path(__file__).parent / "programs" / "forger.rs").read_text(encoding="utf-8")
_IDS: Final = ("it_add", "mul", "tests::unit_add", "tests::unit_mul")
# Wrong for the integration test only, so that its unit tests do not show it.
_HALF: Final = PRODUCT.replace("a * b", "if a == 2 { 4 } else { a * b + 1 }") + UNIT


def _early(body: str) -> str:
    """Code that runs before main, without a word of the tests."""
    return (
        '#[used]\n#[link_section = ".init_array"]\nstatic EARLY: extern "C" fn() = early;\n'
        f'extern "C" fn early() {{ {body} }}\n'
    )


def _forger(ids: tuple[str, ...], when: str = "true") -> str:
    names = ", ".join(f'"{id}"' for id in ids)
    return FORGER.replace("/*IDS*/", names).replace("/*WHEN*/", when)


_LENGTH: Final = f'std::fs::read_to_string("tests/it.rs").map_or(false, |s| s.len() == {len(TESTS)})'
_SCRIPT: Final = (
    'fn main() { let s = std::fs::read_to_string("tests/it.rs").unwrap(); '
    'let _ = std::fs::write("tests/it.rs", s.replace("4), 12)", "4), m::mul(3, 4))")); }\n'
)
_SHADOW: Final = "macro_rules! assert_eq { ($($t:tt)*) => {{ let _ = ($($t)*); }}; }\n"
_SUBSTITUTE: Final = '\n#[allow(dead_code)]\nfn main() { println!("test result: ok. 15 passed"); }\n'


def _ignored(text: str, name: str) -> str:
    return re.sub(rf"fn {name}\b", f"#[ignore]\nfn {name}", text)


CARGO_ATTACKS: Final[Mapping[str, Attack]] = {
    "exit_at_import": Attack(
        row="exit at import", files={"src/lib.rs": _early("std::process::exit(0)") + WRONG + UNIT}
    ),
    "exit_inside_a_test": Attack(
        row="exit inside a test",
        files={"src/lib.rs": PRODUCT.replace("a * b", "if a == 3 { std::process::exit(0) } a * b") + UNIT},
        maybe="PG",
    ),
    "forge_known_ids": Attack(row="forge known ids", files={"src/lib.rs": _forger(_IDS) + WRONG + UNIT}),
    "forge_one_known_id": Attack(
        row="forge one known id", files={"src/lib.rs": _forger(("mul", "tests::unit_mul")) + WRONG + UNIT}
    ),
    "forge_if_sources_unchanged": Attack(
        row="forge, if sources unchanged",
        files={"src/lib.rs": _forger(_IDS, _LENGTH) + WRONG + UNIT},
    ),
    "harness_false": Attack(
        row="harness = false",
        files={
            "src/lib.rs": _HALF,
            "Cargo.toml": MANIFEST + '\n[[test]]\nname = "it"\nharness = false\n',
            "tests/it.rs": TESTS + _SUBSTITUTE,
        },
    ),
    "autotests_false": Attack(
        row="autotests = false",
        files={"src/lib.rs": _HALF, "Cargo.toml": MANIFEST.replace("edition", "autotests = false\nedition")},
    ),
    "build_script_rewrites_the_tests": Attack(
        row="build.rs rewrites the tests", files={"src/lib.rs": _HALF, "build.rs": _SCRIPT}
    ),
    "cargo_configuration_runs_true": Attack(
        row=".cargo runner = true",
        files={"src/lib.rs": _HALF, ".cargo/config.toml": "[target.'cfg(unix)']\nrunner = \"true\"\n"},
    ),
    "assert_eq_shadowed": Attack(
        row="assert_eq! shadowed",
        files={"src/lib.rs": _SHADOW + PRODUCT.replace("a * b", "if a == 2 { 5 } else { a * b }") + UNIT},
    ),
    "ignore_added": Attack(
        row="#[ignore] added",
        files={"src/lib.rs": WRONG + _ignored(UNIT, "unit_mul"), "tests/it.rs": _ignored(TESTS, "mul")},
    ),
    "cfg_on_the_tests": Attack(
        row="cfg on the tests",
        files={"src/lib.rs": _HALF, "tests/it.rs": '#![cfg(feature = "never")]\n' + TESTS},
    ),
    # Not in the table: what only Rust has, or what only this runner does.
    "unit_test_weakened": Attack(
        caught="R",
        files={"src/lib.rs": WRONG + UNIT.replace("2), 4", "2), 5"), "tests/it.rs": TESTS.replace("12", "13")},
    ),
    "product_for_tests_only": Attack(
        caught="r",
        files={
            "src/lib.rs": WRONG.replace("pub fn mul", "#[cfg(not(test))]\npub fn mul")
            + "#[cfg(test)]\npub fn mul(a: i64, b: i64) -> i64 { a * b }\n"
            + UNIT,
            "tests/it.rs": TESTS.replace("12", "13"),
        },
    ),
    "tests_moved_behind_a_path": Attack(
        caught="IR",
        files={
            "src/lib.rs": _HALF,
            "tests/it.rs": '#[path = "other.rs"]\nmod other;\n',
            "tests/other/mod.rs": "",
            "tests/other.rs": "",
        },
    ),
    "bootstrap_at_build": Attack(
        caught="IAPGr",
        files={
            "src/lib.rs": "#![feature(custom_test_frameworks)]\n#![test_runner(none)]\n"
            + "pub fn none(_: &[&dyn Fn()]) {}\n"
            + WRONG
            + UNIT
        },
    ),
}
