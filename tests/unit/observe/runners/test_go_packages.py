"""Packages with tests of a Go module, their canaries and sites."""

import pytest

from in_toto_done_receipt.observe.runners.go_command import checked
from in_toto_done_receipt.observe.runners.go_packages import GoPackage, packages, planted, sites
from tests.unit.observe.runners.trees import Files

MODULE = "module example.com/m\n\ngo 1.21\n"
TEST = 'package m\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n}\n'


def found(files: dict[str, str], *words: str) -> tuple[GoPackage, ...]:
    return packages(checked(("/go", "test", *(words or ("./...",)))), Files(files), 26)


def paths(files: dict[str, str], *words: str) -> list[str]:
    return [package.path for package in found(files, *words)]


def test_packages_with_tests_have_their_import_paths() -> None:
    files = {"go.mod": MODULE, "a_test.go": TEST, "part/b_test.go": TEST, "none/c.go": "package none\n"}
    assert paths(files) == ["example.com/m", "example.com/m/part"]


def test_packages_are_those_that_the_command_names() -> None:
    files = {"go.mod": MODULE, "a_test.go": TEST, "part/b_test.go": TEST, "part/in/c_test.go": TEST}
    named = [paths(files, word) for word in (".", "./part", "./part/...")]
    assert named == [["example.com/m"], ["example.com/m/part"], ["example.com/m/part", "example.com/m/part/in"]]


def test_packages_below_the_folder_of_the_command() -> None:
    files = {"go.mod": MODULE, "a_test.go": TEST, "part/b_test.go": TEST}
    assert paths(files, "-C=part", "./...") == ["example.com/m/part"]


def test_module_in_a_folder_begins_its_own_paths() -> None:
    files = {"go.mod": MODULE, "tool/go.mod": "module other\n", "tool/in/a_test.go": TEST}
    assert (paths(files), paths(files, "-C=tool", "./...")) == ([], ["other/in"])


@pytest.mark.parametrize("folder", ["testdata", "_x", ".x", "vendor/v", "part/testdata/in", "skipped", "deep/static"])
def test_folders_that_go_passes_by_have_no_package(folder: str) -> None:
    module = MODULE + "ignore ./skipped\nignore (\n\tstatic // all\n)\n"
    assert paths({"go.mod": module, f"{folder}/a_test.go": TEST}) == []


@pytest.mark.parametrize("module", ['module "example.com/m"\n', "// x\nmodule  example.com/m // y\n", MODULE])
def test_name_of_the_module_is_read(module: str) -> None:
    assert paths({"go.mod": module, "a_test.go": TEST}) == ["example.com/m"]


def test_tree_without_a_module_has_no_package() -> None:
    assert paths({"a_test.go": TEST}) == []


def test_go_mod_without_a_module_line_has_no_package() -> None:
    assert paths({"go.mod": "go 1.21\n", "a_test.go": TEST}) == []


def test_package_that_is_compiled_with_a_tag_only() -> None:
    files = {"go.mod": MODULE, "a_test.go": "//go:build extra\n\n" + TEST}
    assert (paths(files), paths(files, "-tags=extra", ".")) == ([], ["example.com/m"])


def test_canaries_stand_in_an_external_package_of_the_same_name() -> None:
    files = {"go.mod": MODULE, "part/p.go": "package other\n", "part/p_test.go": TEST.replace(" m\n", " other_test\n")}
    text = planted(found(files), "zq1").files["part/zq1_test.go"].decode()
    assert text.startswith("package other_test\n")


def test_name_of_a_package_with_external_tests_only() -> None:
    files = {"go.mod": MODULE, "p_test.go": TEST.replace(" m\n", " m_test\n")}
    assert planted(found(files), "zq1").files["zq1_test.go"].startswith(b"package m_test\n")


def test_file_that_is_not_compiled_does_not_name_the_package() -> None:
    files = {"go.mod": MODULE, "gen.go": "//go:build ignore\n\npackage main\n", "a_test.go": TEST}
    assert [package.name for package in found(files)] == ["m"]


def test_canaries_are_in_every_package() -> None:
    files = {"go.mod": MODULE, "a_test.go": TEST, "part/b_test.go": TEST}
    canaries = planted(found(files), "zq1")
    assert set(canaries.files) == {"zq1_test.go", "part/zq1_test.go"}
    assert canaries.passing == {"example.com/m.Test_zq1_Ok", "example.com/m/part.Test_zq1_Ok"}
    assert "example.com/m/part.Test_zq1_Fatal" in canaries.failing


def test_site_is_before_the_first_statement() -> None:
    files = {"go.mod": MODULE, "a_test.go": TEST}
    (site,) = sites(found(files), ["example.com/m.TestA", "example.com/m.TestGone"])
    assert site.ids == {"example.com/m.TestA"}
    assert TEST[: site.position].endswith("{")
    assert site.fail == b' t.Fatal("canary");'
    assert site.gate is not None
    assert site.gate.count(b"{}") == 1


def test_gate_is_imported_after_the_package_clause() -> None:
    (site,) = sites(found({"go.mod": MODULE, "a_test.go": TEST}), ["example.com/m.TestA"])
    ((position, text),) = site.gate_needs
    assert TEST[:position] == "package m"
    assert text.startswith(b"; import ")


def test_test_that_stands_twice_has_no_site() -> None:
    files = {"go.mod": MODULE, "a_test.go": TEST, "b_test.go": TEST}
    assert sites(found(files), ["example.com/m.TestA"]) == ()


def test_site_of_a_test_with_a_variant_for_another_system() -> None:
    files = {"go.mod": MODULE, "a_linux_test.go": TEST, "a_windows_test.go": TEST}
    (site,) = sites(found(files), ["example.com/m.TestA"])
    assert site.path == "a_linux_test.go"
