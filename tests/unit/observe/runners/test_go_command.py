"""Which `go test` commands are honoured, and which Go an executable belongs to."""

from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.runners.go_command import checked, toolchain

GO = "/opt/go/bin/go"


def test_command_without_packages_is_the_folder_itself() -> None:
    assert checked((GO, "test")).packages == (".",)


def test_command_keeps_packages_and_tags() -> None:
    command = checked((GO, "test", "-tags=a,b", "./...", "./part"))
    assert (command.tags, command.packages) == (("a", "b"), ("./...", "./part"))


def test_command_takes_a_value_from_the_next_word() -> None:
    assert checked((GO, "test", "--tags", "a b", ".")).tags == ("a", "b")


def test_command_passes_flags_of_test_binaries_on() -> None:
    command = checked((GO, "test", "-test.short", "-timeout", "1m30s", "-parallel=4"))
    assert command.test == ("-test.timeout=1m30s", "-test.parallel=4", "-test.short")


def test_command_runs_in_a_folder() -> None:
    assert checked((GO, "test", "-C", "part/of", "./...")).folder == "part/of"


def test_command_says_vendored_or_not() -> None:
    commands = [checked((GO, "test", *flag)) for flag in (("-mod=vendor",), ("-mod=readonly",), ())]
    assert [command.vendored for command in commands] == [True, False, None]


def test_command_accepts_what_is_so_in_any_case() -> None:
    assert checked((GO, "test", "-v", "-json", "-count=1", "-vet=off")) == checked((GO, "test"))


def test_command_drops_the_word_of_another_runner() -> None:
    assert checked((GO, "test", "-json={junit}", "./...")).packages == ("./...",)


@pytest.mark.parametrize(
    "word",
    [
        "-race",
        "-run=TestX",
        "-test.run=TestX",
        "-skip=TestX",
        "-count=2",
        "-cover",
        "-coverprofile=x",
        "-bench=.",
        "-exec=/evil",
        "-toolexec=/evil",
        "-args",
        "-mod=mod",
        "-modfile=x.mod",
        "-overlay=x",
        "-C=../other",
        "-o=x",
        "-ldflags=-extld=/evil",
        "-short=false",
        "---v",
        "-vet=all",
        "-tags=a;b",
        "-timeout=soon",
        "..",
        "./../other",
        "/abs",
        "all",
        "example.com/m",
        "./x_test.go/..",
        "-",
        "",
    ],
)
def test_command_with_another_argument_is_refused_by_its_name(word: str) -> None:
    with pytest.raises(ConfigurationError, match="is not honoured") as caught:
        checked((GO, "test", word))
    assert f"argument {word}" in caught.value.message


def test_command_whose_value_is_missing_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="argument -tags is not honoured"):
        checked((GO, "test", "-tags"))


def test_refusal_of_race_says_why() -> None:
    with pytest.raises(ConfigurationError, match="argument -race is not honoured: it needs cgo"):
        checked((GO, "test", "-race"))


@pytest.mark.parametrize("argv", [(), (GO,), (GO, "vet"), (GO, "-C", "x", "test")])
def test_command_that_is_no_test_is_refused(argv: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError, match="has to begin with"):
        checked(argv)


def distribution(folder: Path, version: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "pkg" / "tool").mkdir(parents=True)
    (folder / "VERSION").write_text(version)
    (folder / "bin" / "go").write_text("#!/bin/false\n")
    return folder / "bin" / "go"


def test_toolchain_is_where_the_executable_lies(tmp_path: Path) -> None:
    chain = toolchain(str(distribution(tmp_path / "go", "go1.26.8\ntime 2026\n")))
    assert (chain.root, chain.version) == (tmp_path / "go", (1, 26))


def test_toolchain_is_found_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(distribution(tmp_path / "go", "go1.21\n"))
    assert toolchain(str(tmp_path / "link")).root == tmp_path / "go"


def test_toolchain_that_is_too_old_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"is Go 1\.19, at least 1\.21 is needed"):
        toolchain(str(distribution(tmp_path / "go", "go1.19.8")))


def test_executable_that_lies_in_no_go_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "go").write_text("#!/bin/sh\n")
    with pytest.raises(ConfigurationError, match="does not lie in bin/ of a Go"):
        toolchain(str(tmp_path / "bin" / "go"))


def test_executable_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not lie in bin/ of a Go"):
        toolchain(str(tmp_path / "bin" / "go"))
