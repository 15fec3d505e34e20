"""Files that decide whether work counts as good, per ecosystem: its tests, and the harness that runs them.

Known by name only, so that the list can be taken from a tree without running anything. `why` says what a file of that
name can do to a test run; each was seen to work. What a repository has besides, the profile adds.
"""

import sys
from collections.abc import Iterable
from typing import Final, NamedTuple

from in_toto_done_receipt.observe.globs import GlobSet


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
    HarnessFile("**/noxfile.py", "decides which commands a test run is"),
)
_PYTEST: Final = (
    HarnessFile("**/conftest.py", "pytest loads it: hooks can drop tests and rewrite their results"),
    HarnessFile("**/pytest.toml", "pytest reads it before every other configuration"),
    HarnessFile("**/.pytest.toml", "pytest reads it before every other configuration"),
    HarnessFile("**/pytest.ini", "wins over pyproject.toml: chooses tests, options and plug-ins"),
    HarnessFile("**/.pytest.ini", "wins over pyproject.toml: chooses tests, options and plug-ins"),
    HarnessFile("**/tox.ini", "may hold pytest's configuration, and what tox runs"),
    HarnessFile("**/setup.cfg", "may hold pytest's configuration"),
    HarnessFile("**/pyproject.toml", "may hold pytest's configuration, and what is built"),
    HarnessFile("**/.coveragerc", "chooses what coverage counts"),
)
_NODE: Final = (
    HarnessFile("**/package.json", "its scripts, imports and type decide what runs"),
    HarnessFile("**/.npmrc", "node-options load code into every run"),
    HarnessFile("**/.yarnrc*", "names the code that is the package manager"),
    HarnessFile("**/.yarn/**", "is code of the package manager"),
    HarnessFile("**/.pnp.*", "says which package a name means, for every run"),
    HarnessFile("**/.pnpmfile.*", "rewrites what packages are installed"),
    HarnessFile("**/bunfig.toml", "loads code into every run"),
    HarnessFile("**/node_modules/**", "stands in for the packages that tests load, the nearest one first"),
    HarnessFile("**/jest.config.*", "chooses tests, transforms and mocks"),
    HarnessFile("**/jest.setup.*", "runs before every test"),
    HarnessFile("**/vitest.config.*", "chooses tests, transforms and mocks"),
    HarnessFile("**/vitest.workspace.*", "chooses tests, transforms and mocks"),
    HarnessFile("**/vite.config.*", "vitest reads it"),
    HarnessFile("**/babel.config.*", "rewrites tests before they run"),
    HarnessFile("**/.babelrc*", "rewrites tests before they run"),
    HarnessFile("**/.swcrc", "rewrites tests before they run"),
    HarnessFile("**/.mocharc*", "chooses tests and what is loaded first"),
    HarnessFile("**/ava.config.*", "chooses tests and what is loaded first"),
    HarnessFile("**/.nycrc*", "chooses what coverage counts"),
    HarnessFile("**/.c8rc*", "chooses what coverage counts"),
    HarnessFile("**/__mocks__/**", "jest puts it in the place of real modules"),
    HarnessFile("**/tsconfig*.json", "decides how tests are compiled, and what paths mean"),
)

# unittest takes test*.py; a product's testing.py is no test for that.
_UNITTEST: Final = ("**/test[_0-9A-Z]*.py", "**/tests.py", "**/test.py")
_SCRIPTS: Final = ("[jt]s", "[jt]sx", "[cm][jt]s")

# Modules that a folder on the path of imports can put in the place of the real ones; folders that runners put there.
_SHADOWED: Final = (sys.stdlib_module_names - {"test"}) | {"pytest", "_pytest", "pluggy", "iniconfig", "coverage"}
_IMPORTED_FROM: Final = frozenset({"", "tests", "test"})
_PYTHON_NAMES: Final = frozenset({"pytest", "unittest", "tox"})

HARNESSES: Final[tuple[HarnessSet, ...]] = (
    HarnessSet(
        "pytest",
        (
            *("**/conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"),
            *("**/test_*.py", "**/*_test.py", "pyproject.toml", "setup.cfg", "setup.py"),
        ),
        ("**/test_*.py", "**/*_test.py", "tests/**", "test/**"),
        (*_PYTEST, *_PYTHON),
    ),
    HarnessSet("unittest", _UNITTEST, (*_UNITTEST, "tests/**", "test/**"), _PYTHON),
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
            HarnessFile("**/vendor/modules.txt", "stands in for the modules that go.mod names"),
            HarnessFile("**/go.env", "sets flags of every go command"),
        ),
    ),
    HarnessSet(
        "cargo",
        ("Cargo.toml",),
        ("tests/**", "**/tests/**/*.rs", "**/tests.rs", "**/benches/**"),
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
            *(f"**/*[._-]{word}.{end}" for word in ("test", "spec") for end in _SCRIPTS),
            *(f"**/test{rest}.{end}" for rest in ("", "-*") for end in _SCRIPTS),
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
            HarnessFile("**/mvnw*", "stands in for the build tool"),
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
            HarnessFile("**/gradle/wrapper/**", "the wrapper stands in for the build tool"),
            HarnessFile("**/gradlew*", "stands in for the build tool"),
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
            HarnessFile("docs/CODEOWNERS", "decides who has to agree"),
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
        wanted = set(names)
        chosen = [one for one in HARNESSES if one.name in wanted]
        self.names = tuple(one.name for one in chosen)
        files = dict.fromkeys(file for one in chosen for file in one.harness) | dict.fromkeys(COMMON)
        rows = [*files, *(HarnessFile(pattern, "the profile names it") for pattern in more)]
        self._why = tuple(row.why for row in rows)
        self._harness = GlobSet(row.pattern for row in rows)
        self._tests = GlobSet(dict.fromkeys(pattern for one in chosen for pattern in one.tests))

    def is_test(self, path: str) -> bool:
        """Whether the path is a test file by its name."""
        return bool(self._tests.matching(path))

    def why(self, path: str) -> str | None:
        """Why the path is part of the harness; None if it is not."""
        found = self._harness.matching(path)
        return self._why[found[0]] if found else None

    def why_in_place_of_a_folder(self, path: str) -> str | None:
        """As `why`, for a link or a submodule: it also brings everything that lies below its path."""
        return self.why(path) or self.why(f"{path}/-")

    def shadows(self, path: str) -> str | None:
        """Why a path that is new can be a module that tests import instead of the real one; None if it cannot.

        By the names of the standard library that the verifier itself runs with, in the folders that runners import
        from. A repository that has such a module already is used to it.
        """
        if not _PYTHON_NAMES.intersection(self.names):
            return None
        folder, _, name = path.removesuffix("/__init__.py").rpartition("/")
        module = name.split(".", 1)[0] if path.endswith((".py", ".so", ".pyd")) else name
        found = module in _SHADOWED and folder in _IMPORTED_FROM and path.endswith((".py", ".so", ".pyd"))
        return f"is imported instead of the real {module}" if found else None

    def covers(self, path: str) -> bool:
        """Whether the path is a test or part of the harness."""
        return self.is_test(path) or self.why(path) is not None


def patterns_of(name: str) -> tuple[str, ...]:
    """Globs of the tests and of the harness of one ecosystem."""
    return tuple(p for one in HARNESSES if one.name == name for p in (*one.tests, *(f.pattern for f in one.harness)))


def in_use(paths: Iterable[str]) -> tuple[str, ...]:
    """The ecosystems whose marks are among these paths, in the order of HARNESSES."""
    shows = [(one.name, pattern) for one in HARNESSES for pattern in one.shows]
    globs = GlobSet(pattern for _, pattern in shows)
    found = {index for path in paths for index in globs.matching(path)}
    return tuple(dict.fromkeys(name for index, (name, _) in enumerate(shows) if index in found))
