"""The control group that limits processes for root."""

import os
import subprocess
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.sandbox import cgroup

FIRST = "31 23 0:26 {root} /sys/fs/cgroup/pids rw,relatime shared:5 - cgroup cgroup rw,pids"
SECOND = "24 23 0:22 {root} /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"
OTHER = "36 1 8:1 / / rw - ext4 /dev/sda1 rw"


@pytest.mark.parametrize(
    ("groups", "mounts", "base"),
    [
        ("9:name=systemd:/\n8:pids:/\n0::/", [OTHER, FIRST.format(root="/")], "/sys/fs/cgroup/pids"),
        ("8:pids:/a/b", [OTHER, FIRST.format(root="/")], "/sys/fs/cgroup/pids/a/b"),
        ("8:memory,pids:/docker/x/y", [FIRST.format(root="/docker/x")], "/sys/fs/cgroup/pids/y"),
        ("8:pids:/a", [FIRST.format(root="/b")], None),
        ("0::/user.slice/session-1.scope", [SECOND.format(root="/")], "/sys/fs/cgroup/user.slice"),
        ("0::/", [SECOND.format(root="/")], "/sys/fs/cgroup"),
        ("0::/../other", [SECOND.format(root="/")], None),
        ("8:pids:/\n0::/", [SECOND.format(root="/")], None),
        ("8:pids:/", [OTHER], None),
        ("", [], None),
    ],
)
def test_base_of(groups: str, mounts: list[str], base: str | None) -> None:
    found = cgroup.base_of(groups, "\n".join(mounts))
    assert found == (None if base is None else Path(base))


@pytest.fixture
def base() -> Path:
    """Where groups can be made on this machine."""
    if os.geteuid() != 0:
        pytest.skip("only root has a group")
    found = cgroup.base_of(Path("/proc/self/cgroup").read_text(), Path("/proc/self/mountinfo").read_text())
    with cgroup.process_group(5) as entrance:
        if found is None or entrance < 0:
            pytest.skip("no group can be made on this machine")
    return found


def mine(base: Path) -> list[Path]:
    return list(base.glob(f"{cgroup.PREFIX}{os.getpid()}-*"))


def test_a_group_limits_and_is_gone_at_the_end(base: Path) -> None:
    with cgroup.process_group(5) as entrance:
        (group,) = mine(base)
        assert (group / "pids.max").read_text() == "5\n"
        with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE) as cat:
            thread = cgroup.enter_early(entrance, cat.pid)
            assert thread is not None
            thread.join()
            assert (group / "cgroup.procs").read_text() == f"{cat.pid}\n"
    assert mine(base) == []


def test_what_is_left_in_a_group_is_killed(base: Path) -> None:
    with subprocess.Popen(["/bin/sleep", "60"]) as sleep:
        with cgroup.process_group(5) as entrance:
            os.write(entrance, str(sleep.pid).encode())
        assert sleep.wait(5) == -9
    assert mine(base) == []


def test_groups_of_killed_verifiers_are_removed(base: Path) -> None:
    with subprocess.Popen(["/bin/true"]) as ended:
        ended.wait()
    abandoned = base / f"{cgroup.PREFIX}{ended.pid}-abandoned"
    other = base / f"{cgroup.PREFIX}{os.getppid()}-other"
    abandoned.mkdir()
    other.mkdir()
    with cgroup.process_group(5):
        assert (abandoned.exists(), other.exists()) == (False, True)
    other.rmdir()


@pytest.mark.parametrize("user", [0, 1000])
def test_without_a_limit_or_as_another_user_there_is_none(monkeypatch: pytest.MonkeyPatch, user: int) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    with cgroup.process_group(None if user == 0 else 5) as entrance:
        assert entrance == -1


def test_where_no_group_can_be_made_there_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for place in (tmp_path / "nowhere", tmp_path):  # no such folder; a folder that is no control group
        monkeypatch.setattr(cgroup, "base_of", lambda groups, mounts, place=place: place)
        with cgroup.process_group(5) as entrance:
            assert entrance == -1
