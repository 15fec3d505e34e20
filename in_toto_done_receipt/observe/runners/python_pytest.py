"""Runner `pytest`: the verifier's own launcher, its plug-in object, and no plug-in that the profile does not name.

The configuration is the tree's own, without `addopts`: which tree that is, and whose configuration lies in it, is for
whoever put it together. Ids are node ids below the root.
"""

import os
from collections.abc import Collection
from typing import Final

from in_toto_done_receipt.observe.runners import pytest_plant
from in_toto_done_receipt.observe.runners.model import Planted, Site, Sources, TestRun
from in_toto_done_receipt.observe.runners.pytest_config import read_config
from in_toto_done_receipt.observe.runners.python_command import checked_pytest
from in_toto_done_receipt.observe.runners.python_run import launched
from in_toto_done_receipt.observe.runners.python_sites import pytest_sites
from in_toto_done_receipt.observe.runners.room import Room

_EXITS: Final = {
    2: "pytest was interrupted, most often because a file could not be collected",
    3: "an error inside pytest or one of its plug-ins",
    4: "pytest does not accept its arguments or its configuration",
    5: "no test was collected",
}


class PytestRunner:
    """See `TestRunner`. Every method raises ConfigurationError for an argument that cannot be honoured."""

    name = "pytest"

    def run(self, room: Room, argv: tuple[str, ...], sources: Sources) -> TestRun:
        """All tests that the command selects; a parametrised test is as many as it has cases."""
        command = checked_pytest(argv)
        config = read_config(sources)
        words = (
            *(*command.plugins, "--"),
            *("-q", "--tb=line", "--rootdir", str(room.tree.resolve()), "--confcutdir", str(room.tree.resolve())),
            *(f"--import-mode={command.mode}", "-o", "addopts=", "-p", "no:cacheprovider"),
            *("-c", os.devnull if config.file is None else config.file),
            *(() if command.markers is None else ("-m", command.markers)),
            *command.words,
            *command.paths,
        )
        return launched(room, command.python, self.name, words, _EXITS)

    def plant(self, argv: tuple[str, ...], sources: Sources, token: str) -> Planted:
        """A file of tests beside the last one that the command selects, or at the end of those that it names."""
        return pytest_plant.planted(checked_pytest(argv), sources, token)

    def sites(self, argv: tuple[str, ...], sources: Sources, ids: Collection[str]) -> tuple[Site, ...]:
        """Functions and methods that stand in their file under a name of their own."""
        checked_pytest(argv)
        return pytest_sites(sources, ids)
