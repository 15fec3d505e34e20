"""Attack: added files that win over sealed ones, or run before the tests do.
Answer: each is known by name and reported with its reason; run (a) of the clean room goes without them.
"""

import pytest

from testdata.receipts.generate_changes import PROFILE, TEST, WORK, Case
from tests.threats.conftest import Desk

GO, CARGO, PACKAGE = "module example.org/greet\n", '[package]\nname = "greet"\n', '{"name": "greet"}\n'
BASE = {
    "Makefile": "test:\n\tpytest tests\n",
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-q"\n',
    "go.mod": GO,
    "Cargo.toml": CARGO,
    "package.json": PACKAGE,
}
SEALED = ("Makefile", "tests/test_greet.py")
ADDED = {
    "GNUmakefile": "wins over makefile and Makefile",
    "makefile": "wins over Makefile",
    "pytest.ini": "wins over pyproject.toml",
    ".pytest.ini": "wins over pyproject.toml",
    "pytest.toml": "before every other configuration",
    ".pytest.toml": "before every other configuration",
    "tox.ini": "may hold pytest's configuration",
    ".coveragerc": "what coverage counts",
    "evil.dist-info/entry_points.txt": "entry points load plug-ins",
    "conftest.py": "hooks can drop tests",
    "tests/conftest.py": "hooks can drop tests",
    "tests/pytest.ini": "wins over pyproject.toml",
    "src/sitecustomize.py": "at every start",
    "unittest/__init__.py": "instead of the real unittest",
    "tests/random.py": "instead of the real random",
    ".cargo/config": "stand in for every test binary",
    ".cargo/config.toml": "stand in for every test binary",
    "build.rs": "before the tests are compiled",
    "go.work": "swaps the module",
    "vendor/modules.txt": "stands in for the modules",
    "tools/go.mod": "a replace line",
    "jest.config.js": "chooses tests",
    "vitest.config.ts": "chooses tests",
    "babel.config.js": "rewrites tests",
    ".babelrc": "rewrites tests",
    ".npmrc": "node-options",
    "tests/node_modules/greet/index.js": "the nearest one first",
    "src/package.json": "decide what runs",
    ".gitattributes": "changes bytes on checkout",
}


def case(work: dict[str, str | None], **members: object) -> Case:
    return Case(why="", base=dict(BASE), work={**WORK, **work}, sealed=SEALED, **members)  # type: ignore[arg-type]


def test_threat_08_each_is_named_with_its_reason(desk: Desk) -> None:
    names = [name for name in ADDED if name != "makefile"]  # it and Makefile are one name on some systems
    seen = desk.verify_change(case({name: f"{name}\n" for name in names}))
    said = seen.said_of("change-scope.harness_added")
    assert (seen.code, seen.violations) == (12, {"change.scope"})
    assert {name: ADDED[name] in said.get(name, "") for name in names} == dict.fromkeys(names, True)


def test_threat_08_a_makefile_in_small_letters(desk: Desk) -> None:
    seen = desk.verify_change(case({"makefile": "test:\n\ttrue\n"}))
    assert (seen.code, ADDED["makefile"] in seen.said_of("change-scope.harness_added")["makefile"]) == (12, True)


@pytest.mark.parametrize("place", [".cargo", "evil.dist-info", "tests/node_modules", "vendor", "conftest.py"])
def test_threat_08_a_link_in_its_place(desk: Desk, place: str) -> None:
    target = "../src/evil" if "/" in place else "src/evil"
    seen = desk.verify_change(case({"src/evil/config.toml": "x = 1\n"}, links={place: target}))
    assert (seen.code, place in seen.said_of("change-scope.harness_added")) == (12, True)


CHANGED = {
    "Cargo.toml": (CARGO + "autotests = false\n", "package.autotests"),
    "go.mod": (GO + "replace a => ./b\n", "replace"),
    "package.json": ('{"name": "greet", "imports": {"#a": "./b.js"}}\n', "imports"),
    "pyproject.toml": ("[tool.pytest.ini_options]\naddopts = '-k x'\n", "tool.pytest"),
}


def test_threat_08_what_is_product_and_harness_is_compared_by_key(desk: Desk) -> None:
    seen = desk.verify_change(case({name: text for name, (text, _) in CHANGED.items()}))
    said = seen.said_of("change-scope.harness_changed")
    assert {name: key in said.get(name, "") for name, (_, key) in CHANGED.items()} == dict.fromkeys(CHANGED, True)


def test_threat_08_a_harness_file_that_goes_uncovers_another(desk: Desk) -> None:
    """Without pytest.ini, what pyproject.toml says counts."""
    base: dict[str, str | None] = {**BASE, "pytest.ini": "[pytest]\n"}
    seen = desk.verify_change(Case(why="", base=base, work={**WORK, "pytest.ini": None}, sealed=SEALED))
    assert (seen.code, "pytest.ini" in seen.said_of("change-scope.harness_changed")) == (12, True)


def test_threat_08_what_the_profile_names(desk: Desk) -> None:
    base: dict[str, str | None] = {**BASE, "tools/check.sh": "pytest\n"}
    profile = PROFILE + 'protected = ["tools/*.sh"]\n'
    work: dict[str, str | None] = {**WORK, "tools/other.sh": "true\n"}
    seen = desk.verify_change(Case(why="", base=base, work=work, sealed=(*SEALED, "tools/check.sh"), profile=profile))
    assert seen.said_of("change-scope.harness_added") == {
        "tools/other.sh": "tools/other.sh is added: the profile names it"
    }


def test_threat_08_honest_neighbours_are_admitted(desk: Desk) -> None:
    """Files that look alike, and harness that stood at base and stands at head."""
    work: dict[str, str | None] = {
        "pyproject.toml": BASE["pyproject.toml"] + '\n[project]\ndependencies = ["a"]\n',
        "go.mod": GO + "require a v1.0.0\n",
        "go.sum": "a v1.0.0 h1:x\n",
        "Cargo.lock": "version = 3\n",
        "docs/pytest.md": "how\n",
        "src/json.py": "x = 1\n",
        "src/testing.py": "x = 1\n",
        "tests/test_more.py": TEST,
    }
    seen = desk.verify_change(case(work))
    assert (seen.code, seen.violations) == (0, set())
