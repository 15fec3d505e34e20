"""What the launcher of Python's runners does before and around tests; what it does with them is in tests/runners."""

import ast
import json
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from in_toto_done_receipt.observe.runners import python_launch
from in_toto_done_receipt.observe.runners.python_launch import Unittest, _installed_instead, _packages, _twice, let_in
from in_toto_done_receipt.observe.runners.python_run import read_events

SOURCE = Path(python_launch.__file__).read_text(encoding="utf-8")


def test_it_is_written_for_old_pythons() -> None:
    ast.parse(SOURCE, feature_version=(3, 8))


def test_it_imports_nothing_but_python_and_the_framework() -> None:
    nodes = list(ast.walk(ast.parse(SOURCE)))
    names = {alias.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module).split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}

    assert names - sys.stdlib_module_names == {"pytest"}


def test_it_fits_into_one_argument() -> None:
    assert len(SOURCE.encode()) < 100_000  # Linux takes 128 KiB


class Said:
    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []

    def __call__(self, kind: str, what: Any) -> None:
        self.events.append((kind, what))


@pytest.mark.parametrize(
    ("notes", "state"),
    [
        ([], "passed"),
        (["skipped"], "skipped"),
        (["xfailed"], "xfailed"),
        (["failed"], "failed"),
        (["failed", "error"], "failed"),
        (["failed", "skipped"], "failed"),
        (["xfailed", "error"], "error"),
    ],
)
def test_a_test_counts_by_the_worst_that_is_said_of_it(notes: list[str], state: str) -> None:
    said = Said()
    tests = Unittest(said, ["m.T.test_x"])
    tests.begin("m.T.test_x")
    for note in notes:
        tests.note("m.T.test_x", note)
    tests.settle()

    assert said.events == [("start", "m.T.test_x"), (state, "m.T.test_x")]
    assert tests.red is bool({"failed", "error"} & set(notes))


def test_a_class_that_cannot_be_set_up_takes_all_of_its_tests_along() -> None:
    said = Said()
    tests = Unittest(said, ["m.T.test_x", "m.TT.test_y", "m.T.test_z"])
    tests.note("setUpClass (m.T)", "error")

    assert [what for kind, what in said.events if kind == "error"] == ["m.T.test_x", "m.T.test_z"]
    assert tests.red


@pytest.mark.parametrize("name", ["tearDownClass (m.T)", "tearDownModule (m)", "setUpClass (m.Unknown)"])
def test_a_fixture_that_belongs_to_no_waiting_test_is_a_fault(name: str) -> None:
    said = Said()
    Unittest(said, ["m.T.test_x"]).note(name, "error")

    assert said.events == [("fault", f"{name} failed")]


@pytest.fixture
def imports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """What decides over imports, as it was afterwards."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "pycache_prefix", sys.pycache_prefix)
    monkeypatch.setattr(sys, "dont_write_bytecode", sys.dont_write_bytecode)
    (tmp_path / "tree").mkdir()
    return tmp_path / "tree"


def test_the_tree_comes_last(imports: Path) -> None:
    before = list(sys.path)

    assert let_in([str(imports), str(imports / "src")]) is None
    assert sys.path == [*before, str(imports)]


@pytest.mark.parametrize("name", ["json.py", "json/__init__.py", "sys.py", "setup.py", "pytest.py", "a-b.py", "x.txt"])
def test_what_is_hidden_or_never_imported_is_let_in(imports: Path, name: str) -> None:
    (imports / name).parent.mkdir(exist_ok=True)
    (imports / name).touch()

    assert let_in([str(imports)]) is None


@pytest.mark.parametrize(
    "name", ["hypothesis/__init__.py", "msgspec.py", "pluggy/__init__.py", "google/protobuf/__init__.py"]
)
def test_what_is_installed_as_well_is_not(imports: Path, name: str) -> None:
    module = name.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")
    if find_spec(module.split(".")[0]) is None or find_spec(module) is None:
        pytest.skip(f"needs {module}")
    (imports / name).parent.mkdir(parents=True, exist_ok=True)
    (imports / name).touch()

    assert str(let_in([str(imports)])).startswith(f"{module} is installed at ")


@pytest.mark.parametrize("name", ["examples", "scripts", "docs"])
def test_what_lies_beside_the_product_is_told_only_if_it_was_imported(
    imports: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (imports / name).mkdir()
    (imports / name / "__init__.py").touch()
    packages = _packages(str(imports))
    refused = let_in([str(imports)])
    told_before = list(_installed_instead(packages))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    monkeypatch.setitem(sys.modules, name, module := ModuleType(name))
    module.__file__ = str(tmp_path / "venv/lib/site-packages" / name / "__init__.py")

    assert (refused, told_before) == (None, [])
    assert list(_installed_instead(packages)) == [
        f"tests imported {name} from {module.__file__}, and not from {imports}/{name}: see what is installed"
    ]


def test_packages_of_a_tree_are_counted_and_not_followed_through_links(tmp_path: Path) -> None:
    for number in range(2100):
        (tmp_path / "many" / f"p{number}").mkdir(parents=True)
        (tmp_path / "many" / f"p{number}" / "__init__.py").touch()
    (tmp_path / "loop").symlink_to(tmp_path)
    found = _packages(str(tmp_path))

    assert 2000 <= len(found) <= 2100
    assert not any("/loop/" in place for place in found.values())


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        (("shop.py", "src/shop/__init__.py"), "shop lies in the root of the tree and in src"),
        (("shop/__init__.py", "src/shop/__init__.py", "src/__init__.py"), None),
        (("shop.py", "src/stock.py"), None),
        (("setup.py", "src/setup.py", "tests/__init__.py", "src/tests/__init__.py"), None),
        (("shop.py",), None),
    ],
)
def test_a_product_lies_in_one_place(tmp_path: Path, files: tuple[str, ...], fault: str | None) -> None:
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    found = _twice(str(tmp_path))

    assert found is None if fault is None else str(found).startswith(fault)


def test_an_editable_installation_is_set_aside(imports: Path, tmp_path: Path) -> None:
    (tmp_path / "checkout").mkdir()
    for folder in (imports, tmp_path / "checkout"):
        (folder / "our_shop.py").touch()
    sys.path.append(str(tmp_path / "checkout"))

    assert let_in([str(imports)]) is None
    assert str(tmp_path / "checkout") not in sys.path


def test_an_installed_copy_beside_an_editable_one_is_found(imports: Path, tmp_path: Path) -> None:
    (tmp_path / "checkout").mkdir()
    for folder in (imports, tmp_path / "checkout"):
        (folder / "msgspec.py").touch()
    sys.path.insert(0, str(tmp_path / "checkout"))

    assert str(let_in([str(imports)])).startswith("msgspec is installed at ")


def test_the_trees_own_package_of_tests_is_found(imports: Path) -> None:
    (imports / "test").mkdir()
    (imports / "test" / "__init__.py").touch()
    let_in([str(imports)])
    spec = sys.meta_path[0].find_spec("test", None)

    assert spec is not None
    assert spec.origin == str(imports / "test" / "__init__.py")


@pytest.mark.parametrize(
    ("data", "events"),
    [
        (b"", []),
        (b'["start", "a"]\n', [("start", "a")]),
        (b'["start", "a"]', [("start", "a")]),
        (b"\n", [("bad", "")]),
        (b'["start"]\n', [("bad", '["start"]')]),
        (b"[1, 2]\n", [("bad", "[1, 2]")]),
        (b'{"start": "a"}\n', [("bad", '{"start": "a"}')]),
        (b"\xff\n", [("bad", "\\xff")]),
        (b'["start", "\\ud800"]\n', [("start", "\\ud800")]),
        (b'["plan", ["\\ud800", 1]]\n', [("plan", ["\\ud800", 1])]),
    ],
)
def test_events_are_read_line_by_line(data: bytes, events: list[tuple[str, Any]]) -> None:
    assert list(read_events(data)) == events


def test_a_line_that_is_deep_or_long_is_no_event() -> None:
    deep = json.loads(
        json.dumps([list(read_events(b'["plan", ' + b"[" * 5000 + b"\n")), list(read_events(b"x" * 10**6))])
    )

    assert [event[0] for events in deep for event in events] == ["bad", "bad"]
    assert all(len(event[1]) <= 200 for events in deep for event in events)
