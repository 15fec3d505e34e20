"""Runner node: real Node, in the sandbox."""

from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.runners.gate import Gate
from in_toto_done_receipt.observe.runners.model import TestRun
from in_toto_done_receipt.observe.runners.node import NodeRunner, checked
from in_toto_done_receipt.observe.sandbox.model import CommandLimits
from in_toto_done_receipt.results.model import SandboxLevel
from tests.unit.observe.runners.rooms import need_program, run_tests
from tests.unit.observe.runners.trees import Files

NODE = "/usr/bin/node"
ARGV = (NODE, "--test", "tests/*.test.*js")
TOKEN = "zq0123456789ab"  # noqa: S105  (a name)

COMMON = """const { test, describe, it } = require('node:test');
const assert = require('node:assert');
const { mul } = require('../m.js');
test('mul', () => { assert.strictEqual(mul(3, 4), 12); });
test('again', () => {});
test('again', () => {});
describe('suite', () => {
  it('in', () => {});
  describe('deep', () => { it.skip('off', () => {}); it('todo', { todo: true }, () => { assert(0); }); });
});
test('outer', async (t) => { await t.test('sub', () => {}); });
"""
MODULE = "import test from 'node:test';\nimport { mul } from '../m.js';\ntest('esm', () => { mul(1, 1); });\n"
FILES: dict[str, str | bytes] = {
    "m.js": "exports.mul = (a, b) => a * b;\n",
    "tests/a.test.js": COMMON,
    "tests/b.test.mjs": MODULE,
}
GOOD = {
    "tests/a.test.js > mul": "passed",
    "tests/a.test.js > again": "passed",
    "tests/a.test.js > again #2": "passed",
    "tests/a.test.js > suite > in": "passed",
    "tests/a.test.js > suite > deep > off": "skipped",
    "tests/a.test.js > suite > deep > todo": "xfailed",
    "tests/a.test.js > outer": "passed",
    "tests/a.test.js > outer > sub": "passed",
    "tests/b.test.mjs > esm": "passed",
}
PASSED = [id for id, state in GOOD.items() if state == "passed"]


@pytest.fixture(autouse=True)
def node() -> None:
    need_program(NODE)


def ran(tmp_path: Path, files: dict[str, str | bytes], argv: tuple[str, ...] = ARGV, **members: Any) -> TestRun:
    return run_tests(NodeRunner(), tmp_path / "room", argv, files, **members)


@pytest.mark.parametrize(
    "level",
    ["bubblewrap", *(pytest.param(level, marks=pytest.mark.integration) for level in ("landlock", "rlimits"))],
)
def test_states_of_both_kinds_of_modules(tmp_path: Path, level: SandboxLevel) -> None:
    found = ran(tmp_path, FILES, level=level)
    assert (found.states, found.faults, found.exit_code) == (GOOD, (), 0)
    assert set(found.planned) == set(GOOD)


def test_red_tests_and_what_they_said(tmp_path: Path) -> None:
    found = ran(tmp_path, {**FILES, "m.js": "exports.mul = (a, b) => a + b;\n"})
    assert (found.states["tests/a.test.js > mul"], found.faults, found.exit_code) == ("failed", (), 1)
    assert b"7 !== 12" in found.excerpt


@pytest.mark.integration
@pytest.mark.parametrize(
    ("text", "states", "faults"),
    [
        ("syntax error", {"tests/c.test.js": "error"}, ()),
        (
            "test('x', () => {}); setTimeout(() => { throw new Error('late'); }, 20)",
            {"tests/c.test.js > x": "passed"},
            (),
        ),
        ("before(() => { throw new Error('x'); }); test('x', () => {});", {"tests/c.test.js > x": "failed"}, ()),
        ("process.exit(0); // test", {}, ("not an event: tests/c.test.js ended without a test",)),
        ("module.exports = 1;", {}, ()),
        (
            "console.log('hello'); test('x', () => { console.log('\\u0016 [0]'); });",
            {"tests/c.test.js > x": "passed"},
            (),
        ),
        ("const x = 1;", {}, ()),
    ],
)
def test_files_that_are_special(tmp_path: Path, text: str, states: dict[str, str], faults: tuple[str, ...]) -> None:
    start = (
        ""
        if text in ("module.exports = 1;", "const x = 1;", "syntax error")
        else "const { test, describe, before } = require('node:test'); "
    )
    found = ran(tmp_path, {"tests/c.test.js": start + text})
    assert found.faults == faults
    assert states.items() <= found.states.items()


@pytest.mark.integration
def test_a_late_error_is_the_files(tmp_path: Path) -> None:
    text = "require('node:test').test('x', () => {}); setTimeout(() => { throw new Error('late'); }, 20);"
    found = ran(tmp_path, {"tests/c.test.js": text})
    assert found.states == {"tests/c.test.js > x": "passed", "tests/c.test.js": "error"}


@pytest.mark.integration
def test_default_files(tmp_path: Path) -> None:
    one = "require('node:test')('a', () => {});"
    names = ["a.test.js", "b-test.cjs", "test-c.js", "test.js", "sub/d_test.js", "test/e.js", "sub/test/f.js"]
    others = ["a.js", "node_modules/x/a.test.js", "test/node_modules/x.test.js", "test/data.json", "sub/latest.js"]
    found = ran(tmp_path, dict.fromkeys((*names, *others), one), (NODE, "--test"))
    assert sorted(found.states) == sorted(f"{name} > a" for name in names)
    assert found.faults == ()


@pytest.mark.integration
@pytest.mark.parametrize("name", ["@acme/(group)/a+b!.test.js", "#a b.test.js", "!é.test.js", "a&'$.test.js"])
def test_unusual_names(tmp_path: Path, name: str) -> None:
    files: dict[str, str | bytes] = {name: "require('node:test')('a', () => {});"}
    found = ran(tmp_path, files, (NODE, "--test", "**/*.test.js"))
    assert (found.states, found.faults) == ({f"{name} > a": "passed"}, ())


@pytest.mark.integration
def test_a_suite_that_fails_by_itself_is_an_error(tmp_path: Path) -> None:
    """Some versions exit with 0 then: that is a fault beside it."""
    text = "require('node:test').describe('s', () => { throw new Error('x'); });"
    found = ran(tmp_path, {"tests/c.test.js": text})
    assert found.states == {"tests/c.test.js > s": "error"}
    assert (found.exit_code == 0) == bool(found.faults)


def test_no_file_is_a_fault(tmp_path: Path) -> None:
    found = ran(tmp_path, {"a.js": ""})
    assert (found.exit_code, found.faults) == (None, ("no file matches tests/*.test.*js",))


@pytest.mark.parametrize("name", ["tests/[a].test.js", "+(a).test.js", "--eval.test.js"])
def test_a_name_that_node_reads_otherwise_is_a_fault(tmp_path: Path, name: str) -> None:
    found = ran(tmp_path, {name: ""}, (NODE, "--test", "**/*.test.js"))
    assert found.faults == (f"{name}: Node would take this name for a pattern or an option",)


@pytest.mark.integration
def test_time_is_bounded(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"tests/a.test.js": "require('node:test')('a', () => { for (;;); });"}
    found = ran(tmp_path, files, limits=CommandLimits(seconds=1.0, stream_bytes=1 << 20))
    assert (found.exit_code, found.states) == (None, {})
    assert found.faults[0].startswith("timeout: ")


@pytest.mark.integration
def test_memory_is_bounded_by_what_is_used(tmp_path: Path) -> None:
    """A module of WebAssembly reserves ten gibibytes; six of buffers are not to be had."""
    text = (
        "const test = require('node:test');"
        "test('reserved', () => { new WebAssembly.Memory({ initial: 1 }); });"
        "test('used', () => { const all = []; for (let i = 0; i < 60; i++) all.push(Buffer.allocUnsafe(100 << 20)); });"
    )
    found = ran(tmp_path, {"tests/a.test.js": text})
    assert found.states == {"tests/a.test.js > reserved": "passed", "tests/a.test.js > used": "failed"}


@pytest.mark.integration
def test_packages_of_the_verifier(tmp_path: Path) -> None:
    package = tmp_path / "packages" / "cents"
    package.mkdir(parents=True)
    (package / "index.js").write_text("module.exports = 100;\n")
    text = "require('node:test')('a', () => { if (require('cents') !== 100) throw 1; });"
    files: dict[str, str | bytes] = {"tests/a.test.js": text, "node_modules/cents/index.js": "module.exports = 1;"}
    found = ran(tmp_path, files, mounts=((tmp_path / "packages", "node_modules"),))
    assert found.states == {"tests/a.test.js > a": "passed"}


@pytest.mark.integration
def test_nothing_of_the_tree_decides_who_reports(tmp_path: Path) -> None:
    files = {
        **FILES,
        ".npmrc": "node-options=--require ./evil.js\n",
        "package.json": '{"scripts": {"test": "true"}}',
        "node.config.json": '{"nodeOptions": {"test-reporter": "./evil.js"}}',
        "evil.js": "process.exit(0);",
    }
    assert ran(tmp_path, files).states == GOOD


@pytest.mark.parametrize("variable", ["NODE_OPTIONS", "NODE_PATH"])
def test_variables_that_are_refused(tmp_path: Path, variable: str) -> None:
    with pytest.raises(ConfigurationError, match=f"variable {variable} cannot be set for the runner node"):
        ran(tmp_path, FILES, variables={variable: "x"})


REFUSED = {
    "no test": [NODE, "tests/a.js"],
    "npm": ["/usr/bin/npm", "test"],
    "reporter": [NODE, "--test", "--test-reporter=./mine.mjs"],
    "only": [NODE, "--test", "--test-only"],
    "names": [NODE, "--test", "--test-name-pattern=a"],
    "isolation": [NODE, "--test", "--test-isolation=none"],
    "watch": [NODE, "--test", "--watch"],
    "preload of the tree": [NODE, "--test", "--import=./setup.js"],
    "preload by name": [NODE, "--test", "--require=tsx"],
    "preload in two words": [NODE, "--test", "-r", "tsx"],
    "a file of variables": [NODE, "--test", "--env-file=.env"],
    "code": [NODE, "--test", "-e", "1"],
    "a path outside": [NODE, "--test", "/srv/a.test.js"],
    "braces": [NODE, "--test", "tests/*.{js,mjs}"],
    "a folder": [NODE, "--test", "tests/"],
    "steps out": [NODE, "--test", "../a.test.js"],
}


@pytest.mark.parametrize("argv", REFUSED.values(), ids=REFUSED)
def test_arguments_that_are_refused(argv: list[str]) -> None:
    with pytest.raises(ConfigurationError):
        checked(tuple(argv))


def test_arguments_that_are_honoured() -> None:
    words = [
        "--test-concurrency=2",
        "--test-timeout=5000",
        "--import=/srv/tsx.mjs",
        "--conditions=test",
        "a.js",
        "./b.js",
    ]
    report = ["--test-reporter=junit", "--test-reporter-destination={junit}"]
    command = checked((NODE, "--test", *words, *report))
    assert (command.flags, command.patterns) == (tuple(words[:4]), ("a.js", "b.js"))


def test_canaries_run_in_the_process_of_each_file(tmp_path: Path) -> None:
    planted = NodeRunner().plant(ARGV, Files(FILES), TOKEN)
    found = ran(tmp_path, {**FILES, **planted.files})
    assert found.faults == ()
    assert {id: found.states.get(id) for id in planted.failing} == dict.fromkeys(planted.failing, "failed")
    assert {id: found.states.get(id) for id in planted.passing} == dict.fromkeys(planted.passing, "passed")
    assert planted.files.keys() == {"tests/a.test.js", "tests/b.test.mjs"}
    others = {id: state for id, state in found.states.items() if id not in planted.failing | planted.passing}
    assert others == GOOD


@pytest.mark.integration
def test_canaries_of_a_helper_are_its_own(tmp_path: Path) -> None:
    """A file that others load, and that Node runs as well, has its canaries once."""
    files: dict[str, str | bytes] = {
        "test/helper.js": "exports.one = 1;\n",
        "test/a.test.js": "const { one } = require('./helper.js'); require('node:test')('a', () => { one; });\n",
    }
    argv = (NODE, "--test")
    planted = NodeRunner().plant(argv, Files(files), TOKEN)
    found = ran(tmp_path, {**files, **planted.files}, argv)
    assert found.faults == ()
    assert found.states.keys() == planted.failing | planted.passing | {"test/a.test.js > a"}


@pytest.mark.parametrize("version", [b"v18.20.8", b"v20.15.1", b"v22.2.0"])
def test_older_versions_have_no_gate(tmp_path: Path, version: bytes) -> None:
    old = tmp_path / "node"
    old.write_bytes(b"#!/bin/sh\necho " + version + b"\n")
    old.chmod(0o755)
    argv = (str(old), *ARGV[1:])
    sites = NodeRunner().sites(argv, Files(FILES), PASSED)
    assert {site.gate for site in sites} == {None}
    planted = NodeRunner().plant(argv, Files({**FILES, "package.json": '{"type": "module"}'}), TOKEN)
    assert planted.files["tests/b.test.mjs"].count(b"import ") == MODULE.count("import ") + 2
    assert planted.files["tests/a.test.js"].count(b"\nimport ") == 2


def test_a_version_that_is_not_told_has_no_gate() -> None:
    assert {site.gate for site in NodeRunner().sites(("/nowhere/node", *ARGV[1:]), Files(FILES), PASSED)} == {None}


def edited(text: bytes, position: int, what: bytes) -> bytes:
    return text[:position] + what + text[position:]


def test_each_site_turns_its_test_red_and_no_other(tmp_path: Path) -> None:
    sites = NodeRunner().sites(ARGV, Files(FILES), PASSED)
    assert {id for site in sites for id in site.ids} == {
        "tests/a.test.js > mul",
        "tests/a.test.js > suite > in",
        "tests/b.test.mjs > esm",
    }
    files = Files(FILES).files
    for site in sorted(sites, key=lambda site: -site.position):
        files[site.path] = edited(files[site.path], site.position, site.fail)
    found = ran(tmp_path, dict(files))
    red = {id for id, state in found.states.items() if state == "failed"}
    assert red == {id for site in sites for id in site.ids}


def test_the_gate_decides(tmp_path: Path) -> None:
    sites = NodeRunner().sites(ARGV, Files(FILES), PASSED)
    if all(site.gate is None for site in sites):
        pytest.skip("this Node is older than the gate")
    (tmp_path / "gate").mkdir()
    files = Files(FILES).files
    with Gate(tmp_path / "gate", sites, {0}) as gate:
        for number, site in sorted(enumerate(sites), key=lambda row: -row[1].position):
            assert site.gate is not None
            text = site.gate.replace(b"{}", str(gate.path(number)).encode())
            files[site.path] = edited(files[site.path], site.position, text)
        found = ran(tmp_path, dict(files), gate=tmp_path / "gate")
    assert gate.asked == frozenset(range(len(sites)))
    assert {id for id, state in found.states.items() if state == "failed"} == sites[0].ids
