"""Runs of Go tests in the sandbox: what a real module with all kinds of tests comes to."""

import base64
import hashlib
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.runners.go import GoRunner
from in_toto_done_receipt.observe.runners.model import TestRun
from in_toto_done_receipt.observe.sandbox.model import CommandLimits
from tests.runners.go_attacks import BASE, MODULE, PRODUCT
from tests.runners.lab import Lab, Tree
from tests.runners.toolchains import go, go_cache

pytestmark = pytest.mark.integration

M: Final = "example.com/m"
KINDS: Final = """package m

import (
	"fmt"
	"os"
	"testing"
)

func TestFold(t *testing.T) { t.Run("in", func(t *testing.T) { t.Fail() }) }
func TestSkip(t *testing.T) { t.Skip() }
func TestPanic(t *testing.T) { var none map[string]int; none["a"] = 1 }
func TestLoud(t *testing.T) { fmt.Print("no end of line"); os.Stderr.WriteString("loud") }
func TestPaused(t *testing.T) { t.Parallel() }
func TestLater(t *testing.T) {}
func FuzzSeed(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, a int) {}) }
func ExampleMul() { fmt.Println(Mul(2, 2)); /* Output: 4 */ }
func BenchmarkMul(b *testing.B) {}
func TestMain(m *testing.M) { fmt.Println("TestSetUp of everything"); os.Exit(m.Run()) }
"""
# The first package tries to replace the test binary of the second.
SWAP: Final = """package a

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSwap(t *testing.T) {
	self, _ := os.Executable()
	data, _ := os.ReadFile(self)
	if os.WriteFile(filepath.Join(filepath.Dir(self), "b.test"), data, 0o755) == nil { t.Fatal("swapped") }
}
"""


def plain(package: str, name: str) -> str:
    return f'package {package}\n\nimport "testing"\n\nfunc {name}(t *testing.T) {{}}\n'


def lab(folder: Path, *words: str, **settings: object) -> Lab:
    return Lab(folder, GoRunner(), (str(go()), "test", *(words or ("./...",))), cache=go_cache(), **settings)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> TestRun:
    tree: Tree = {
        **BASE,
        "m_test.go": KINDS,
        "a/a_test.go": SWAP,
        "b/b_test.go": plain("b", "TestB"),
        "deep/b/b_test.go": plain("b", "TestDeep"),
        "deep/b/v2/b_test.go": plain("b_test", "TestNewer"),
    }
    return lab(tmp_path_factory.mktemp("go")).run(tree)


def test_run_agrees_with_itself(run: TestRun) -> None:
    assert (run.faults, run.exit_code) == ((), 1)


def test_states_are_those_of_top_level_tests(run: TestRun) -> None:
    assert {id.removeprefix(f"{M}."): state for id, state in run.states.items() if id.startswith(f"{M}.")} == {
        "TestFold": "failed",
        "TestSkip": "skipped",
        "TestPanic": "failed",
        "TestLoud": "passed",
        "TestPaused": "passed",
        "TestLater": "passed",
        "FuzzSeed": "passed",
        "ExampleMul": "passed",
    }


def test_packages_of_the_same_name_are_told_apart(run: TestRun) -> None:
    ids = {f"{M}/b.TestB", f"{M}/deep/b.TestDeep", f"{M}/deep/b/v2.TestNewer"}
    assert {id for id in run.states if "/b" in id} == ids


def test_tests_cannot_exchange_the_binary_of_others(run: TestRun) -> None:
    assert run.states[f"{M}/a.TestSwap"] == "passed"


def test_plan_is_all_that_was_reported(run: TestRun) -> None:
    assert set(run.planned) == set(run.states)


def test_tests_that_cannot_be_built_are_a_fault(tmp_path: Path) -> None:
    run = lab(tmp_path).run({**BASE, "m_test.go": plain("m", "TestA") + "var _ = Gone\n"})
    assert run.states == {}
    assert "the tests cannot be built: exit code 1: ./m_test.go:6:9: undefined: Gone" in run.faults[0]


def test_tree_without_a_module_is_a_fault(tmp_path: Path) -> None:
    run = lab(tmp_path).run({"m_test.go": plain("m", "TestA")})
    assert "go list: exit code 1: pattern ./...: directory prefix . does not contain main module" in run.faults[0]


def test_module_without_tests_has_none(tmp_path: Path) -> None:
    run = lab(tmp_path).run({"go.mod": MODULE, "m.go": "package m\n"})
    assert (run.planned, run.states, run.faults, run.exit_code) == ((), {}, (), 0)


def test_run_that_takes_too_long_is_a_fault(tmp_path: Path) -> None:
    slow = 'package m\n\nimport ("testing"; "time")\n\nfunc TestA(t *testing.T) { time.Sleep(time.Hour) }\n'
    run = lab(tmp_path, limits=CommandLimits(seconds=4.0)).run({**BASE, "m_test.go": slow})
    assert run.exit_code is None
    assert f"{M}: the whole run of tests took longer than 4 s" in run.faults


def test_run_with_a_tag_in_a_folder(tmp_path: Path) -> None:
    tree = {"in/go.mod": MODULE, "in/a_test.go": "//go:build extra\n\n" + plain("m", "TestA")}
    assert lab(tmp_path, "-C=in", "-tags=extra", "-short").run(tree).states == {f"{M}.TestA": "passed"}


USES: Final = {
    "go.mod": MODULE + "\nrequire example.com/dep v1.0.0\n",
    "m_test.go": 'package m\n\nimport (\n\t"testing"\n\n\t"example.com/dep"\n)\n\n'
    "func TestA(t *testing.T) {\n\tif dep.One != 1 {\n\t\tt.Fatal()\n\t}\n}\n",
}
DEPENDENCY: Final = {"dep.go": "package dep\n\nconst One = 1\n", "go.mod": "module example.com/dep\n\ngo 1.21\n"}


def digest(files: Mapping[str, str]) -> str:
    """What go.sum says of files, whose names are in order."""
    lines = "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in files.items())
    return "h1:" + base64.b64encode(hashlib.sha256(lines.encode()).digest()).decode()


WHOLE: Final = digest({f"example.com/dep@v1.0.0/{name}": text for name, text in DEPENDENCY.items()})
SUMMED: Final = {
    **USES,
    "go.sum": f"example.com/dep v1.0.0 {WHOLE}\n"
    f"example.com/dep v1.0.0/go.mod {digest({'go.mod': DEPENDENCY['go.mod']})}\n",
}


def test_module_that_is_not_there_is_a_fault_that_says_what_to_name(tmp_path: Path) -> None:
    (fault,) = lab(tmp_path).run(SUMMED).faults
    assert "the profile names no GOMODCACHE that holds the modules" in fault


def test_vendored_module_is_taken(tmp_path: Path) -> None:
    listing = "# example.com/dep v1.0.0\n## explicit; go 1.21\nexample.com/dep\n"
    vendored = {"vendor/modules.txt": listing, "vendor/example.com/dep/dep.go": DEPENDENCY["dep.go"]}
    assert lab(tmp_path).run({**USES, **vendored}).states == {f"{M}.TestA": "passed"}


def test_module_cache_of_the_profile_is_read(tmp_path: Path) -> None:
    cache = tmp_path / "modules"
    place = cache / "cache" / "download" / "example.com" / "dep" / "@v"
    place.mkdir(parents=True)
    (place / "v1.0.0.info").write_text('{"Version":"v1.0.0"}')
    (place / "v1.0.0.mod").write_text(DEPENDENCY["go.mod"])
    (place / "v1.0.0.ziphash").write_text(WHOLE)
    with zipfile.ZipFile(place / "v1.0.0.zip", "w") as archive:
        for name, text in DEPENDENCY.items():
            archive.writestr(f"example.com/dep@v1.0.0/{name}", text)
            unpacked = cache / "example.com" / "dep@v1.0.0" / name
            unpacked.parent.mkdir(parents=True, exist_ok=True)
            unpacked.write_text(text)
    run = lab(tmp_path, variables={"GOMODCACHE": str(cache)}, read_only=(cache,)).run(SUMMED)
    assert (run.faults, run.states) == ((), {f"{M}.TestA": "passed"})


def test_copy_of_go_in_another_place_works(tmp_path: Path) -> None:
    """A Go outside of /usr is shown to its own build, and to nobody else."""
    root = go().parents[1]
    copy = tmp_path / "sdk"
    copy.mkdir()
    for name in ("VERSION", "src", "pkg", "lib"):
        if (root / name).exists():
            (copy / name).symlink_to(root / name)
    (copy / "bin").mkdir()
    shutil.copy2(root / "bin" / "go", copy / "bin" / "go")
    own = Lab(tmp_path, GoRunner(), (str(copy / "bin" / "go"), "test", "./..."), cache=go_cache())
    assert own.run(BASE).faults == ()


def test_script_in_the_place_of_go_is_refused(tmp_path: Path) -> None:
    go()
    script = tmp_path / "go"
    script.write_text("#!/bin/sh\nexit 0\n")
    script.chmod(0o755)
    with pytest.raises(ConfigurationError, match="does not lie in bin/ of a Go"):
        Lab(tmp_path, GoRunner(), (str(script), "test")).run(BASE)


HONEST: Final[Tree] = {
    "go.mod": MODULE,
    "cmd/tool/main.go": "package main // the tool\n\nfunc main() {}\n\n"
    "func string(b []byte) bool { return b == nil }\n",
    "cmd/tool/main_test.go": 'package main // its tests\n\nimport "testing"\n\n'
    "func TestString(tt *testing.T) { if string([]byte{1}) { tt.Fatal() } }\n",
    "m.go": PRODUCT,
    "m_test.go": """// Package comment.
package m /* more */

import . "fmt"
import "os"
import "testing"

var fake = `
func TestMul(t *testing.T) {
`

/*
func TestSum(t *testing.T) {
*/
func TestMul(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, c int }{{1, 2, 2}, {3, 4, 12}} {
		t.Run(Sprint(c.a), func(t *testing.T) { t.Parallel(); if Mul(c.a, c.b) != c.c { t.Error() } })
	}
}
func TestSum(test *testing.T) { if Add(1, 1) != 2 { test.FailNow() } }
func TestEmpty(t *testing.T) {}
func FuzzAdd(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, a int) { if Add(a, 0) != a { t.Fatal() } }) }
func TestMain(m *testing.M) { Print("set up"); code := m.Run(); Print("torn down"); os.Exit(code) }
""",
    "external_test.go": 'package m_test\n\nimport (\n\t"testing"\n\n\t"example.com/m"\n)\n\n'
    "func TestOutside(t *testing.T) {\n\tif m.Add(1, 1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
    "only_windows_test.go": 'package m\n\nimport "testing"\n\nfunc TestOther(t *testing.T) {}\n',
    "skipped_windows_test.go": 'package m\n\nimport "testing"\n\nfunc TestEmpty(t *testing.T) {}\n',
    "data/read_test.go": 'package data\n\nimport (\n\t"os"\n\t"testing"\n)\n\n'
    "func TestRead(t *testing.T) {\n"
    '\tif b, err := os.ReadFile("testdata/a"); err != nil || len(b) != 1 {\n\t\tt.Fatal(err)\n\t}\n'
    '\tos.WriteFile(t.TempDir()+"/x", nil, 0o600)\n}\n',
    "data/testdata/a": "a",
}


def test_every_form_of_an_honest_module_can_be_made_to_fail(tmp_path: Path) -> None:
    own = lab(tmp_path)
    good, run = own.planted(HONEST)
    assert (run.faults, good) == ((), True)
    ids = {id for id in run.states if "Test_zq" not in id}
    assert {run.states[id] for id in ids} == {"passed"}
    assert {id for site in own.sites(HONEST, ids) for id in site.ids} == ids
    assert own.halves(HONEST, ids, gated=True).works
    assert own.halves(HONEST, ids, gated=False).works
