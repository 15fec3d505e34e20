"""What is told about this machine is what a command finds there."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.sandbox.bubblewrap import find_bubblewrap
from in_toto_done_receipt.observe.sandbox.model import SandboxFacts
from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.results.model import SandboxLevel

ROOT = Path(__file__).parents[4]
NEVER_WITHOUT_BUBBLEWRAP = {"bubblewrap", "no-network", "processes"}


def active(facts: SandboxFacts) -> set[str]:
    return {layer.name for layer in facts.layers if layer.active}


def test_bubblewrap_has_every_layer_it_promises(bubblewrap: SandboxLevel) -> None:
    facts = probe()
    absent = {layer.name for layer in facts.layers} - active(facts)
    assert facts.level == bubblewrap
    assert absent <= {"landlock", "seccomp"}


def test_lower_level_does_not_claim_the_layers_of_bubblewrap(need: Callable[[SandboxLevel], None]) -> None:
    need("landlock")
    facts = probe(highest="landlock")
    assert facts.level == "landlock"
    assert active(facts).isdisjoint(NEVER_WITHOUT_BUBBLEWRAP)
    assert active(facts) >= {"landlock", "files", "kill-all", "limits", "no-new-privileges"}


def test_lowest_level_claims_no_confinement() -> None:
    facts = probe(highest="rlimits")
    assert facts.level == "rlimits"
    assert active(facts).isdisjoint(NEVER_WITHOUT_BUBBLEWRAP | {"landlock", "files", "no-tcp", "signals"})


def test_every_level_names_the_same_layers(level: SandboxLevel) -> None:
    names = [layer.name for layer in probe(highest=level).layers]
    assert names == [layer.name for layer in probe(highest="rlimits").layers]


def test_what_all_processes_use_is_bounded_at_every_level_for_root_too(level: SandboxLevel) -> None:
    assert active(probe(highest=level)) >= {"memory-limit", "disk-limit"}


def test_without_libseccomp_the_layer_is_absent_and_says_why(
    level: SandboxLevel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At level bubblewrap sockets to the hypervisor are then open, if the kernel has them: that is no level."""
    for place in ("probe", "run"):
        monkeypatch.setattr(f"in_toto_done_receipt.observe.sandbox.{place}.filter_program", lambda *, alone: None)
    facts = probe(highest=level)
    (seccomp,) = (layer for layer in facts.layers if layer.name == "seccomp")
    assert (seccomp.active, seccomp.detail) == (False, "no libseccomp.so.2")


def fake_bwrap(folder: Path) -> Path:
    path = folder / "bwrap"
    path.write_text(f"#!/bin/sh\n: > {folder}/called\nexec /bin/true\n")
    path.chmod(0o755)
    return path


def test_bwrap_on_path_is_never_used(
    need: Callable[[SandboxLevel], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("bubblewrap")
    fake_bwrap(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:.:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    assert probe().level == "bubblewrap"
    assert not (tmp_path / "called").exists()


def test_no_bwrap_is_told(tmp_path: Path) -> None:
    with pytest.raises(ObservationError, match=r"^no bwrap at .*/bwrap$") as caught:
        find_bubblewrap((tmp_path / "bwrap",))
    assert caught.value.kind == "missing"


@pytest.mark.parametrize("mode", [0o775, 0o757])
def test_bwrap_that_others_can_write_is_refused(tmp_path: Path, mode: int) -> None:
    path = fake_bwrap(tmp_path)
    path.chmod(mode)
    if os.geteuid() == 0:
        os.chown(path, 0, 12345)
    with pytest.raises(ObservationError) as caught:
        find_bubblewrap((path,))
    assert caught.value.kind == "writable_by_others"
    assert not (tmp_path / "called").exists()


def test_bwrap_of_anybody_but_root_is_refused(tmp_path: Path) -> None:
    path = fake_bwrap(tmp_path)
    if os.geteuid() == 0:
        os.chown(path, 12345, 0)
    with pytest.raises(ObservationError, match="belongs to user") as caught:
        find_bubblewrap((path,))
    assert caught.value.kind == "writable_by_others"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs an executable that belongs to root")
def test_bwrap_that_only_pretends_gives_no_level(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that confines nothing is found out by the self-test, not by its name."""
    path = fake_bwrap(tmp_path)
    path.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    monkeypatch.setattr("in_toto_done_receipt.observe.sandbox.bubblewrap.find_bubblewrap.__defaults__", ((path,),))
    facts = probe()
    assert facts.level != "bubblewrap"
    assert "the self-test found no no-network" in next(x.detail for x in facts.layers if x.name == "bubblewrap")


NOBODY = """
import json, os, sys
os.environ["TMPDIR"] = sys.argv[1]
from pathlib import Path
from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.observe.sandbox.run import run
facts = probe(highest=sys.argv[2])
copy = Path(sys.argv[1], "copy"); copy.mkdir()
outcome = run(["/bin/sh", "-c", "echo made > made; ulimit -p"], copy=copy, level=facts.level)
print(json.dumps([os.getuid(), facts.level, [x.name for x in facts.layers if x.active], outcome.exit_code,
                  (copy / "made").read_text()]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="everything here runs without privileges already")
def test_everything_works_without_privileges(level: SandboxLevel, tmp_path: Path) -> None:
    python = Path(sys.executable).resolve()
    if any(not parent.stat().st_mode & 0o001 for parent in python.parents):
        system = shutil.which("python3", path="/usr/bin") or ""
        same = subprocess.run(
            [system, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True
        )
        if same.stdout.split() != [str(part) for part in sys.version_info[:2]]:
            pytest.skip("nobody cannot execute this Python, and the system has no other of its version")
        python = Path(system)
    with tempfile.TemporaryDirectory(prefix="nobody-") as folder:
        os.chown(folder, 65534, 65534)
        path = os.pathsep.join([str(ROOT), *(place for place in sys.path if place.endswith("site-packages"))])
        outcome = subprocess.run(
            [str(python), "-c", NOBODY, folder, level],
            user=65534, group=65534, extra_groups=[], cwd="/", env={"PYTHONPATH": path}, capture_output=True, text=True,
        )  # fmt: skip
    assert outcome.returncode == 0, outcome.stderr
    user, found, layers, code, made = json.loads(outcome.stdout)
    assert (user, found, code, made) == (65534, level, 0, "made\n")
    assert {
        "process-limit",
        "memory-limit",
        "disk-limit",
        "seccomp",
        "kill-all",
        "limits",
        "no-new-privileges",
        "parent-closed",
    } <= set(layers)
