"""Runs of Rust tests in the sandbox: what a real workspace with all kinds of tests comes to."""

from pathlib import Path
from typing import Final

import pytest

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.runners.cargo import CargoRunner
from in_toto_done_receipt.observe.runners.model import TestRun
from in_toto_done_receipt.observe.sandbox.model import CommandLimits
from tests.runners.cargo_attacks import BASE, LOCK, MANIFEST
from tests.runners.lab import Lab, Tree
from tests.runners.toolchains import cargo

KINDS: Final = """
#[cfg(test)]
mod tests {
    use std::io::Write;
    #[test]
    fn red() { println!("captured {}", 1); panic!("{}", "a \\"quoted\\"\\nline { \\"type\\": \\"test\\" }") }
    #[test]
    #[ignore]
    fn off() {}
    #[test]
    #[should_panic(expected = "wanted")]
    fn panics() { panic!("wanted") }
    #[test]
    fn result() -> Result<(), String> { Err("no".into()) }
    #[test]
    fn loud() { std::io::stdout().write_all(b"no end of line").unwrap(); }
    #[test]
    fn script() { assert_eq!(std::env::var("SAID").unwrap(), env!("SAID")); }
    #[test]
    fn harness_is_not_steered() { assert!(std::env::var("RUST_TEST_THREADS").is_err()); }
}
"""
PROGRAM: Final = 'fn main() { println!("{}", m::add(1, 2)); }\n#[cfg(test)]\nmod tests { #[test] fn in_program() {} }\n'
TESTS: Final = """
use std::path::Path;
use std::process::Command;
#[test]
fn starts_the_program() {
    let said = Command::new(env!("CARGO_BIN_EXE_m")).output().unwrap().stdout;
    assert_eq!(said, b"3\\n");
}
#[test]
fn writes_where_cargo_says() { std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("a"), "b").unwrap(); }
#[test]
fn reads_its_own_package() {
    assert!(Path::new("tests/it.rs").exists());
    assert!(Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("Cargo.toml").exists());
}
#[test]
fn cannot_exchange_what_was_built() {
    let own = std::env::current_exe().unwrap();
    assert!(std::fs::write(own.parent().unwrap().join("zz"), "x").is_err());
}
#[test]
fn cannot_write_into_the_tree() { assert!(std::fs::write("tests/new.rs", "x").is_err()); }
"""
SCRIPT: Final = 'fn main() { println!("cargo:rustc-env=SAID=it"); println!("cargo:rustc-env=RUST_TEST_THREADS=0"); }\n'
WORKSPACE: Final[Tree] = {
    "Cargo.toml": MANIFEST + '\n[workspace]\nmembers = ["part"]\n',
    "Cargo.lock": LOCK + '\n[[package]]\nname = "part"\nversion = "0.1.0"\n',
    "build.rs": SCRIPT,
    "src/lib.rs": "pub fn add(a: i64, b: i64) -> i64 { a + b }\n" + KINDS,
    "src/main.rs": PROGRAM,
    "tests/it.rs": TESTS,
    "part/Cargo.toml": '[package]\nname = "part"\nversion = "0.1.0"\nedition = "2015"\n\n[lib]\nproc-macro = true\n',
    "part/src/lib.rs": "#![deny(warnings)]\nextern crate proc_macro;\n"
    + "#[cfg(test)]\nmod tests { #[test] fn of_part() {} }\n",
}


def lab(folder: Path, *words: str, **settings: object) -> Lab:
    return Lab(folder, CargoRunner(), (str(cargo()), "test", *words), **settings)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> TestRun:
    return lab(tmp_path_factory.mktemp("cargo"), "--workspace").run(WORKSPACE)


@pytest.mark.integration
def test_run_agrees_with_itself(run: TestRun) -> None:
    assert (run.faults, run.exit_code) == ((), 101)


@pytest.mark.integration
def test_states_are_those_of_all_crates(run: TestRun) -> None:
    assert run.states == {
        "bin:m::tests::in_program": "passed",
        "lib::tests::red": "failed",
        "lib::tests::off": "skipped",
        "lib::tests::panics": "passed",
        "lib::tests::result": "failed",
        "lib::tests::loud": "passed",
        "lib::tests::script": "passed",
        "lib::tests::harness_is_not_steered": "passed",
        "part/lib::tests::of_part": "passed",
        "test:it::starts_the_program": "passed",
        "test:it::writes_where_cargo_says": "passed",
        "test:it::reads_its_own_package": "passed",
        "test:it::cannot_exchange_what_was_built": "passed",
        "test:it::cannot_write_into_the_tree": "passed",
    }


@pytest.mark.integration
def test_canaries_and_sites_work_in_every_edition_and_kind_of_crate(tmp_path: Path) -> None:
    """Also where warnings are errors, and where the crate is a procedural macro."""
    green = {**WORKSPACE, "src/lib.rs": "#![deny(warnings)]\n" + str(BASE["src/lib.rs"])}
    own = lab(tmp_path, "--workspace")
    good, run = own.planted(green)
    assert good
    planted = {id for id in run.states if "zq" in id}
    assert {id.split("zq")[0] for id in planted} == {"lib::", "bin:m::", "test:it::", "part/lib::"}
    ids = {id for id in run.states.keys() - planted if run.states[id] == "passed"}
    assert {id for site in own.sites(green, ids) for id in site.ids} == ids
    assert own.halves(green, ids, gated=True).works


def test_tests_that_cannot_be_built_are_a_fault(tmp_path: Path) -> None:
    run = lab(tmp_path).run({**BASE, "tests/it.rs": "#[test]\nfn a() { m::gone() }\n"})
    assert run.states == {}
    assert "the tests cannot be built: exit code 101: error[E0425]: cannot find function `gone`" in run.faults[0]
    assert "tests/it.rs:2:13" in run.faults[0]


def test_tree_without_a_lock_file_is_a_fault(tmp_path: Path) -> None:
    run = lab(tmp_path).run({path: text for path, text in BASE.items() if path != "Cargo.lock"})
    assert run.faults == ("there is no Cargo.lock, and nothing may decide anew what the tests run with",)


def test_crate_that_is_not_there_is_a_fault_that_says_what_to_name(tmp_path: Path) -> None:
    manifest = MANIFEST + '\n[dependencies]\ndep = "1"\n'
    entry = '\n[[package]]\nname = "dep"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n'
    lock = LOCK.replace('"0.1.0"\n', '"0.1.0"\ndependencies = ["dep"]\n') + entry
    (fault,) = lab(tmp_path).run({**BASE, "Cargo.toml": manifest, "Cargo.lock": lock}).faults
    assert "the profile names no CARGO_HOME that holds the crates" in fault


@pytest.mark.integration
def test_vendored_crate_is_taken(tmp_path: Path) -> None:
    entry = '\n[[package]]\nname = "dep"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n'
    tree = {
        **BASE,
        "Cargo.toml": MANIFEST + '\n[dependencies]\ndep = "1"\n',
        "Cargo.lock": LOCK.replace('"0.1.0"\n', '"0.1.0"\ndependencies = ["dep"]\n') + entry,
        ".cargo/config.toml": '[source.crates-io]\nreplace-with = "own"\n\n[source.own]\ndirectory = "vendor"\n',
        "vendor/dep/Cargo.toml": '[package]\nname = "dep"\nversion = "1.0.0"\nedition = "2021"\n',
        "vendor/dep/.cargo-checksum.json": '{"files": {}}',
        "vendor/dep/src/lib.rs": "pub const ONE: u8 = 1;\n",
        "tests/it.rs": "#[test]\nfn one() { assert_eq!(dep::ONE, 1) }\n",
    }
    assert lab(tmp_path, "--tests").run(tree).states.get("test:it::one") == "passed"


@pytest.mark.integration
def test_process_that_aborts_is_a_fault(tmp_path: Path) -> None:
    tests = "#[test]\nfn z() { std::process::abort() }\n"
    run = lab(tmp_path).run({**BASE, "tests/it.rs": tests})
    assert "test:it: 1 started and never ended: z" in run.faults


@pytest.mark.integration
def test_run_that_takes_too_long_is_a_fault(tmp_path: Path) -> None:
    tests = "#[test]\nfn a() { loop { std::thread::sleep(std::time::Duration::from_secs(9)) } }\n"
    run = lab(tmp_path, "--tests", limits=CommandLimits(seconds=6.0)).run({**BASE, "tests/it.rs": tests})
    assert "test:it: the whole run of tests took longer than 6 s" in run.faults


@pytest.mark.integration
def test_procedural_macro_that_names_binaries_of_its_own_is_a_fault(tmp_path: Path) -> None:
    line = (
        '{\\"reason\\":\\"compiler-artifact\\",\\"package_id\\":\\"m 0.1.0 (x)\\",\\"manifest_path\\":\\"MANIFEST\\",'
        '\\"target\\":{\\"kind\\":[\\"test\\"],\\"name\\":\\"it\\"},\\"profile\\":{\\"test\\":true},'
        '\\"executable\\":\\"/usr/bin/true\\"}'
    )
    macro = (
        "extern crate proc_macro;\nuse proc_macro::TokenStream;\n"
        "#[proc_macro]\npub fn forge(_: TokenStream) -> TokenStream {\n"
        '    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap();\n'
        f'    println!("{{}}", "{line}".replace("MANIFEST", &format!("{{}}/Cargo.toml", folder)));\n'
        "    TokenStream::new()\n}\n"
    )
    tree = {
        **WORKSPACE,
        "Cargo.toml": MANIFEST + '\n[dependencies]\npart = { path = "part" }\n',
        "Cargo.lock": LOCK.replace('"0.1.0"\n', '"0.1.0"\ndependencies = ["part"]\n')
        + '\n[[package]]\nname = "part"\nversion = "0.1.0"\n',
        "part/src/lib.rs": macro,
        "src/lib.rs": "part::forge!();\n" + str(WORKSPACE["src/lib.rs"]),
    }
    (fault,) = lab(tmp_path).run(tree).faults
    assert "what cargo says of them cannot be used: the executable of it lies at /usr/bin/true" in fault


def test_proxy_of_rustup_is_refused(tmp_path: Path) -> None:
    proxies = tmp_path / ".cargo" / "bin"
    proxies.mkdir(parents=True)
    (proxies / "rustup").write_text("#!/bin/sh\n")
    (proxies / "cargo").symlink_to("rustup")
    with pytest.raises(ConfigurationError, match="lies in no toolchain"):
        Lab(tmp_path, CargoRunner(), (str(proxies / "cargo"), "test")).run(BASE)


@pytest.mark.integration
def test_build_never_writes_into_the_tree(tmp_path: Path) -> None:
    """Not even where the tests may."""
    tests = '#[test]\nfn writes() { std::fs::write("tests/new.rs", "").unwrap(); }\n'
    script = 'fn main() { assert!(std::fs::write("tests/new.rs", "").is_err()); }\n'
    run = lab(tmp_path, "--tests", writable=True).run({**BASE, "tests/it.rs": tests, "build.rs": script})
    assert (run.faults, run.states.get("test:it::writes")) == ((), "passed")
