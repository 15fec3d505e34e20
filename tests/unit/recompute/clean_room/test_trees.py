"""Trees of the runs: what is put back, what goes, what a link in the way can do (nothing)."""

from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ConfigurationError, RepositoryRefused
from in_toto_done_receipt.observe.git.trees import Entry
from in_toto_done_receipt.observe.git.workspace import GitWorkspace
from in_toto_done_receipt.recompute.case import Case
from in_toto_done_receipt.recompute.clean_room.overlay import hidden_tests
from in_toto_done_receipt.recompute.clean_room.trees import Tree, Trees, laid_over
from tests.repositories.build import all_files
from tests.unit.recompute.clean_room.conftest import BASE, Open

TESTS = str(BASE["tests/a.t"]).encode()


def trees(case: Case) -> Trees:
    assert case.context.change is not None
    return Trees(case.context, case.context.change)


def written(case: Case, tree: Tree, folder: Path) -> dict[str, bytes]:
    workspace = case.context.workspace
    assert isinstance(workspace, GitWorkspace)
    workspace.repository.write(tree.files, folder, literal=tree.literal)
    return all_files(folder)


def test_restored_is_heads_product_with_bases_tests(opened: Open, tmp_path: Path) -> None:
    case = opened(work={"product.txt": "more\n", "tests/a.t": "test one\n", "tests/new.t": "test more\n"})
    assert written(case, trees(case).restored(), tmp_path / "w") == {"product.txt": b"more\n", "tests/a.t": TESTS}


def test_control_is_bases_product_with_heads_tests(opened: Open, tmp_path: Path) -> None:
    case = opened(work={"product.txt": "more\n", "tests/a.t": None, "tests/new.t": "test more\n"})
    assert written(case, trees(case).control(), tmp_path / "w") == {
        "product.txt": b"sum\n",
        "tests/new.t": b"test more\n",
    }


def test_compiled_python_is_in_no_tree(opened: Open) -> None:
    work: dict[str, str | None] = {"tests/__pycache__/a.cpython-311.pyc": "x", "src/b.pyc": "x", "src/pyc.py": ""}
    case = opened(work=work)
    assert set(trees(case).head().files) == {b"product.txt", b"tests/a.t", b"src/pyc.py"}


@pytest.mark.parametrize(
    "path", ["conftest.py", "tests/conftest.py", "pytest.ini", "random.py", "tests/json/__init__.py"]
)
def test_what_steers_and_only_head_has_goes(opened: Open, path: str) -> None:
    case = opened(base={"test_b.py": "def test_b(): pass\n"}, work={path: "x = 1\n"})
    assert path.encode() not in trees(case).restored().files
    assert path.encode() in trees(case).head().files


def test_a_module_of_the_standard_librarys_name_that_base_has_stays_heads(opened: Open, tmp_path: Path) -> None:
    case = opened(base={"test_b.py": "", "random.py": "x = 1\n"}, work={"random.py": "x = 2\n"})
    assert written(case, trees(case).restored(), tmp_path / "w")["random.py"] == b"x = 2\n"


PROJECT = '[project]\nname = "a"\ndependencies = []\n'


@pytest.mark.parametrize(
    ("head", "stays"),
    [
        (PROJECT.replace("[]", '["b"]'), True),
        (PROJECT + '[tool.pytest.ini_options]\naddopts = "-k x"\n', False),
        ("not [ toml", False),
    ],
    ids=["dependencies", "how tests run", "unreadable"],
)
def test_product_and_harness_at_once(opened: Open, tmp_path: Path, head: str, stays: bool) -> None:
    case = opened(base={"pyproject.toml": PROJECT, "test_b.py": ""}, work={"pyproject.toml": head})
    files = written(case, trees(case).restored(), tmp_path / "w")
    assert files["pyproject.toml"] == (head if stays else PROJECT).encode()


def test_moved_are_the_tests_that_head_has_otherwise(opened: Open) -> None:
    case = opened(base={"tests/b.t": "test b\n"}, work={"tests/b.t": None, "product.txt": "x\n"})
    assert trees(case).moved == {"tests/b.t"}


# --- links -----------------------------------------------------------------------------------------------------------


def test_a_link_in_the_place_of_the_tests_is_not_followed(opened: Open, tmp_path: Path) -> None:
    """Threat 22, with canaries: what is planted into tests/ lands in the tree, not where the link leads."""
    victim = tmp_path / "victim"
    victim.mkdir()
    case = opened(work={"tests/a.t": None}, links={"tests": str(victim)})
    made = trees(case)
    assert written(case, made.restored(), tmp_path / "a")["tests/a.t"] == TESTS
    planted = laid_over(made.head(), {"tests/zq.t": b"test x\n"})
    assert written(case, planted, tmp_path / "b") == {"product.txt": b"sum\n", "tests/zq.t": b"test x\n"}
    assert list(victim.iterdir()) == []


def test_a_link_in_the_place_of_a_planted_file_goes(opened: Open, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    case = opened(links={"tests/zq.t": str(victim)})
    planted = laid_over(trees(case).head(), {"tests/zq.t": b"test x\n"})
    assert written(case, planted, tmp_path / "w")["tests/zq.t"] == b"test x\n"
    assert victim.read_text() == "mine"


def test_a_link_that_composing_missed_is_refused_when_it_is_written(opened: Open, tmp_path: Path) -> None:
    """The last line of defence: a content of ours below a link of the tree."""
    victim = tmp_path / "victim"
    victim.mkdir()
    case = opened(work={"tests/a.t": None}, links={"tests": str(victim)})
    tree = Tree(files=trees(case).head().files, literal={b"tests/zq.t": b"test x\n"})
    with pytest.raises(RepositoryRefused, match="cannot be written"):
        written(case, tree, tmp_path / "w")
    assert list(victim.iterdir()) == []


def test_what_is_laid_over_takes_the_place_of_what_is_in_the_way() -> None:
    file, link = Entry("100644", "0" * 40), Entry("120000", "1" * 40)
    tree = Tree(files={b"a": file, b"b/c": file, b"d": link, b"e": file}, literal={b"f/g": b"x"})
    over = laid_over(tree, {"a/x": b"1", "b": b"2", "d": b"3", "e": b"4", "f": b"5"})
    assert over.files == {b"e": file}
    assert over.literal == {b"a/x": b"1", b"b": b"2", b"d": b"3", b"e": b"4", b"f": b"5"}


def test_an_edited_file_keeps_its_mode(opened: Open, tmp_path: Path) -> None:
    case = opened()
    tree = trees(case).head()
    raw = b"product.txt"
    tree = Tree(files={**tree.files, raw: tree.files[raw]._replace(mode="100755")}, literal={raw: b"own\n"})
    assert written(case, tree, tmp_path / "w")["product.txt"] == b"own\n"
    assert (tmp_path / "w" / "product.txt").stat().st_mode & 0o777 == 0o755


# --- overlay ---------------------------------------------------------------------------------------------------------


def test_an_overlay_is_read_with_its_folders(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "h.t").write_bytes(b"\xff")
    assert hidden_tests(tmp_path) == {"tests/h.t": b"\xff"}


def test_an_overlay_that_says_nothing_or_leads_away_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="holds no file"):
        hidden_tests(tmp_path)
    with pytest.raises(ConfigurationError, match="does not exist"):
        hidden_tests(tmp_path / "nothing")
    (tmp_path / "link").symlink_to("/etc/passwd")
    with pytest.raises(ConfigurationError, match="link is a symbolic link"):
        hidden_tests(tmp_path)


CRATE = '[package]\nname = "a"\nversion = "1.0.0"\n'
LOCK = 'version = 3\n\n[[package]]\nname = "a"\nversion = "1.0.0"\n'


@pytest.mark.parametrize("more", ["", "[profile.test]\nopt-level = 1\n"], ids=["version", "version and how tests run"])
def test_a_lock_goes_with_its_manifest(opened: Open, tmp_path: Path, more: str) -> None:
    later = {"Cargo.toml": CRATE.replace("1.0", "1.1") + more, "Cargo.lock": LOCK.replace("1.0", "1.1")}
    case = opened(base={"Cargo.toml": CRATE, "Cargo.lock": LOCK}, work=later)
    files = written(case, trees(case).restored(), tmp_path / "w")
    wanted = {"Cargo.toml": CRATE, "Cargo.lock": LOCK} if more else later
    assert {name: files[name].decode() for name in wanted} == wanted
