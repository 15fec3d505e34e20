"""Where a runner runs: a tree to read, a folder of ours beside it, and what the verifier lets a command see."""

import threading
from collections.abc import Mapping
from pathlib import Path

from in_toto_done_receipt.observe.sandbox.model import CommandLimits, CommandOutcome
from in_toto_done_receipt.observe.sandbox.run import run
from in_toto_done_receipt.observe.sandbox.scratch import remove_tree
from in_toto_done_receipt.results.model import SandboxLevel
from in_toto_done_receipt.wire.value import Value


class Room(Value, kw_only=True):
    """`tree` is shown read-only unless `writable`. `work` is writable and outlives the single commands of one test run:
    build products go there. `gate` holds FIFOs. `cache` is the verifier's own, and only for steps that run nothing of
    the tree. `variables` and `read_only` are the profile's. `mounts` are folders of the verifier's and names in the
    root of the tree, in whose place they are shown: other people's packages, whatever the tree holds there. `stop`,
    once it is set by another thread, ends what runs.
    """

    tree: Path
    work: Path
    level: SandboxLevel
    limits: CommandLimits
    variables: Mapping[str, str]
    read_only: tuple[Path, ...] = ()
    writable: bool = False
    gate: Path | None = None
    cache: Path | None = None
    mounts: tuple[tuple[Path, str], ...] = ()
    stop: threading.Event | None = None

    def execute(
        self,
        argv: tuple[str, ...],
        *,
        cwd: str = "",
        variables: Mapping[str, str] | None = None,
        read_only: tuple[Path, ...] = (),
        writable: tuple[Path, ...] = (),
        cached: bool = False,
        sealed: bool = False,
    ) -> CommandOutcome:
        """One command in `cwd`, a path below the tree; standard output is the channel, all of it in `stdout_data`.

        `sealed` shows `work` read-only, so that tests cannot exchange what was built for the tests after them.
        Raises as `sandbox.run.run`.
        """
        gate = () if self.gate is None else (self.gate,)
        cache = (self.cache,) if cached and self.cache is not None else ()
        return run(
            argv,
            copy=self.tree,
            level=self.level,
            limits=self.limits,
            variables={**self.variables, **(variables or {})},
            read_only=(
                *self.read_only,
                *read_only,
                *gate,
                *((self.work,) if sealed else ()),
                *(source for source, _ in self.mounts),
            ),
            writable=(*(() if sealed else (self.work,)), *writable, *cache),
            copy_read_only=not self.writable,
            mounts=self._mounted(),
            cwd=cwd,
            excerpt_bytes=2_000,
            stop=self.stop,
        )

    def _mounted(self) -> tuple[tuple[Path, Path], ...]:
        """The mounts with a folder in the tree for each. Below bubblewrap nothing is mounted: a link stands there."""
        found = []
        for source, name in self.mounts:
            place, mounted = self.tree / name, self.level == "bubblewrap"
            if place.is_dir() and not place.is_symlink() and not mounted:
                remove_tree(place)
            elif place.is_symlink() or place.is_file():
                place.unlink()
            if mounted:
                place.mkdir(exist_ok=True)
                found.append((source, place))
            else:
                place.symlink_to(source)
        return tuple(found)
