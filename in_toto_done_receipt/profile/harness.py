"""Files that decide whether work counts as good, per ecosystem: its tests, and the harness that runs them.

Known by name only, so that the list can be taken from a tree without running anything. `why` says what a file of that
name can do to a test run; each was seen to work. What a repository has besides, the profile adds.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from in_toto_done_receipt.observe.globs import Glob, compile_glob


class HarnessFile(NamedTuple):
    """A glob, and why a file that matches it matters."""

    pattern: str
    why: str


class HarnessSet(NamedTuple):
    """`shows` are globs of files that say that a repository uses it; `tests` and `harness` are what it goes by."""

    name: str
    shows: tuple[str, ...]
    tests: tuple[str, ...]
    harness: tuple[HarnessFile, ...]


_PYTHON: Final = (
    HarnessFile("**/sitecustomize.py", "Python runs it at every start"),
    HarnessFile("**/usercustomize.py", "Python runs it at every start"),
    HarnessFile("**/*.pth", "Python runs its lines at every start"),
    HarnessFile("**/*.pyc", "compiled code can stand in for a source file"),
    HarnessFile("**/__pycache__/**", "compiled code can stand in for a source file"),
    HarnessFile("**/*.dist-info/**", "its entry points load plug-ins into test runs"),
    HarnessFile("**/*.egg-info/**", "its entry points load plug-ins into test runs"),
    HarnessFile("**/unittest.py", "shadows the standard library's test runner"),
    HarnessFile("**/unittest/**", "shadows the standard library's test runner"),
)
_PYTEST: Final = (
    HarnessFile("**/conftest.py", "pytest loads it: hooks can drop tests and rewrite their results"),
    HarnessFile("**/pytest.toml", "pytest reads it before every other configuration"),
    HarnessFile("**/.pytest.toml", "pytest reads it before every other configuration"),
    HarnessFile("**/pytest.ini", "wins over pyproject.toml: chooses tests, options and plug-ins"),
    HarnessFile("**/.pytest.ini", "wins over pyproject.toml: chooses tests, options and plug-ins"),
    HarnessFile("**/tox.ini", "may hold pytest's configuration, and what tox runs"),
    HarnessFile("**/setup.cfg", "may hold pytest's configuration"),
    HarnessFile("pyproject.toml", "may hold pytest's configuration, and what is built"),
    HarnessFile("**/pytest.py", "shadows the test runner"),
    HarnessFile("**/_pytest/**", "shadows the test runner"),
    HarnessFile("**/.coveragerc", "chooses what coverage counts"),
)
_NODE: Final = (
    HarnessFile("package.json", "its scripts and imports decide what runs"),
    HarnessFile("**/.npmrc", "node-options load code into every run"),
    HarnessFile("**/tests/node_modules/**", "wins over the packages at the root"),
    HarnessFile("**/test/node_modules/**", "wins over the packages at the root"),
    HarnessFile("**/jest.config.*", "chooses tests, transforms and mocks"),
    HarnessFile("**/jest.setup.*", "runs before every test"),
    HarnessFile("**/vitest.config.*", "chooses tests, transforms and mocks"),
    HarnessFile("**/vitest.workspace.*", "chooses tests, transforms and mocks"),
    HarnessFile("**/vite.config.*", "vitest reads it"),
    HarnessFile("**/babel.config.*", "rewrites tests before they run"),
    HarnessFile("**/.babelrc*", "rewrites tests before they run"),
    HarnessFile("**/.mocharc*", "chooses tests and what is loaded first"),
    HarnessFile("**/__mocks__/**", "jest puts it in the place of real modules"),
    HarnessFile("**/tsconfig*.json", "decides how tests are compiled, and what paths mean"),
)

HARNESSES: Final[tuple[HarnessSet, ...]] = (
    HarnessSet(
        "pytest",
        ("**/conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "**/test_*.py", "**/*_test.py"),
        ("**/test_*.py", "**/*_test.py", "tests/**", "test/**"),
        (*_PYTEST, *_PYTHON),
    ),
    HarnessSet("unittest", ("**/test*.py",), ("**/test*.py", "tests/**", "test/**"), _PYTHON),
    HarnessSet(
        "tox",
        ("tox.ini", "tox.toml"),
        (),
        (
            HarnessFile("tox.ini", "decides which commands a test run is"),
            HarnessFile("tox.toml", "decides which commands a test run is"),
        ),
    ),
    HarnessSet(
        "go",
        ("go.mod", "**/*_test.go"),
        ("**/*_test.go", "**/testdata/**"),
        (
            HarnessFile("**/go.mod", "a replace line swaps what is tested"),
            HarnessFile("**/go.sum", "says which modules are the real ones"),
            HarnessFile("**/go.work", "swaps the module that is tested"),
            HarnessFile("**/go.work.sum", "belongs to go.work"),
            HarnessFile("vendor/**", "stands in for the modules that go.mod names"),
            HarnessFile("**/go.env", "sets flags of every go command"),
        ),
    ),
    HarnessSet(
        "cargo",
        ("Cargo.toml",),
        ("tests/**", "**/tests/**/*.rs", "benches/**"),
        (
            HarnessFile("**/Cargo.toml", "harness, autotests and features decide what a test run is"),
            HarnessFile("**/Cargo.lock", "says which crates are the real ones"),
            HarnessFile("**/.cargo/**", "a runner or wrapper can stand in for every test binary"),
            HarnessFile("**/build.rs", "runs before the tests are compiled, and can rewrite them"),
            HarnessFile("**/rust-toolchain", "chooses another compiler"),
            HarnessFile("**/rust-toolchain.toml", "chooses another compiler"),
            HarnessFile("**/.config/nextest.toml", "chooses tests and retries"),
        ),
    ),
    HarnessSet(
        "node",
        ("package.json",),
        (
            "**/*.test.js",
            "**/*.test.mjs",
            "**/*.test.cjs",
            "**/*.test.ts",
            "**/*.test.tsx",
            "**/*.test.jsx",
            "**/*.spec.js",
            "**/*.spec.mjs",
            "**/*.spec.ts",
            "**/*.spec.tsx",
            "**/__tests__/**",
            "**/__snapshots__/**",
            "test/**",
            "tests/**",
        ),
        _NODE,
    ),
    HarnessSet(
        "maven",
        ("pom.xml",),
        ("**/src/test/**", "**/src/it/**"),
        (
            HarnessFile("**/pom.xml", "decides which tests run, and whether a failure counts"),
            HarnessFile("**/.mvn/**", "options and extensions of every run"),
            HarnessFile("**/mvnw", "stands in for the build tool"),
        ),
    ),
    HarnessSet(
        "gradle",
        ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
        ("**/src/test/**", "**/src/integrationTest/**"),
        (
            HarnessFile("**/*.gradle", "decides which tests run, and whether a failure counts"),
            HarnessFile("**/*.gradle.kts", "decides which tests run, and whether a failure counts"),
            HarnessFile("**/gradle.properties", "options of every run"),
            HarnessFile("**/buildSrc/**", "is part of the build itself"),
            HarnessFile("**/gradle/**", "the wrapper stands in for the build tool"),
            HarnessFile("**/gradlew", "stands in for the build tool"),
        ),
    ),
    HarnessSet(
        "make",
        ("Makefile", "makefile", "GNUmakefile"),
        (),
        (
            HarnessFile("**/GNUmakefile", "wins over makefile and Makefile"),
            HarnessFile("**/makefile", "wins over Makefile"),
            HarnessFile("**/Makefile", "decides what a target does"),
            HarnessFile("**/*.mk", "is included by makefiles"),
        ),
    ),
    HarnessSet(
        "github",
        (".github/workflows/**",),
        (),
        (
            HarnessFile(".github/workflows/**", "decides which checks a change has to pass"),
            HarnessFile(".github/actions/**", "is run by workflows"),
            HarnessFile(".github/CODEOWNERS", "decides who has to agree"),
            HarnessFile("CODEOWNERS", "decides who has to agree"),
        ),
    ),
)

# Named by every ecosystem: they change what git gives to anybody who checks the change out, or what a shell runs first.
COMMON: Final = (
    HarnessFile("**/.gitattributes", "changes bytes on checkout, and what diffs show"),
    HarnessFile("**/.envrc", "a shell may run it on entering the folder"),
)


class Harness:
    """The test and harness files of some ecosystems, with what the profile adds, as one matcher."""

    def __init__(self, names: Iterable[str], *, more: Iterable[str] = ()) -> None:
        chosen = [one for one in HARNESSES if one.name in set(names)]
        self.names = tuple(one.name for one in chosen)
        files = dict.fromkeys(file for one in chosen for file in one.harness) | dict.fromkeys(COMMON)
        self._tests = _compiled(pattern for one in chosen for pattern in one.tests)
        self._harness = tuple((compile_glob(file.pattern), file.why) for file in files)
        self._more = _compiled(more)

    def is_test(self, path: str) -> bool:
        """Whether the path is a test file by its name."""
        return any(glob.matches(path) for glob in self._tests)

    def why(self, path: str) -> str | None:
        """Why the path is part of the harness; None if it is not."""
        for glob, why in self._harness:
            if glob.matches(path):
                return why
        return "the profile names it" if any(glob.matches(path) for glob in self._more) else None

    def covers(self, path: str) -> bool:
        """Whether the path is a test or part of the harness."""
        return self.is_test(path) or self.why(path) is not None


def in_use(paths: Iterable[str]) -> tuple[str, ...]:
    """The ecosystems whose marks are among these paths, in the order of HARNESSES."""
    marks = [(one.name, _compiled(one.shows)) for one in HARNESSES]
    found: set[str] = set()
    for path in paths:
        found |= {name for name, globs in marks if name not in found and any(glob.matches(path) for glob in globs)}
        if len(found) == len(marks):
            break
    return tuple(name for name, _ in marks if name in found)


def _compiled(patterns: Iterable[str]) -> tuple[Glob, ...]:
    return tuple(compile_glob(pattern) for pattern in dict.fromkeys(patterns))
