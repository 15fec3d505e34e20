"""What tests and harnesses look like in each ecosystem: which files speak for it, decide for it, and win when added.

A draft starts from this; it is no promise that the list is complete.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from in_toto_done_receipt.profile.model import Runner
from in_toto_done_receipt.wire.value import Value

# Where an executable is looked for; never on PATH, which may name a folder of somebody else's.
FOLDERS: Final = ("/usr/bin", "/usr/local/bin", "/usr/local/go/bin")


class Ecosystem(Value, kw_only=True):
    """One way to test.

    `marks`: literal paths that speak for it; `within`: a text in a file that does, path to text. `files` is the name of
    its tests and harness in `profile.harness`, `winners` are literal paths that would win over sealed ones if they were
    added. `runner` None: no runner of the clean room, its command is for people to fill in.
    """

    name: str
    files: str
    runner: Runner | None
    executable: str
    arguments: tuple[str, ...]
    marks: tuple[str, ...] = ()
    within: tuple[tuple[str, str], ...] = ()
    winners: tuple[str, ...] = ()
    variables: Mapping[str, str] = MappingProxyType({})


_PYTEST_FILES: Final = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
# A module in the current directory comes before the runner's own.
_PYTEST_MODULES: Final = ("pytest.py", "pytest/__init__.py", "_pytest/__init__.py")

PYTEST: Final = Ecosystem(
    name="pytest",
    files="pytest",
    runner="pytest",
    executable="python3",
    arguments=("-m", "pytest", "-p", "no:cacheprovider"),
    marks=(*_PYTEST_FILES, "conftest.py", "tests/conftest.py", "test/conftest.py"),
    within=(("pyproject.toml", "[tool.pytest"), ("setup.cfg", "[tool:pytest]"), ("tox.ini", "[pytest]")),
    winners=(*_PYTEST_FILES, "tox.ini", "setup.cfg", "conftest.py", ".coveragerc", *_PYTEST_MODULES),
)
UNITTEST: Final = Ecosystem(
    name="unittest",
    files="unittest",
    runner="unittest",
    executable="python3",
    arguments=("-m", "unittest", "discover", "-v"),
    winners=("unittest.py", "unittest/__init__.py"),
)
GO: Final = Ecosystem(
    name="go test",
    files="go",
    runner="go",
    executable="go",
    arguments=("test", "./..."),
    marks=("go.mod",),
    winners=("go.work", "vendor/modules.txt"),
    variables=MappingProxyType({"GOFLAGS": "-mod=readonly", "GOPROXY": "off", "GOTOOLCHAIN": "local"}),
)
NODE: Final = Ecosystem(
    name="node --test",
    files="node",
    runner="node",
    executable="node",
    arguments=("--test",),
    marks=("package.json",),
    winners=(".npmrc", "babel.config.js", "jest.config.js", "vitest.config.js"),
)
CARGO: Final = Ecosystem(
    name="cargo test",
    files="cargo",
    runner="cargo",
    executable="cargo",
    arguments=("test", "--offline", "--locked"),
    marks=("Cargo.toml",),
    winners=(".cargo/config", ".cargo/config.toml", "build.rs", "rust-toolchain", "rust-toolchain.toml"),
    variables=MappingProxyType({"CARGO_NET_OFFLINE": "true"}),
)
OTHERS: Final = (
    Ecosystem(name="tox", runner=None, executable="tox", arguments=(), marks=("tox.ini",), files="tox"),
    Ecosystem(
        name="Maven",
        files="maven",
        runner=None,
        executable="mvn",
        arguments=("--offline", "test"),
        marks=("pom.xml",),
    ),
    Ecosystem(
        name="Gradle",
        files="gradle",
        runner=None,
        executable="gradle",
        arguments=("--offline", "test"),
        marks=("build.gradle", "build.gradle.kts"),
    ),
    Ecosystem(
        name="make",
        files="make",
        runner=None,
        executable="make",
        arguments=("test",),
        marks=("GNUmakefile", "makefile", "Makefile"),
        winners=("GNUmakefile", "makefile"),
    ),
)

# Whatever the ecosystem: what runs the checks of others.
COMMON: Final = ("tests/**", "test/**", "spec/**", ".github/workflows/**", ".gitlab-ci.yml", ".pre-commit-config.yaml")
"""Globs that are worth sealing anywhere."""
