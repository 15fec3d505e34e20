"""Files that are product and harness at once: a dependency may change, how tests run may not."""

import pytest

from in_toto_done_receipt.recompute.manifest_keys import harness_part


def keys(name: str, old: str | None, new: str | None) -> tuple[str, ...] | None:
    compare = harness_part(name)
    assert compare is not None
    return compare(old, new)


def pom(inside: str) -> str:
    return f'<project xmlns="http://maven.apache.org/POM/4.0.0">{inside}</project>'


DEPENDENCY = "<dependencies><dependency><artifactId>a</artifactId><version>{}</version></dependency></dependencies>"

HONEST = {
    "a dependency": ("pyproject.toml", '[project]\ndependencies = ["a==1"]\n', '[project]\ndependencies = ["a==2"]\n'),
    "a linter": ("pyproject.toml", "[tool.ruff]\nline-length = 80\n", "[tool.ruff]\nline-length = 120\n"),
    "a comment": ("pyproject.toml", "[tool.pytest.ini_options]\n", "# why\n[tool.pytest.ini_options]\n"),
    "a crate": ("Cargo.toml", '[dependencies]\na = "1"\n', '[dependencies]\na = "2"\n'),
    "a version": ("Cargo.toml", '[package]\nversion = "1.0.0"\n', '[package]\nversion = "1.0.1"\n'),
    "a package": ("package.json", '{"dependencies": {"a": "1"}}', '{"dependencies": {"a": "2"}}'),
    "an entry": ("package.json", '{"main": "a.js"}', '{"main": "b.js"}'),
    "another order": ("package.json", '{"name": "a", "type": "module"}', '{"type": "module", "name": "a"}'),
    "metadata": ("setup.cfg", "[metadata]\nname = a\n", "[metadata]\nname = b\n"),
    "options": ("setup.cfg", "[options]\ninstall_requires =\n  a\n", "[options]\ninstall_requires =\n  b\n"),
    "a module": ("go.mod", "module m\nrequire a v1.0.0\n", "module m\nrequire a v1.1.0\n"),
    "a block": ("go.mod", "module m\nrequire (\n\ta v1.0.0\n)\n", "module m\nrequire (\n\ta v1.1.0 // why\n)\n"),
    "a language version": ("go.mod", "module m\ngo 1.21\n", "module m\ngo 1.22\n"),
    "a lock": ("Cargo.lock", "x", "y"),
    "sums": ("go.sum", "x", "y"),
    "an artifact": ("pom.xml", pom(DEPENDENCY.format("1")), pom(DEPENDENCY.format("2"))),
    "its version by a property": (
        "pom.xml",
        pom("<properties><junit.version>4</junit.version></properties>"),
        pom("<properties><junit.version>5</junit.version></properties>"),
    ),
    "the project's version": ("pom.xml", pom("<version>1</version>"), pom("<version>2</version>")),
    "a comment in a pom": ("pom.xml", pom("<build><a/></build>"), pom("<!-- why --><build>\n <a/>\n</build>")),
}


@pytest.mark.parametrize(("name", "old", "new"), HONEST.values(), ids=HONEST)
def test_an_honest_difference_is_none(name: str, old: str, new: str) -> None:
    assert keys(name, old, new) == ()


STEERING = {
    "pytest's options": ("pyproject.toml", "", '[tool.pytest.ini_options]\naddopts = "-k x"\n', "tool.pytest"),
    "pytest's own table": ("pyproject.toml", "", '[tool.pytest]\naddopts = ["-k", "x"]\n', "tool.pytest"),
    "a plug-in": ("pyproject.toml", "", '[project.entry-points.pytest11]\nx = "y"\n', "project.entry-points"),
    "the build": ("pyproject.toml", "", '[build-system]\nbuild-backend = "x"\n', "build-system"),
    "coverage": ("pyproject.toml", "", '[tool.coverage.run]\nomit = ["*"]\n', "tool.coverage"),
    "no harness": ("Cargo.toml", "[[test]]\nname='a'\n", "[[test]]\nname='a'\nharness=false\n", "test"),
    "no autotests": ("Cargo.toml", "[package]\n", "[package]\nautotests = false\n", "package.autotests"),
    "a library untested": ("Cargo.toml", "[lib]\n", "[lib]\ntest = false\n", "lib.test"),
    "a test elsewhere": ("Cargo.toml", "", '[[test]]\nname = "a"\npath = "b.rs"\n', "test"),
    "a profile": ("Cargo.toml", "", "[profile.test]\noverflow-checks = false\n", "profile.test"),
    "features": ("Cargo.toml", "", "[features]\ndefault = ['x']\n", "features"),
    "a patch": ("Cargo.toml", "", "[patch.crates-io]\na = {path='b'}\n", "patch"),
    "default members": (
        "Cargo.toml",
        "[workspace]\n",
        "[workspace]\ndefault-members=['a']\n",
        "workspace.default-members",
    ),
    "scripts": ("package.json", '{"scripts": {"test": "node --test"}}', '{"scripts": {"test": "true"}}', "scripts"),
    "imports": ("package.json", "{}", '{"imports": {"#a": "./b.js"}}', "imports"),
    "the kind of modules": ("package.json", "{}", '{"type": "module"}', "type"),
    "jest": ("package.json", "{}", '{"jest": {"testMatch": []}}', "jest"),
    "scripts gone": ("package.json", '{"scripts": {"pretest": "x"}}', "{}", "scripts"),
    "pytest in setup.cfg": ("setup.cfg", "", "[tool:pytest]\naddopts = -k x\n", "tool:pytest"),
    "another case": (
        "setup.cfg",
        "[tool:pytest]\nAddopts = -k x\n",
        "[tool:pytest]\naddopts = -k x\n",
        "tool:pytest",
    ),
    "a value that looks like a section": (
        "setup.cfg",
        "[tool:pytest]\naddopts =\n  [x]\n",
        "[tool:pytest]\naddopts =\n  [x]\n  -k x\n",
        "tool:pytest",
    ),
    "tox in setup.cfg": ("setup.cfg", "", "[tox:tox]\nenvlist = x\n", "tox:tox"),
    "a plug-in in setup.cfg": ("setup.cfg", "", "[options.entry_points]\npytest11 = x\n", "options.entry_points"),
    "replace": ("go.mod", "module m\n", "module m\nreplace a => ./b\n", "replace"),
    "replace in a block": ("go.mod", "module m\n", "module m\nreplace (\n\ta => ./b\n)\n", "replace"),
    "replace in a tight block": ("go.mod", "module m\n", "module m\nreplace(\n\ta => ./b\n)\n", "replace"),
    "replace after a tab": ("go.mod", "module m\n", "module m\nreplace\ta => ./b\n", "replace"),
    "replace with two slashes": ("go.mod", 'replace a => "./b//c"\n', 'replace a => "./b//d"\n', "replace"),
    "toolchain": ("go.mod", "module m\n", "module m\ntoolchain go1.99\n", "toolchain"),
    "folders left out": ("go.mod", "module m\n", "module m\nignore ./tests\n", "ignore"),
    "another module": ("go.mod", "module m\n", "module n\n", "module"),
    "a plug-in of the build": ("pom.xml", pom(""), pom("<build><plugins/></build>"), "build"),
    "a profile of the build": (
        "pom.xml",
        pom("<profiles><a/></profiles>"),
        pom("<profiles><b/></profiles>"),
        "profiles",
    ),
    "skipped tests": (
        "pom.xml",
        pom(""),
        pom("<properties><maven.test.skip>true</maven.test.skip></properties>"),
        "properties.maven.test.skip",
    ),
    "another surefire": (
        "pom.xml",
        pom("<properties><surefire.version>1</surefire.version></properties>"),
        pom("<properties><surefire.version>2</surefire.version></properties>"),
        "properties.surefire.version",
    ),
    "another parent": ("pom.xml", pom("<parent><a/></parent>"), pom("<parent><b/></parent>"), "parent"),
    "text behind an element": ("pom.xml", pom("<build><a/></build>"), pom("<build><a/>x</build>"), "build"),
}


@pytest.mark.parametrize(("name", "old", "new", "key"), STEERING.values(), ids=STEERING)
def test_what_steers_tests_is_named(name: str, old: str, new: str, key: str) -> None:
    assert keys(name, old, new) == (key,)


STANDING = {"package.json": "{}", "pom.xml": pom("")}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "= no"),
        ("Cargo.toml", "[[["),
        ("package.json", "{"),
        ("package.json", "\ufeff{}"),
        ("package.json", "[" * 100_000),
        ("pom.xml", "<project>"),
        ("pom.xml", "<other/>"),
        ("pom.xml", '<!DOCTYPE project [<!ENTITY a "b">]><project>&a;</project>'),
        ("pom.xml", "<project>" + "<a>" * 100_000),
    ],
)
def test_what_cannot_be_read_counts_as_different(name: str, text: str) -> None:
    assert "cannot be read" in (keys(name, STANDING.get(name, ""), text) or ("",))[0]


@pytest.mark.parametrize("name", ["pyproject.toml", "Cargo.toml", "setup.cfg", "go.sum", "Cargo.lock"])
def test_a_file_that_is_new_or_gone_and_steers_nothing(name: str) -> None:
    text = "[tool.ruff]\n" if name == "pyproject.toml" else ""
    assert (keys(name, None, text), keys(name, text, None)) == ((), ())


def test_a_file_that_is_new_and_steers_tests() -> None:
    assert keys("pyproject.toml", None, "[tool.pytest.ini_options]\naddopts = '-k x'\n") == ("tool.pytest",)


@pytest.mark.parametrize("name", ["package.json", "go.mod"])
def test_a_file_whose_being_there_says_something(name: str) -> None:
    assert (keys(name, None, "{}"), keys(name, "{}", None)) == (None, None)


@pytest.mark.parametrize("name", ["conftest.py", "Makefile", "pytest.ini", "my-package.json", "x.toml"])
def test_other_files_are_not_compared(name: str) -> None:
    assert harness_part(name) is None
