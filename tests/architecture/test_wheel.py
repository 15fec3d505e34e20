"""The built wheel has everything it needs: installed offline into a clean environment, it runs its demo."""

import fcntl
import os
import subprocess
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
WHEELHOUSE = ROOT / "build" / "wheelhouse"

pytestmark = pytest.mark.offline_wheel


@pytest.fixture(scope="session")
def wheel() -> Path:
    found = list(WHEELHOUSE.glob("in_toto_done_receipt-*.whl"))
    if len(found) != 1:
        pytest.fail(f"one wheel is wanted in build/wheelhouse, found {len(found)}: run `make wheelhouse`")
    return found[0]


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that holds the wheel and what it depends on, made without a network.

    One for all workers: the first that comes makes it, the others wait for it.
    """
    base = tmp_path_factory.getbasetemp()
    place = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, done = place / "wheel-venv", place / "wheel-venv.done"
    with (place / "wheel-venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            venv.create(folder, with_pip=True, clear=True)
            pip = [str(folder / "bin" / "python"), "-m", "pip", "--isolated", "--disable-pip-version-check", "--quiet"]
            argv = [*pip, "install", "--no-index", "--find-links", str(WHEELHOUSE), str(wheel)]
            subprocess.run(argv, check=True, env=clean_environment())
            done.touch()
    return folder / "bin"


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}


def run(installed: Path, cwd: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    command = [str(installed / argv[0]), *argv[1:]]
    return subprocess.run(command, capture_output=True, text=True, env=clean_environment(), cwd=cwd, check=False)


def test_it_ships_the_policy_and_nothing_else(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    folder = "in_toto_done_receipt/policy/"
    shipped = {name for name in names if name.startswith(folder) and not name.endswith(".rego")}
    expected = {"admission.wasm", "admission.pulley", "admission.pulley.json", "catalogue.json", "schemas/input.json"}
    expected.add("adapters/gatekeeper/template.yaml")
    assert shipped == {folder + name for name in expected}
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"in_toto_done_receipt"}


def test_it_ships_every_file_of_the_package(wheel: Path) -> None:
    kinds = {".py", ".json", ".typed"}
    here = {str(path.relative_to(ROOT)) for path in (ROOT / "in_toto_done_receipt").rglob("*") if path.suffix in kinds}
    assert here - set(ZipFile(wheel).namelist()) == set()
    assert "in_toto_done_receipt/py.typed" in ZipFile(wheel).namelist()


def test_it_says_its_version(installed: Path, wheel: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "done-receipt", "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert wheel.name.split("-")[1] in done.stdout


def test_it_runs_its_demo(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "done-receipt", "demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_its_handler_is_found_by_a_host(installed: Path, tmp_path: Path) -> None:
    code = (
        "from importlib.metadata import entry_points\n"
        "(found,) = entry_points(group='in_toto.predicate_handlers')\n"
        "print(found.name, found.dist.name, found.load().predicate_type)"
    )
    done = run(installed, tmp_path, "python", "-I", "-c", code)
    assert done.stdout.split()[:2] == ["done-receipt", "in-toto-done-receipt"], done.stderr
    assert done.stdout.split()[2].startswith("https://")
