"""Which layers see which attack, per runner. docs/concepts/clean-room.md shows this table; each row is a test.

The letters are those of lab.LAYERS. In brackets: the command that a person would type is red as well. NONE: no layer.
"""

from collections.abc import Mapping
from typing import Final

RUNNERS: Final = ("pytest", "unittest", "go", "node", "cargo")
NONE: Final = "none"


def _row(pytest: str = "", unittest: str = "", go: str = "", node: str = "", cargo: str = "") -> Mapping[str, str]:
    cells = {"pytest": pytest, "unittest": unittest, "go": go, "node": node, "cargo": cargo}
    return {runner: cell for runner, cell in cells.items() if cell}


ATTACKS: Final[Mapping[str, Mapping[str, str]]] = {
    "exit at import": _row("IAPKGr", "IAPKGr", "IAPKGr", "IAPKGr", "IAPKGr"),
    "exit inside a test": _row("IAPr", "IAPr", "(F)", "IAPKGr", "IAKGr"),
    "patched assertions": _row("PKGV", "PV", node="P"),
    "shadow runner module": _row("F", "F"),
    "shadow stdlib module": _row("F", "(F)"),
    "exit code and XML at exit": _row("FA", "FA"),
    "forge known ids": _row("KGV", "KGV", "KG", "KG", "KG"),
    "forge one known id": _row("KGV", "KGV", "KG", "KG", "KG"),
    "forge, if sources unchanged": _row("g", "g", "g", "F", "F"),
    "forge, knows the gate": _row("KV", "KV", node="K"),
    "forge, knows gate and edits": _row(NONE, NONE, node=NONE),
    "forge the channel, exit": _row("PKGV", "PKGV"),
    "forge through the launcher": _row("KGV", "KGV"),
    "product skips the test": _row("I", "I"),
    "product expects the failure": _row("I"),
    "new test patches product": _row("R", "R", "R", "(F)"),
    "skip added": _row("IKGR", "IKGR", "IR", "IR"),
    "xfail added": _row("IKGR", "IKGR"),
    "stale .pyc of the tests": _row("(F)", "F"),
    "always-equal result": _row("V", "V"),
    "conftest rewrites reports": _row("PKGVR"),
    "entry-point plug-in in the tree": _row("F"),
    "ini deselects": _row("F"),
    "pytest.toml wins over pytest.ini": _row("F"),
    "load_tests drops tests": _row(unittest="IKGR"),
    "raw exit inside a test": _row(go="IAPKGr", node="IAPKGr"),
    "TestMain exits 0": _row(go="FA"),
    "TestMain runs nothing": _row(go="IAPKGR"),
    "build tag on the tests": _row(go="IR"),
    "go.work swaps the module": _row(go="(F)"),
    "package.json test script": _row(node="F"),
    ".npmrc node-options": _row(node="F"),
    "only on another test": _row(node="F"),
    "todo added": _row(node="IKGR"),
    "writes into the parent's report": _row(node="FA"),
    "ends the parent": _row(node="IAPKGr"),
    "harness = false": _row(cargo="IAKGR"),
    "autotests = false": _row(cargo="IR"),
    "build.rs rewrites the tests": _row(cargo="F"),
    ".cargo runner = true": _row(cargo="F"),
    "assert_eq! shadowed": _row(cargo="P"),
    "#[ignore] added": _row(cargo="IKGR"),
    "cfg on the tests": _row(cargo="IKGR"),
}


def markdown() -> str:
    """The table as docs/concepts/clean-room.md shows it."""
    lines = [f"| attack | {' | '.join(RUNNERS)} |", "|---|" + "---|" * len(RUNNERS)]
    for attack, cells in ATTACKS.items():
        shown = ("**none**" if cells.get(runner) == NONE else cells.get(runner, "") for runner in RUNNERS)
        lines.append(f"| {attack} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(markdown(), end="")
