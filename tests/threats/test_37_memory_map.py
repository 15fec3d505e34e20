"""Attack: write through a memory map between two scans: no time stamp moves.
Answer: both scans read every byte, and that the tree was `live` is there for the policy to see.
"""

import json
import mmap
import os
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import WorkMoved
from in_toto_done_receipt.observe.manifest.scan import scan
from testdata.receipts import generate
from tests.threats.conftest import Desk


@pytest.mark.parametrize("number", [1, 2, 3])
def test_threat_37_a_write_that_moves_no_time_stamp_is_seen(tmp_path: Path, number: int) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_bytes(bytes(4096))
    before = (tmp_path / "a").stat()
    with (tmp_path / "a").open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:

        def write(files: int, _size: int) -> None:
            if files >= number and not memory[number]:  # in the first scan, once `a` was read
                memory[number] = 1
                os.utime(tmp_path / "a", ns=(before.st_atime_ns, before.st_mtime_ns))

        with pytest.raises(WorkMoved, match="a"):
            scan(tmp_path, progress=write)


def test_threat_37_the_policy_sees_that_the_tree_was_live(desk: Desk) -> None:
    seen = desk.run("verify", *desk.lay(generate.Case(why="")), "--format", "policy-input")
    assert json.loads(seen.out)["result"]["workspace"]["kind"] == "live"
