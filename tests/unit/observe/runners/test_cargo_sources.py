"""Crates of a tree, their canaries, and where their tests stand."""

import pytest

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.runners.cargo_command import checked
from in_toto_done_receipt.observe.runners.cargo_crates import Crate, crates, prefix_of
from in_toto_done_receipt.observe.runners.cargo_sources import files_of_tests_only, places, planted, sites
from tests.unit.observe.runners.trees import Files

PACKAGE = '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n'
TEST = "#[test]\nfn one() {\n}\n"
INLINE = "pub fn f() {}\n#[cfg(test)]\nmod tests {\n" + TEST + "}\n"


def found(files: dict[str, str], *words: str) -> tuple[Crate, ...]:
    return crates(checked(("/cargo", "test", *words)), Files(files))


def prefixes(files: dict[str, str], *words: str) -> list[str]:
    return [crate.prefix for crate in found(files, *words)]


def ids(files: dict[str, str], *words: str) -> list[str]:
    return sorted(place.id for crate in found(files, *words) for place in places(crate, Files(files)))


def places_of(files: dict[str, str], *wanted: str) -> list[tuple[str, int]]:
    return [(site.path, site.position) for site in sites(found(files), Files(files), wanted)]


def test_crates_are_library_programs_and_tests() -> None:
    files = dict.fromkeys(
        ("src/lib.rs", "src/main.rs", "src/bin/a.rs", "src/bin/b/main.rs", "tests/c.rs", "tests/d/main.rs"), ""
    )
    other = dict.fromkeys(("src/part.rs", "src/bin/b/part.rs", "tests/d/part.rs", "benches/e.rs", "examples/f.rs"), "")
    assert prefixes({"Cargo.toml": PACKAGE, **files, **other}) == [
        "bin:a::",
        "bin:b::",
        "bin:m::",
        "lib::",
        "test:c::",
        "test:d::",
    ]


def test_crates_are_of_the_kinds_that_the_command_names() -> None:
    files = {"Cargo.toml": PACKAGE, "src/lib.rs": "", "src/main.rs": "", "tests/a.rs": ""}
    assert [prefixes(files, word) for word in ("--lib", "--bins", "--tests")] == [
        ["lib::"],
        ["bin:m::"],
        ["bin:m::", "lib::", "test:a::"],
    ]


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("autotests = false\n", []),
        ('autotests = false\n[[test]]\nname = "b"\n', ["test:b::"]),
        ('autotests = false\n[[test]]\nname = "x"\npath = "other/x.rs"\n', ["test:x::"]),
        ('[[test]]\nname = "x"\npath = "tests/a.rs"\n', ["test:b::", "test:x::"]),
        ('[[test]]\nname = "gone"\n', ["test:a::", "test:b::"]),
    ],
)
def test_tests_are_those_that_the_manifest_leaves(extra: str, expected: list[str]) -> None:
    files = {"Cargo.toml": PACKAGE + extra, "tests/a.rs": "", "tests/b.rs": "", "other/x.rs": ""}
    assert prefixes(files) == expected


def test_first_edition_finds_no_tests_beside_declared_ones() -> None:
    manifest = PACKAGE.replace('edition = "2021"\n', "") + '[[test]]\nname = "a"\n'
    assert prefixes({"Cargo.toml": manifest, "tests/a.rs": "", "tests/b.rs": ""}) == ["test:a::"]


def test_library_lies_where_the_manifest_says() -> None:
    files = {"Cargo.toml": PACKAGE + '[lib]\npath = "code/m.rs"\n', "code/m.rs": "", "src/lib.rs": ""}
    assert [crate.root for crate in found(files)] == ["code/m.rs"]


WORKSPACE = {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*", "tool"]\nexclude = ["crates/old"]\n',
    "crates/a/Cargo.toml": PACKAGE.replace('"m"', '"a"'),
    "crates/a/src/lib.rs": "",
    "crates/old/Cargo.toml": PACKAGE.replace('"m"', '"old"'),
    "crates/old/src/lib.rs": "",
    "tool/Cargo.toml": PACKAGE.replace('"m"', '"tool"'),
    "tool/src/main.rs": "",
    "tool/sub/Cargo.toml": PACKAGE.replace('"m"', '"sub"'),
    "tool/sub/src/lib.rs": "",
}


def test_members_of_a_workspace_have_their_names_in_ids() -> None:
    assert prefixes(WORKSPACE) == ["a/lib::", "tool/bin:tool::"]


def test_members_of_a_workspace_can_be_chosen() -> None:
    words = (("-p", "a"), ("--workspace", "--exclude", "a"), ("--manifest-path=tool/Cargo.toml",))
    assert [prefixes(WORKSPACE, *each) for each in words] == [["a/lib::"], ["tool/bin:tool::"], ["bin:tool::"]]


def test_package_with_members_is_alone_unless_asked() -> None:
    files = {**WORKSPACE, "Cargo.toml": PACKAGE + '[workspace]\nmembers = ["tool"]\n', "src/lib.rs": ""}
    assert (prefixes(files), prefixes(files, "--workspace")) == (["lib::"], ["lib::", "tool/bin:tool::"])


def test_default_members_are_taken() -> None:
    files = {**WORKSPACE, "Cargo.toml": WORKSPACE["Cargo.toml"] + 'default-members = ["tool"]\n'}
    assert prefixes(files) == ["tool/bin:tool::"]


def test_prefix_is_the_one_of_the_crate() -> None:
    command = checked(("/cargo", "test"))
    made = [prefix_of("tool", "tool", command, "bin", "tool"), prefix_of("m", "", command, "lib", "m")]
    assert made == ["tool/bin:tool::", "lib::"]


@pytest.mark.parametrize("text", ["[package", "a = " + "[" * 5000, b"\xff"])
def test_manifest_that_is_no_toml_is_named(text: str | bytes) -> None:
    with pytest.raises(ObservationError, match=r"Cargo\.toml is not TOML"):
        crates(checked(("/cargo", "test")), Files({"Cargo.toml": text}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "package = 1",
        '[package]\nname = 1\n[workspace]\nmembers = "x"\n',
        PACKAGE + "test = 1\nlib = 2\nbin = [1]\n",
    ],
)
def test_manifest_of_other_shapes_stops_nobody(text: str) -> None:
    assert prefixes({"Cargo.toml": text}) == []


def test_tests_are_found_along_modules() -> None:
    files = {
        "Cargo.toml": PACKAGE,
        "src/lib.rs": "mod a;\nmod b;\n" + INLINE,
        "src/a.rs": "mod deep;\n" + INLINE,
        "src/a/deep.rs": INLINE,
        "src/b/mod.rs": "#[cfg(test)]\nmod tests;\n",
        "src/b/tests.rs": TEST,
        "src/stray.rs": INLINE,
        "tests/it.rs": TEST,
    }
    assert ids(files) == [
        "lib::a::deep::tests::one",
        "lib::a::tests::one",
        "lib::b::tests::one",
        "lib::tests::one",
        "test:it::one",
    ]


def test_module_for_another_system_is_left_out() -> None:
    files = {"Cargo.toml": PACKAGE, "src/lib.rs": "#[cfg(windows)]\nmod w {\n" + TEST + "}\n#[cfg(unix)]\nmod u;\n"}
    assert ids({**files, "src/u.rs": TEST}) == ["lib::u::one"]


def test_modules_that_declare_each_other_end() -> None:
    files = {"Cargo.toml": PACKAGE, "src/lib.rs": "mod a;", "src/a.rs": '#[path = "lib.rs"]\nmod b;\nmod a;\n'}
    assert ids({**files, "src/a/a.rs": TEST}) == ["lib::a::a::one"]


def test_site_is_after_the_brace() -> None:
    files = {"Cargo.toml": PACKAGE, "tests/it.rs": TEST}
    assert places_of(files, "test:it::one", "test:it::gone") == [("tests/it.rs", TEST.index("{") + 1)]


@pytest.mark.parametrize(
    "text",
    [
        "#[test]\n#[should_panic]\nfn one() {\n}\n",
        '#[test]\n#[cfg_attr(unix, should_panic(expected = "x"))]\nfn one() {\n}\n',
        "#[test]\nfn one() {\n#![allow(unused)]\n}\n",
        "fn one() {\n}\n",
        '// #[test]\nconst A: &str = "#[test] fn one() {";\n',
    ],
)
def test_test_that_cannot_be_made_to_fail_has_no_site(text: str) -> None:
    assert places_of({"Cargo.toml": PACKAGE, "tests/it.rs": text}, "test:it::one") == []


def test_file_that_two_crates_compile_has_no_site() -> None:
    files = {"Cargo.toml": PACKAGE, "src/lib.rs": "mod a;", "src/main.rs": "mod a;", "src/a.rs": TEST}
    assert places_of(files, "lib::a::one") == []


def test_canaries_are_in_every_crate_root() -> None:
    files = {"Cargo.toml": PACKAGE, "src/lib.rs": "pub fn f() {} // end", "tests/it.rs": TEST}
    canaries = planted(found(files), Files(files), "zq1")
    assert canaries.files["src/lib.rs"].startswith(b"pub fn f() {} // end\n#[cfg(test)]\nmod zq1 {\n")
    assert canaries.files["tests/it.rs"].startswith(TEST.encode())
    assert canaries.passing == {
        f"{crate}zq1::zq1_{kind}" for crate in ("lib::", "test:it::") for kind in ("ok", "panics")
    }
    assert {f"{crate}zq1::zq1_assert_eq" for crate in ("lib::", "test:it::")} <= canaries.failing


@pytest.mark.parametrize("extra", ["harness = false\n", "test = false\n", 'required-features = ["x"]\n'])
def test_crate_that_is_not_plain_gets_no_canary(extra: str) -> None:
    manifest = PACKAGE + '[[test]]\nname = "it"\n' + extra
    files = {"Cargo.toml": manifest, "tests/it.rs": TEST}
    assert planted(found(files), Files(files), "zq1").files == {}


def test_crate_that_may_not_be_built_gets_no_canary() -> None:
    files = {"Cargo.toml": PACKAGE, "tests/it.rs": '#![cfg(feature = "x")]\n' + TEST, "tests/u.rs": "#![cfg(unix)]\n"}
    assert set(planted(found(files), Files(files), "zq1").files) == {"tests/u.rs"}


def test_files_of_tests_only_are_known() -> None:
    files = {
        "Cargo.toml": PACKAGE,
        "src/lib.rs": "mod a;\n#[cfg(test)]\nmod helpers;\n",
        "src/a.rs": "#[cfg(test)]\nmod tests {\n    mod deep;\n}\n",
        "src/a/tests/deep.rs": "",
        "src/helpers.rs": "mod more;\n",
        "src/helpers/more.rs": "",
        "tests/it.rs": "",
    }
    assert files_of_tests_only(found(files), Files(files)) == {
        "src/a/tests/deep.rs",
        "src/helpers.rs",
        "src/helpers/more.rs",
    }
