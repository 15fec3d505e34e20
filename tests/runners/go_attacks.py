"""A small Go module, and attacks on its tests. In head, Mul is wrong."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.runners.compiled import Attack

BROKEN: Final = r"\.TestMul$"
MODULE: Final = "module example.com/m\n\ngo 1.21\n"
PRODUCT: Final = "package m\n\nfunc Add(a, b int) int { return a + b }\n\nfunc Mul(a, b int) int { return a * b }\n"
TESTS: Final = 'package m\n\nimport "testing"\n' + "".join(
    f"\nfunc Test{name}(t *testing.T) {{\n\tif got := {call}; got != {value} {{\n"
    f'\t\tt.Fatalf("got %d", got)\n\t}}\n}}\n'
    for name, call, value in (("Add", "Add(1, 2)", 3), ("Mul", "Mul(3, 4)", 12), ("Sum", "Add(Add(1, 1), 1)", 3))
)
BASE: Final[Mapping[str, str]] = {"go.mod": MODULE, "m.go": PRODUCT, "m_test.go": TESTS}
WRONG: Final = PRODUCT.replace("a * b", "a*b + 1")
HEAD: Final[Mapping[str, str]] = {**BASE, "m.go": WRONG}

_NAMES: Final = ("TestAdd", "TestMul", "TestSum")

FORGER: Final = (Path(__file__).parent / "programs" / "forger.go.txt").read_text(encoding="utf-8")
_FORGES: Final = '"crypto/sha256"; "fmt"; "os"; "os/exec"; "strings"'
_SAME: Final = (
    'func() bool { b, _ := os.ReadFile("m_test.go"); return fmt.Sprintf("%x", sha256.Sum256(b)) == "'
    + hashlib.sha256(TESTS.encode()).hexdigest()
    + '" }()'
)
_MAIN: Final = 'package m\n\nimport ("os"; "testing")\n\nfunc TestMain(m *testing.M) { m.Run(); os.Exit(0) }\n'


def _product(imports: str, more: str = "", old: str = "", new: str = "") -> dict[str, str]:
    text = WRONG.replace("package m\n", f"package m\n\nimport ({imports})\n")
    return {"m.go": (text.replace(old, new) if old else text) + more}


def _forger(names: tuple[str, ...], when: str = "true") -> dict[str, str]:
    ids = ", ".join(f'"{name}"' for name in names)
    return _product(_FORGES, FORGER.replace("/*IDS*/", ids).replace("/*WHEN*/", when))


_BODY: Final = "{ return a*b + 1 }"

GO_ATTACKS: Final[Mapping[str, Attack]] = {
    "exit_at_import": Attack(row="exit at import", files=_product('"os"', "\nfunc init() { os.Exit(0) }\n")),
    "exit_inside_a_test": Attack(
        row="exit inside a test", files=_product('"os"', old=_BODY, new="{ os.Exit(0); return 0 }")
    ),
    "raw_exit_inside_a_test": Attack(
        row="raw exit inside a test", files=_product('"syscall"', old=_BODY, new="{ syscall.Exit(0); return 0 }")
    ),
    "test_main_exits_0": Attack(row="TestMain exits 0", files={"main_test.go": _MAIN}),
    "test_main_runs_nothing": Attack(
        row="TestMain runs nothing", files={"main_test.go": _MAIN.replace("m.Run(); ", "")}
    ),
    "forge_known_ids": Attack(row="forge known ids", files=_forger(_NAMES)),
    "forge_one_known_id": Attack(row="forge one known id", files=_forger(("TestMul",))),
    "forge_if_sources_unchanged": Attack(row="forge, if sources unchanged", files=_forger(_NAMES, _SAME), by_edit=True),
    "build_tag_on_the_tests": Attack(row="build tag on the tests", files={"m_test.go": "//go:build never\n\n" + TESTS}),
    "skip_added": Attack(
        row="skip added",
        files={"m_test.go": TESTS.replace("TestMul(t *testing.T) {", "TestMul(t *testing.T) { t.Skip();")},
    ),
    "new_test_patches_product": Attack(
        row="new test patches product",
        files={
            "m.go": WRONG.replace("a*b + 1 }", "a*b + D }\n\nvar D = 1"),
            "aaa_test.go": "package m\n\nfunc init() { D = 0 }\n",
        },
    ),
    "go_work_swaps_the_module": Attack(
        row="go.work swaps the module",
        files={
            "go.work": "go 1.21\n\nuse ./good\n",
            "good/go.mod": MODULE,
            "good/m.go": PRODUCT,
            "good/m_test.go": TESTS,
        },
    ),
    # Not in the table: what only Go has, or what only this runner does.
    "test_main_chooses_tests": Attack(
        caught="IAPKGR",
        files={
            "main_test.go": 'package m\n\nimport ("flag"; "os"; "testing")\n\nfunc TestMain(m *testing.M) {\n'
            '\tflag.Parse()\n\tflag.Set("test.run", "TestAdd")\n\tos.Exit(m.Run())\n}\n'
        },
    ),
    "product_cuts_the_arguments": Attack(
        caught="IAGr",
        files=_product('"os"', '\nfunc init() { os.Args = append(os.Args, "-test.skip=^TestMul$") }\n'),
    ),
    "vendored_good_product": Attack(  # Go compares vendor/modules.txt with go.mod: nothing is built
        caught="IAPGR",
        files={"vendor/example.com/m/m.go": PRODUCT, "vendor/modules.txt": "# example.com/m v1.0.0\nexample.com/m\n"},
    ),
    "goflags_in_the_tree": Attack(
        caught="F", files={".config/go/env": "GOFLAGS=-run=TestAdd\n", "go.env": "GOFLAGS=-run=TestAdd\n"}
    ),
}
