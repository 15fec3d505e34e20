"""Attack: a configuration that names a promisor and a command, so that a missing object runs it.
Answer: git gets a scratch repository over a view of the store; the configuration is never opened.
"""

import os

import pytest

from testdata.receipts.generate_changes import Case
from tests.threats.conftest import Desk

COMMANDS = (
    "core.sshCommand",
    "core.fsmonitor",
    "core.alternateRefsCommand",
    "core.pager",
    "core.gitProxy",
    "diff.external",
    "filter.x.smudge",
    "filter.x.process",
    "merge.x.driver",
    "gpg.program",
    "uploadpack.packObjectsHook",
)
HOOKS = ("post-checkout", "pre-commit", "post-index-change", "reference-transaction")


@pytest.mark.parametrize("missing", [True, False], ids=["a missing object", "every object there"])
def test_threat_20_nothing_runs_and_nothing_is_fetched(desk: Desk, missing: bool) -> None:
    laid = desk.lay_change(Case(why="", work={"src/greet.py": "x = 1\n", ".gitattributes": "* filter=x merge=x\n"}))
    repo, mark = laid.repo, desk.folder / "mark"
    script = desk.write("touch.sh", f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    settings = dict.fromkeys(COMMANDS, str(script)) | {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "o",
        "remote.o.url": "ssh://host.invalid/x",
        "remote.o.promisor": "true",
        "core.hooksPath": str(desk.folder / "hooks"),
    }
    for key, value in settings.items():
        repo.git("config", key, value)
    for name in HOOKS:
        desk.write(f"hooks/{name}", script.read_text()).chmod(0o755)
    if missing:
        blob = repo.git("rev-parse", "work:src/greet.py", env={"GIT_NO_LAZY_FETCH": "1"})
        (repo.git_dir / "objects" / blob[:2] / blob[2:]).unlink()
    mark.unlink(missing_ok=True)
    seen = desk.look(laid, "--merge-onto", "main")
    assert (seen.code, mark.exists()) == (4 if missing else 12, False), seen.out
    assert ("is not in the repository" in seen.out) is missing


def test_threat_20_a_configuration_that_hangs_is_not_opened(desk: Desk) -> None:
    laid = desk.lay_change(Case(why=""))
    config = laid.repo.git_dir / "config"
    config.unlink()
    os.mkfifo(config)
    assert desk.look(laid).code == 0
