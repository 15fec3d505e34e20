"""Every name that can make tests say something else is known by name, with its reason; honest files are not."""

import pytest

from in_toto_done_receipt.observe.globs import GlobSet, compile_glob
from in_toto_done_receipt.profile.harness import COMMON, HARNESSES, Harness, in_use

ALL = Harness(one.name for one in HARNESSES)

STEERING = {
    # pytest
    "pytest.ini": "wins over pyproject.toml",
    ".pytest.ini": "wins over pyproject.toml",
    "pytest.toml": "before every other",
    ".pytest.toml": "before every other",
    "tests/pytest.ini": "wins over pyproject.toml",
    "pyproject.toml": "may hold pytest's configuration",
    "tests/pyproject.toml": "may hold pytest's configuration",
    "setup.cfg": "may hold pytest's configuration",
    "tox.ini": "may hold pytest's configuration",
    "tox.toml": "which commands a test run is",
    "noxfile.py": "which commands a test run is",
    "conftest.py": "hooks can drop tests",
    "tests/unit/conftest.py": "hooks can drop tests",
    ".coveragerc": "what coverage counts",
    "evil.dist-info/entry_points.txt": "entry points load plug-ins",
    "src/evil.dist-info/entry_points.txt": "entry points load plug-ins",
    "src/evil.egg-info/entry_points.txt": "entry points load plug-ins",
    "sitecustomize.py": "at every start",
    "tests/usercustomize.py": "at every start",
    "src/x.pth": "at every start",
    "tests/__pycache__/test_a.cpython-311.pyc": "compiled code",
    "tests/a.pyc": "compiled code",
    # go
    "go.mod": "a replace line",
    "internal/go.mod": "a replace line",
    "go.sum": "which modules are the real ones",
    "go.work": "swaps the module",
    "go.work.sum": "belongs to go.work",
    "vendor/modules.txt": "stands in for the modules",
    "vendor/example.org/x/x.go": "stands in for the modules",
    "tools/vendor/modules.txt": "stands in for the modules",
    # cargo
    "Cargo.toml": "what a test run is",
    "crates/a/Cargo.toml": "what a test run is",
    "Cargo.lock": "which crates are the real ones",
    ".cargo/config": "stand in for every test binary",
    ".cargo/config.toml": "stand in for every test binary",
    "crates/a/.cargo/config.toml": "stand in for every test binary",
    "build.rs": "before the tests are compiled",
    "rust-toolchain": "another compiler",
    "rust-toolchain.toml": "another compiler",
    ".config/nextest.toml": "chooses tests and retries",
    # node
    "package.json": "decide what runs",
    "src/package.json": "decide what runs",
    ".npmrc": "node-options",
    "tests/node_modules/x/index.js": "the nearest one first",
    "node_modules/x/index.js": "the nearest one first",
    "jest.config.js": "chooses tests",
    "jest.config.ts": "chooses tests",
    "packages/a/jest.config.json": "chooses tests",
    "jest.setup.js": "before every test",
    "vitest.config.mts": "chooses tests",
    "vitest.workspace.ts": "chooses tests",
    "vite.config.js": "vitest reads it",
    "babel.config.json": "rewrites tests",
    ".babelrc": "rewrites tests",
    ".babelrc.js": "rewrites tests",
    ".swcrc": "rewrites tests",
    ".mocharc.yml": "loaded first",
    "src/__mocks__/fs.js": "in the place of real modules",
    "tsconfig.json": "how tests are compiled",
    "tsconfig.test.json": "how tests are compiled",
    ".pnp.cjs": "which package a name means",
    ".yarnrc.yml": "the package manager",
    # maven, gradle, make, GitHub
    "pom.xml": "which tests run",
    "module/pom.xml": "which tests run",
    ".mvn/jvm.config": "of every run",
    "mvnw": "in for the build tool",
    "build.gradle": "which tests run",
    "app/build.gradle.kts": "which tests run",
    "gradle.properties": "options of every run",
    "gradle/wrapper/gradle-wrapper.properties": "in for the build tool",
    "gradlew.bat": "in for the build tool",
    "buildSrc/src/main/java/X.java": "part of the build",
    "GNUmakefile": "wins over makefile",
    "makefile": "wins over Makefile",
    "Makefile": "what a target does",
    "rules/test.mk": "included by makefiles",
    ".github/workflows/ci.yml": "which checks",
    ".github/actions/x/action.yml": "run by workflows",
    ".github/CODEOWNERS": "who has to agree",
    # anywhere
    ".gitattributes": "changes bytes on checkout",
    "src/.gitattributes": "changes bytes on checkout",
    ".envrc": "a shell may run it",
}

TESTS = (
    "tests/test_a.py",
    "src/test_a.py",
    "src/a_test.py",
    "tests/golden.txt",
    "test/data.bin",
    "a_test.go",
    "pkg/a_test.go",
    "pkg/testdata/x",
    "benches/a.rs",
    "crates/a/tests/a.rs",
    "src/a.test.js",
    "src/a.test.tsx",
    "src/a.spec.mts",
    "src/a-test.mjs",
    "src/test-a.cjs",
    "src/__tests__/a.js",
    "src/__snapshots__/a.snap",
    "app/src/test/java/A.java",
    "app/src/integrationTest/java/A.java",
)

HONEST = (
    "src/greet.py",
    "src/testing.py",
    "src/contest.py",
    "src/latest.py",
    "src/conftest.pyx",
    "src/pytest_plugin.py",
    "src/unittest_helpers.py",
    "src/calendar.py",
    "docs/pytest.md",
    "docs/Makefile.md",
    "docs/tests.md",
    "README.md",
    "src/lib.rs",
    "src/main.go",
    "src/index.js",
    "src/manifest.js",
    "src/protest.js",
    "openapi.spec.yaml",
    "src/main/java/Test.java",
    "src/main/gradle/Foo.java",
    "gradle/libs.versions.toml",
    "package-lock.json",
    "poetry.lock",
    "requirements.txt",
    "Dockerfile",
    "docs/vendor/lib.css",
    "go.module",
    "mypackage.json",
    ".github/dependabot.yml",
    ".github/ISSUE_TEMPLATE.md",
)


@pytest.mark.parametrize(("path", "why"), STEERING.items(), ids=STEERING)
def test_why_of_a_name_that_steers_tests(path: str, why: str) -> None:
    assert why in (ALL.why(path) or "")


@pytest.mark.parametrize("path", TESTS)
def test_is_test_of_a_test(path: str) -> None:
    assert (ALL.is_test(path), ALL.covers(path)) == (True, True)


@pytest.mark.parametrize("path", HONEST)
def test_an_honest_file_is_neither(path: str) -> None:
    assert (ALL.why(path), ALL.is_test(path), ALL.shadows(path)) == (None, False, None)


@pytest.mark.parametrize(
    "path",
    ["json.py", "unittest/__init__.py", "unittest.py", "tests/random.py", "pytest.py", "_pytest/__init__.py", "re.so"],
)
def test_shadows_of_a_module_that_comes_before_the_real_one(path: str) -> None:
    assert "instead of the real" in (ALL.shadows(path) or "")


@pytest.mark.parametrize(
    "path", ["src/greet/json.py", "tests/unittest/test_a.py", "greet.py", "test/__init__.py", "json.md", "json/data.py"]
)
def test_shadows_of_a_module_that_does_not(path: str) -> None:
    assert ALL.shadows(path) is None


def test_shadows_is_about_python_only() -> None:
    assert Harness(["go"]).shadows("json.py") is None


@pytest.mark.parametrize(
    "path", [".cargo", "vendor", "evil.dist-info", ".github/workflows", "src/__mocks__", "node_modules", "conftest.py"]
)
def test_a_link_in_the_place_of_a_harness_folder(path: str) -> None:
    assert ALL.why_in_place_of_a_folder(path) is not None


def test_a_link_in_another_place() -> None:
    assert ALL.why_in_place_of_a_folder("src/again.py") is None


def test_what_the_profile_adds() -> None:
    harness = Harness((), more=["tools/run.sh", "ci/**"])
    assert harness.why("tools/run.sh") == harness.why("ci/a/b") == "the profile names it"
    assert harness.why("tools/other.sh") is None


def test_only_what_is_in_use_counts() -> None:
    assert (Harness(["go"]).why("conftest.py"), Harness(["pytest"]).why("go.work")) == (None, None)


IN_USE = {
    "pytest": ["src/a.py", "tests/test_a.py"],
    "unittest": ["tests/test_a.py"],
    "tox": ["tox.ini"],
    "go": ["go.mod"],
    "cargo": ["Cargo.toml"],
    "node": ["package.json"],
    "maven": ["pom.xml"],
    "gradle": ["build.gradle.kts"],
    "make": ["GNUmakefile"],
    "github": [".github/workflows/x.yml"],
}


@pytest.mark.parametrize(("name", "paths"), IN_USE.items(), ids=IN_USE)
def test_in_use_by_its_mark(name: str, paths: list[str]) -> None:
    assert name in in_use(paths)


def test_in_use_of_nothing() -> None:
    assert in_use(["README.md", "src/greet.txt"]) == ()


def test_every_pattern_compiles_and_every_reason_is_a_clause() -> None:
    for one in HARNESSES:
        for file in (*one.harness, *COMMON):
            compile_glob(file.pattern)
            assert file.why
            assert file.why == file.why.strip(" .")


def test_matching_agrees_with_each_glob_asked_alone() -> None:
    patterns = [*(file.pattern for one in HARNESSES for file in one.harness), "a/**/b", "**", "x/*", "[ab]?.c"]
    asked = GlobSet(patterns)
    for path in (*STEERING, *TESTS, *HONEST, "a/b", "a/x/b", "x/y", "b1.c"):
        alone = tuple(index for index, pattern in enumerate(patterns) if compile_glob(pattern).matches(path))
        assert asked.matching(path) == alone, path
