"""Which `cargo test` commands are honoured, and which toolchain an executable belongs to."""

from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.runners.cargo_command import checked, toolchain

CARGO = "/opt/rust/bin/cargo"


def test_command_without_arguments_takes_all_kinds() -> None:
    command = checked((CARGO, "test"))
    assert (command.kinds, command.select, command.build) == (frozenset({"lib", "bin", "test"}), ("--tests",), ())


def test_command_keeps_features_and_packages() -> None:
    command = checked((CARGO, "test", "--features", "a b/c", "-pone", "--package=two", "--no-default-features"))
    assert command.build == (
        *("--features", "a b/c", "--package", "one", "--package", "two"),
        "--no-default-features",
    )
    assert command.packages == {"one", "two"}


def test_command_takes_a_workspace_less_some() -> None:
    command = checked((CARGO, "test", "--all", "--exclude", "slow"))
    assert (command.workspace, command.excluded, command.build) == (
        True,
        frozenset({"slow"}),
        ("--workspace", "--exclude", "slow"),
    )


def test_command_takes_some_kinds() -> None:
    command = checked((CARGO, "test", "--lib", "--bins"))
    assert (command.kinds, command.select, command.build) == (frozenset({"lib", "bin"}), ("--lib", "--bins"), ())


def test_command_accepts_what_is_so_in_any_case() -> None:
    words = ("--locked", "--offline", "--frozen", "--no-fail-fast", "-q", "-v", "--verbose")
    assert checked((CARGO, "test", *words)) == checked((CARGO, "t"))


def test_command_runs_with_another_manifest() -> None:
    assert checked((CARGO, "test", "--manifest-path", "part/Cargo.toml")).manifest == "part/Cargo.toml"


def test_command_drops_the_word_of_another_runner() -> None:
    assert checked((CARGO, "test", "--junit={junit}")) == checked((CARGO, "test"))


@pytest.mark.parametrize(
    "word",
    [
        "--",
        "name",
        "+nightly",
        "--doc",
        "--bin=x",
        "--test=x",
        "--example=x",
        "--benches",
        "--all-targets",
        "--no-run",
        "--target=x",
        "--target-dir=x",
        "--config=x",
        "-Zbuild-std",
        "-Z",
        "--message-format=json",
        "--manifest-path=../Cargo.toml",
        "--manifest-path=/abs/Cargo.toml",
        "--manifest-path=other.toml",
        "--release=yes",
        "--features=",
        "--jobs=0",
        "-p",
        "-x",
        "",
    ],
)
def test_command_with_another_argument_is_refused_by_its_name(word: str) -> None:
    with pytest.raises(ConfigurationError, match="is not honoured") as caught:
        checked((CARGO, "test", word))
    assert f"argument {word} is" in caught.value.message


def test_refusal_shows_no_control_character() -> None:
    with pytest.raises(ConfigurationError, match=r"argument \\x1b\[31m is not honoured"):
        checked((CARGO, "test", "\x1b[31m"))


@pytest.mark.parametrize("argv", [(), (CARGO,), (CARGO, "build"), (CARGO, "+nightly", "test")])
def test_command_that_is_no_test_is_refused(argv: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError, match="has to begin with"):
        checked(argv)


def installed(root: Path) -> Path:
    (root / "bin").mkdir(parents=True)
    (root / "lib" / "rustlib").mkdir(parents=True)
    for name in ("cargo", "rustc"):
        (root / "bin" / name).write_text("#!/bin/false\n")
    return root / "bin" / "cargo"


def test_toolchain_is_where_the_executable_lies(tmp_path: Path) -> None:
    assert toolchain(str(installed(tmp_path / "rust"))).root == tmp_path / "rust"


def test_toolchain_is_found_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(installed(tmp_path / "rust"))
    assert toolchain(str(tmp_path / "link")).root == tmp_path / "rust"


def test_proxy_of_rustup_is_refused_and_the_real_one_named(tmp_path: Path) -> None:
    real = installed(tmp_path / ".rustup" / "toolchains" / "stable")
    proxies = tmp_path / ".cargo" / "bin"
    proxies.mkdir(parents=True)
    (proxies / "rustup").write_text("#!/bin/false\n")
    (proxies / "cargo").symlink_to("rustup")
    with pytest.raises(ConfigurationError, match="lies in no toolchain") as caught:
        toolchain(str(proxies / "cargo"))
    assert caught.value.hint is not None
    assert str(real) in caught.value.hint


def test_executable_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="lies in no toolchain"):
        toolchain(str(tmp_path / "bin" / "cargo"))
