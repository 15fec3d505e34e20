"""`node --test`: files by name, our own reporter in the parent process, canaries at the end of every test file.

Each test file is a process of its own, whose parent runs nothing of the tree: what the parent's reporter writes is what
Node's own runner received. A process can still lie about its own tests, which the canaries in it are there for.
"""

import json
import os
import re
import secrets
import subprocess
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec.structs import replace

from in_toto_done_receipt.errors import ConfigurationError, ObservationError
from in_toto_done_receipt.observe.globs import GlobSet
from in_toto_done_receipt.observe.runners.judge import judge
from in_toto_done_receipt.observe.runners.model import Planted, Site, Sources, TestRun
from in_toto_done_receipt.observe.runners.node_events import SEPARATOR, read_events
from in_toto_done_receipt.observe.runners.node_source import found_tests
from in_toto_done_receipt.observe.runners.room import Room
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

REPORTER: Final = Path(__file__).with_name("node_reporter.mjs")
GATE_SINCE: Final = (20, 16)  # process.getBuiltinModule, which works in both kinds of modules
GATE_SINCE_NEXT: Final = (22, 3)
VERSION_SECONDS: Final = 10.0
JUNIT: Final = "{junit}"

# What Node itself looks for when no file is named, less TypeScript.
DEFAULT_FILES: Final = (
    *(f"**/*{join}test.{ending}" for join in ".-_" for ending in ("js", "cjs", "mjs")),
    *(f"**/test-*.{ending}" for ending in ("js", "cjs", "mjs")),
    *(f"**/test.{ending}" for ending in ("js", "cjs", "mjs")),
    *(f"**/test/**/*.{ending}" for ending in ("js", "cjs", "mjs")),
)

# Flags that change neither which tests run nor who reports.
_FLAGS: Final = re.compile(
    r"--test-(?:concurrency|timeout)=\d{1,9}"
    r"|--max-old-space-size=\d{1,9}|--stack-size=\d{1,9}"
    r"|--conditions=[\w-]{1,64}"
    r"|--(?:no-warnings|expose-gc|enable-source-maps)"
    r"|--(?:experimental-(?:test-module-mocks|vm-modules|strip-types|transform-types|sqlite|require-module))"
    r"|--(?:import|require|loader|experimental-loader)=/[^\0]{1,4096}"
)
_REPORTS: Final = re.compile(r"--test-reporter=(?:spec|tap|dot|junit)|--test-reporter-destination=std(?:out|err)")
_NOT_HONOURED: Final = ("NODE_OPTIONS", "NODE_PATH", "NODE_V8_COVERAGE", "NODE_TEST_CONTEXT")
_STRANGE: Final = re.compile(r"[*?\[\]{}\\]|[!+@]\(|^-")  # newer versions read names as patterns, and hand them on
_MENTIONS_TESTS: Final = re.compile(rb"\b(?:node:test|test|it|describe|suite)\b")

_FORMS: Final = {
    "throw": "throw new Error('canary')",
    "reject": "return Promise.reject(new Error('canary'))",
    "fail": "a.fail()",
    "call": "a(0)",
    "ok": "a.ok(0)",
    "equal": "a.equal(1, 2)",
    "notEqual": "a.notEqual(1, 1)",
    "deepEqual": "a.deepEqual({ a: 1 }, { a: 2 })",
    "strictEqual": "a.strictEqual(1, 2)",
    "notStrictEqual": "a.notStrictEqual(1, 1)",
    "deepStrictEqual": "a.deepStrictEqual([{ a: 1 }], [{ a: '1' }])",
    "match": "a.match('a', /b/)",
    "throws": "a.throws(() => 1)",
    "rejects": "return a.rejects(Promise.resolve(1))",
    "strict": "a.strict(0)",
    "strict.equal": "a.strict.equal(1, '1')",
    "strict.deepEqual": "a.strict.deepEqual([1], ['1'])",
}
_PASSING: Final = "a.ok(1); a.equal(1, 1); a.strict.deepEqual([1], [1]); a.throws(() => { throw new Error('x'); })"


class NodeCommand(Value, kw_only=True):
    """The verifier's command taken apart."""

    node: str
    flags: tuple[str, ...]
    patterns: tuple[str, ...]


class NodeRunner:
    """See `TestRunner`. The command is `NODE --test [FLAGS] [FILES or globs]`; without files, Node's own patterns.

    Every method raises ConfigurationError for an argument that cannot be honoured.
    """

    name = "node"

    def run(self, room: Room, argv: tuple[str, ...], sources: Sources) -> TestRun:
        """All tests of the files that match, each file by name."""
        command = checked(argv)
        for variable in _NOT_HONOURED:
            if variable in room.variables:
                raise ConfigurationError(f"variable {variable} cannot be set for the runner node")
        files = selected(command, sources)
        if not files:
            return _nothing(f"no file matches {' '.join(map(escape, command.patterns))}")
        if strange := [file for file in files if _STRANGE.search(file)]:
            return _nothing(f"{escape(strange[0])}: Node would take this name for a pattern or an option")
        key = secrets.token_bytes(32)
        place = room.work / "node-key"
        place.write_bytes(key)
        report = (f"--test-reporter={REPORTER}", "--test-reporter-destination=stdout")
        outcome = _own_limits(room).execute(
            (command.node, "--test", *report, *command.flags, *(f"./{file}" for file in files)),
            variables={"DONE_RECEIPT_KEY": str(place)},
            read_only=(REPORTER, *_folders(command.node)),
        )
        place.unlink(missing_ok=True)
        if outcome.exit_code is None:
            return _nothing(f"{outcome.failure}: {outcome.detail}", duration_ms=outcome.duration_ms)
        helpers = frozenset(file for file in files if not _mentions_tests(sources, file))
        events = read_events(outcome.stdout_data, key, str(room.tree.resolve()), helpers)
        planned, states, faults = judge(events, outcome.exit_code)
        return TestRun(
            planned=planned,
            states=states,
            exit_code=outcome.exit_code,
            faults=faults,
            duration_ms=outcome.duration_ms,
            excerpt=outcome.stderr.excerpt,
        )

    def plant(self, argv: tuple[str, ...], sources: Sources, token: str) -> Planted:
        """Canaries at the end of each test file: they run in its process, and only where it is the file that Node runs.

        Raises ObservationError for a test file that cannot be read.
        """
        command = checked(argv)
        files, failing, passing = {}, set(), set()
        gated = _has_gate(_version(command.node))
        for file in selected(command, sources):
            module = None if gated else _is_module(sources, file)
            files[file] = sources.read(file) + _canaries(file, token, module)
            failing |= {f"{file}{SEPARATOR}{token} {form}" for form in _FORMS}
            passing.add(f"{file}{SEPARATOR}{token} passes")
        return Planted(files=files, failing=frozenset(failing), passing=frozenset(passing))

    def sites(self, argv: tuple[str, ...], sources: Sources, ids: Collection[str]) -> tuple[Site, ...]:
        """Tests with a literal name and a block, called by `test` or `it`, in suites with a literal name.

        Left out: tests with tests in them, repeated names, names with escapes, tests made by a function or in a loop.
        """
        command, wanted = checked(argv), frozenset(ids)
        parents = {parent for identity in wanted for parent in _parents(identity)}
        gate = _GATE if _has_gate(_version(command.node)) else None
        sites: list[Site] = []
        for file in selected(command, sources):
            try:
                found = found_tests(sources.read(file))
            except ObservationError:
                continue
            uses = Counter(test.names for test in found)
            for test in found:
                identity = SEPARATOR.join((file, *test.names))
                single = uses[test.names] == 1 and f"{identity} #2" not in wanted
                if identity in wanted and single and identity not in parents:
                    own = frozenset({identity})
                    sites.append(Site(path=file, position=test.position, fail=_FAIL, gate=gate, ids=own))
        return tuple(sites)


_FAIL: Final = b' throw new Error("canary"); '
_GATE: Final = b' if (process.getBuiltinModule("fs").readFileSync("{}", "utf8") !== "o") throw new Error("canary"); '


def _parents(identity: str) -> Iterable[str]:
    parts = identity.split(SEPARATOR)
    return (SEPARATOR.join(parts[:length]) for length in range(2, len(parts)))


def checked(argv: tuple[str, ...]) -> NodeCommand:
    """Raises ConfigurationError."""
    words = [word for word in argv[1:] if JUNIT not in word]
    if "--test" not in words:
        raise ConfigurationError("the runner node wants NODE --test [FILES]", hint="name node, not npm or npx")
    words.remove("--test")
    flags = tuple(word for word in words if word.startswith("-") and not _REPORTS.fullmatch(word))
    for flag in flags:
        if not _FLAGS.fullmatch(flag):
            hint = "what is loaded before the tests has an absolute path outside the tree: --import=/PATH"
            loads = flag.startswith(("--import", "--require", "-r", "--loader", "--experimental-loader"))
            raise ConfigurationError(f"the runner node cannot honour {escape(flag)}", hint=hint if loads else None)
    patterns = tuple(word.removeprefix("./") for word in words if not word.startswith("-"))
    for pattern in patterns:
        if pattern.startswith("/") or "{" in pattern or pattern.endswith("/"):
            hint = "name files below the root, or patterns such as tests/**/*.test.js; no braces and no folders"
            raise ConfigurationError(f"the runner node cannot honour {escape(pattern)}", hint=hint)
    GlobSet(patterns)
    return NodeCommand(node=argv[0], flags=flags, patterns=patterns or DEFAULT_FILES)


def selected(command: NodeCommand, sources: Sources) -> list[str]:
    """The test files of a tree, sorted."""
    globs = GlobSet(command.patterns)
    return [path for path in sources.paths() if "node_modules" not in path.split("/")[:-1] and globs.matching(path)]


def _mentions_tests(sources: Sources, file: str) -> bool:
    try:
        return _MENTIONS_TESTS.search(sources.read(file)) is not None
    except ObservationError:
        return True


def _nothing(fault: str, *, duration_ms: int = 0) -> TestRun:
    return TestRun(planned=(), states={}, exit_code=None, faults=(fault,), duration_ms=duration_ms)


def _own_limits(room: Room) -> Room:
    """Node reserves many times the memory that it uses: what it writes to is bounded, not what it reserves."""
    return replace(room, limits=replace(room.limits, memory=None, data=room.limits.memory))


def _folders(node: str) -> tuple[Path, ...]:
    """What has to be shown for the executable, by its name and by what that links to."""
    return tuple({Path(node).parent, Path(os.path.realpath(node)).parent} - {Path("/usr/bin"), Path("/bin")})


def _version(node: str) -> tuple[int, int] | None:
    """The version, as the executable says; it is the verifier's. None if it does not say."""
    try:
        answer = subprocess.run(
            [node, "--version"], env={}, stdin=subprocess.DEVNULL, capture_output=True, timeout=VERSION_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.fullmatch(rb"v(\d{1,4})\.(\d{1,4})\..*", answer.stdout.strip())
    return (int(match[1]), int(match[2])) if match else None


def _has_gate(version: tuple[int, int] | None) -> bool:
    if version is None or version < GATE_SINCE:
        return False
    return version[0] == GATE_SINCE[0] or version >= GATE_SINCE_NEXT


def _is_module(sources: Sources, file: str) -> bool:
    """Whether a version that does not look into files takes this one for an ES module."""
    if not file.endswith(".js"):
        return file.endswith(".mjs")
    known = frozenset(sources.paths())
    for folder in PurePosixPath(file).parents:
        manifest = str(folder / "package.json")
        if manifest in known:
            try:
                tree = json.loads(sources.read(manifest))
            except (ValueError, ObservationError):
                return False
            return isinstance(tree, dict) and tree.get("type") == "module"
    return False


def _canaries(file: str, token: str, module: bool | None) -> bytes:
    """What is added to a test file. `module`: whether it is an ES module; None if this version has a way for both."""
    start = ""
    if module:
        start = f'import {token}_t from "node:test";\nimport {token}_a from "node:assert";\n'
        ours = f"const t = {token}_t, a = {token}_a;"
    elif module is None:
        ours = 'const t = process.getBuiltinModule("node:test"), a = process.getBuiltinModule("node:assert");'
    else:
        ours = 'const t = require("node:test"), a = require("node:assert");'
    tests = "".join(f'  t("{token} {form}", () => {{ {body}; }});\n' for form, body in _FORMS.items())
    tests += f'  t("{token} passes", () => {{ {_PASSING}; }});\n'
    own = json.dumps("/" + file)
    return f"\n{start};if (process.argv[1]?.endsWith({own})) {{\n  {ours}\n{tests}}}\n".encode()
