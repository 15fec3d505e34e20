"""A small project for Node, and attacks on its tests. In head, mul is wrong."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Final

BROKEN: Final = r" > mul$"
FILE: Final = "tests/m.test.js"
PRODUCT: Final = "exports.add = (a, b) => a + b;\nexports.mul = (a, b) => a * b;\n"
NAMES: Final = ("one", "two", "mul", "three", "four")
TESTS: Final = (
    "const test = require('node:test');\nconst assert = require('node:assert');\nconst m = require('../m.js');\n"
    + "".join(
        f"test('{name}', () => {{\n  assert.strictEqual({call}, {value});\n}});\n"
        for name, call, value in (
            ("one", "m.add(1, 0)", 1),
            ("two", "m.add(1, 1)", 2),
            ("mul", "m.mul(3, 4)", 12),
            ("three", "m.add(1, 2)", 3),
            ("four", "m.add(2, 2)", 4),
        )
    )
)
PACKAGE: Final = '{"name": "m", "version": "1.0.0", "scripts": {"test": "node --test tests/"}}\n'
BASE: Final[Mapping[str, str]] = {"package.json": PACKAGE, "m.js": PRODUCT, FILE: TESTS}
WRONG: Final = PRODUCT.replace("a * b", "a * b + 1")
HEAD: Final[Mapping[str, str]] = {**BASE, "m.js": WRONG}

# The process of a test file reports to its parent over standard output, in frames of V8: a word of the same length in
# the place of another keeps them valid.
_FORGER: Final = """
const KNOWN = new Set(%s); const fs = require('fs'), write = process.stdout.write;
%s
if (%s) {
  process.stdout.write = function (chunk, ...rest) {
    let data = Buffer.from(chunk), text = data.toString('latin1');
    if ([...KNOWN].some((name) => text.includes(name)) && text.includes('test:fail'))
      data = Buffer.from(text.replaceAll('test:fail', 'test:pass'), 'latin1');
    return write.call(process.stdout, data, ...rest);
  };
  process.on('exit', () => process.reallyExit(0));
}
"""
# It looks at what each test is told at the gate, and lets those fail that are told to.
_GATE_KNOWN: Final = """
const source = fs.readFileSync(process.argv[1], 'latin1'), find = process.getBuiltinModule;
const gates = source.matchAll(/test\\('(\\w+)', \\(\\) => \\{ if \\(.*?readFileSync\\("([^"]+)"/g);
const at = new Map([...gates].map(([, name, path]) => [path, name]));
process.getBuiltinModule = (name) => name !== 'fs' ? find(name) : {
  readFileSync: (path, ...rest) => {
    const told = fs.readFileSync(path, ...rest);
    if (told === 'x') KNOWN.delete(at.get(path));
    return told;
  },
};
"""
# It looks into the test file for what is thrown, too.
_EDITS_KNOWN: Final = (
    _GATE_KNOWN
    + """
for (const [, name] of source.matchAll(/test\\('(\\w+)', \\(\\) => \\{ throw new Error/g)) KNOWN.delete(name);
"""
)
_SAME: Final = (
    "require('crypto').createHash('sha256').update(fs.readFileSync('tests/m.test.js')).digest('hex') === '"
    + hashlib.sha256(TESTS.encode()).hexdigest()
    + "'"
)
# It writes into the report itself: the output of the process that started it.
_TO_THE_PARENT: Final = """
const text = '[0,"passed",0,"tests/m.test.js","mul","test"]\\n';
try { require('fs').writeFileSync(`/proc/${process.ppid}/fd/1`, text); } catch {}
"""


def _forger(names: Iterable[str], when: str = "true", more: str = "") -> dict[str, str]:
    return {"m.js": WRONG + _FORGER % (json.dumps(list(names)), more, when)}


def _exits(how: str) -> dict[str, str]:
    return {"m.js": WRONG.replace("a * b + 1", how)}


# By the rows of the table: files laid over head.
NODE_ATTACKS: Final[Mapping[str, Mapping[str, str]]] = {
    "exit at import": {"m.js": "process.exit(0);\n" + WRONG},
    "exit inside a test": _exits("process.exit(0)"),
    "raw exit inside a test": _exits("process.reallyExit(0)"),
    "patched assertions": {"m.js": WRONG + "require('assert').strictEqual = () => {};\n"},
    "forge known ids": _forger(NAMES),
    "forge one known id": _forger(["mul"]),
    "forge, if sources unchanged": _forger(NAMES, _SAME),
    "forge, knows the gate": _forger(NAMES, more=_GATE_KNOWN),
    "forge, knows gate and edits": _forger(NAMES, more=_EDITS_KNOWN),
    "writes into the parent's report": {"m.js": WRONG + _TO_THE_PARENT},
    "ends the parent": {"m.js": "process.kill(process.ppid, 'SIGKILL');\n" + WRONG},
    "package.json test script": {"package.json": PACKAGE.replace("node --test tests/", "true")},
    ".npmrc node-options": {
        ".npmrc": "node-options=--require ./evil.js\n",
        "evil.js": "require('assert').strictEqual = () => {};\n",
    },
    "new test patches product": {"tests/a.test.js": "require('../m.js').mul = (a, b) => a * b;\n"},
    "only on another test": {
        FILE: TESTS.replace("test('one'", "test.only('one'"),
        "package.json": PACKAGE.replace("--test ", "--test --test-only "),
    },
    "skip added": {FILE: TESTS.replace("test('mul'", "test.skip('mul'")},
    "todo added": {FILE: TESTS.replace("test('mul',", "test('mul', { todo: true },")},
}
