"""House rule 1: a module under 400 lines, a function under 60."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "in_toto_done_receipt"
MODULES = [*sorted(PACKAGE.rglob("*.py")), ROOT / "hatch_build.py"]


def functions(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            yield node.name, (node.end_lineno or first) - first + 1


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_size(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 400
    assert [(name, lines) for name, lines in functions(ast.parse(text)) if lines >= 60] == []


def test_no_folder_for_everything() -> None:
    assert [str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*util*")] == []


def test_there_is_something_to_measure() -> None:
    assert len(MODULES) > 10
