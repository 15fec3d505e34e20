"""Running one command: confined in a copy (the verifier), or bounded in place (the producer)."""

import ctypes
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Final

from msgspec.structs import replace

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.sandbox.bubblewrap import View, arguments, find_bubblewrap
from in_toto_done_receipt.observe.sandbox.cgroup import enter_early, process_group
from in_toto_done_receipt.observe.sandbox.guard import Guard
from in_toto_done_receipt.observe.sandbox.launch import Started, launch, supervisor
from in_toto_done_receipt.observe.sandbox.model import Captured, CommandLimits, CommandOutcome, Failure
from in_toto_done_receipt.observe.sandbox.orders import SEARCH_PATH, Landlock, environment, write_orders
from in_toto_done_receipt.observe.sandbox.places import OWN_CONFIGURATION, checked_read_only, hidden, interpreter
from in_toto_done_receipt.observe.sandbox.scratch import held_signals, scratch
from in_toto_done_receipt.observe.sandbox.seccomp import filter_program
from in_toto_done_receipt.observe.sandbox.space import Space
from in_toto_done_receipt.observe.sandbox.watch import Watch
from in_toto_done_receipt.results.model import SandboxLevel
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

DEFAULT_LIMITS: Final = CommandLimits()
PR_SET_DUMPABLE: Final = 4


class _Room(Value, kw_only=True):
    """The scratch folders of one run."""

    home: Path
    tmp: Path
    configuration: Path


class _Watched(Value, kw_only=True):
    """What is looked at while a command runs: where it may write, and how many processes of ours are above its own."""

    writable: tuple[Path, ...]
    depth: int
    on_look: Callable[[], None] | None = None
    stop: threading.Event | None = None


def run(
    argv: tuple[str, ...] | list[str],
    *,
    copy: Path,
    level: SandboxLevel,
    limits: CommandLimits = DEFAULT_LIMITS,
    variables: Mapping[str, str] | None = None,
    read_only: tuple[Path, ...] = (),
    writable: tuple[Path, ...] = (),
    copy_read_only: bool = False,
    mounts: tuple[tuple[Path, Path], ...] = (),
    cwd: str = "",
    excerpt_bytes: int = 0,
    on_look: Callable[[], None] | None = None,
    stop: threading.Event | None = None,
) -> CommandOutcome:
    """How a command ends at exactly this level, run in `copy`; it never falls back to a lower one.

    The command sees the copy at its own path, may write there (unless `copy_read_only`), in the folders that are
    `writable`, and in HOME and TMPDIR, which are gone afterwards, and has no more than verification.md, "Sandbox",
    says. `mounts` are pairs of a folder and an existing folder below the copy, in whose place it is shown read-only at
    level bubblewrap. Level rlimits confines nothing: there the copy can be written in any case. `cwd` is a folder below
    the copy. Everything it started is dead when this returns or raises.
    `argv[0]` is absolute. Raises ConfigurationError for variables and read-only paths that cannot be, ObservationError
    without a copy, OutputError without a scratch folder. Not checked: whether the executable can be trusted
    (`check_executable`), whether the level holds on this machine (`probe`). From the first run on this process is
    undumpable: others cannot read its memory. `on_look` is for the self-test, see `Guard`. `stop`, once it is set by
    another thread, ends the command.
    """
    fault = _fault_of(argv)
    if fault is None and not Path(argv[0]).is_absolute():
        fault = f"executable {argv[0]!r} is not an absolute path"
    if fault is not None:
        return _not_run("not_started", fault)
    root = _folder(copy)
    shown = (*checked_read_only(read_only), *((root,) if copy_read_only else ()))
    own = tuple(map(_folder, (*writable, *(() if copy_read_only else (copy,)))))
    if level != "rlimits" and (unseen := hidden(argv[0], (*shown, *own))):
        fact = f"{escape(unseen)} is not shown at level {level}: name a folder above it as read-only path"
        return _not_run("not_visible", fact)
    with ExitStack() as stack:
        room = _room(stack)
        places = (*own, room.home, room.tmp)
        view = View(read_only=shown, writable=places, configuration=room.configuration, mounts=mounts)
        try:
            command = _command(level, view)
        except ObservationError as missing:
            return _not_run("sandbox", missing.message)
        orders = write_orders(
            list(argv),
            cwd=root / cwd,
            variables=environment(home=room.home, tmp=room.tmp, variables=variables or {}),
            limits=limits,
            landlock=Landlock(read=shown, write=places) if level == "landlock" else None,
            drop_capabilities=True,
            seccomp=filter_program(alone=level == "bubblewrap"),
        )
        watched = _Watched(writable=view.writable, depth=3 if level == "bubblewrap" else 1, on_look=on_look, stop=stop)
        return _execute(command, orders, limits, excerpt_bytes, watched)


def run_in_place(
    argv: tuple[str, ...] | list[str],
    *,
    root: Path,
    limits: CommandLimits = DEFAULT_LIMITS,
    variables: Mapping[str, str] | None = None,
    excerpt_bytes: int = 0,
) -> CommandOutcome:
    """How the producer's own command ends in the work itself: level rlimits with all privileges of the caller.

    The environment is scrubbed and everything is bounded and killed as in `run`. A name without a slash is looked for
    in /usr/bin and /bin only. Raises as `run`.
    """
    fault = _fault_of(argv)
    if fault is not None:
        return _not_run("not_started", fault)
    first = argv[0]
    if "/" not in first:
        places = [Path(folder, first) for folder in SEARCH_PATH.split(":")]
        first = next((str(place) for place in places if os.access(place, os.X_OK)), str(places[0]))
    with ExitStack() as stack:
        room = _room(stack)
        orders = write_orders(
            [first, *argv[1:]],
            cwd=_folder(root),
            variables=environment(home=room.home, tmp=room.tmp, variables=variables or {}),
            limits=limits,
            landlock=None,
            drop_capabilities=False,
        )
        watched = _Watched(writable=(_folder(root), room.home, room.tmp), depth=1)
        return _execute(_bare, orders, limits, excerpt_bytes, watched)


def _fault_of(argv: tuple[str, ...] | list[str]) -> str | None:
    if not argv or not argv[0]:
        return "no executable is named"
    if any("\0" in part for part in argv):
        return "an argument holds a NUL"
    try:
        os.fsencode("".join(argv))
    except UnicodeEncodeError:
        return "an argument holds half of a surrogate pair"
    return None


def _folder(path: Path) -> Path:
    """The real path of a folder to run in."""
    if not path.is_dir():
        raise ObservationError(f"{escape(str(path))} is not a folder to run a command in", kind="missing")
    return path.resolve()


def _room(stack: ExitStack) -> _Room:
    base = stack.enter_context(scratch())
    room = _Room(home=base / "home", tmp=base / "tmp", configuration=base / "etc")
    for folder in (room.home, room.tmp):
        folder.mkdir(mode=0o700)
    return room


def _bare(report: int, _info: int) -> list[str]:
    """The supervisor without anything around it."""
    return supervisor(interpreter().executable, report)


def _command(level: SandboxLevel, view: View) -> Callable[[int, int], list[str]]:
    """What starts the supervisor at this level. Raises ObservationError without a `bwrap` that can be trusted."""
    if level != "bubblewrap":
        return _bare
    bubblewrap = find_bubblewrap()
    view.configuration.mkdir(mode=0o700)
    for name, text in OWN_CONFIGURATION.items():
        (view.configuration / name).write_text(text, encoding="utf-8")
    python = interpreter()
    prefix = tuple(path for path in (python.prefix,) if not path.is_relative_to("/usr"))
    inside = replace(view, read_only=(*prefix, *view.read_only))
    return lambda report, info: [
        *arguments(bubblewrap, inside, info=info),
        *supervisor(python.executable, report),
    ]


def _execute(
    command: Callable[[int, int], list[str]],
    orders: bytes,
    limits: CommandLimits,
    excerpt_bytes: int,
    watched: _Watched,
) -> CommandOutcome:
    space = Space(watched.writable)
    most = None if limits.processes is None else limits.processes + watched.depth
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    with ExitStack() as stack:
        with held_signals():
            group = stack.enter_context(process_group(most))
            try:
                started = launch(command, group)
            except OSError as fault:
                return _not_run("sandbox", f"the supervisor cannot be started: {fault.strerror}")
            guard = Guard(
                root=started.process.pid, depth=watched.depth, limits=limits, space=space, on_look=watched.on_look
            )
            watch = Watch(started, orders, limits, guard, stop=watched.stop)
            entering = enter_early(group, started.process.pid)
            stack.callback(_end, started, watch, entering)
        watch.run()
    return CommandOutcome(
        exit_code=watch.exit_code,
        stdout=watch.stdout.captured(excerpt_bytes),
        stderr=watch.stderr.captured(excerpt_bytes),
        stdout_data=bytes(watch.stdout.data),
        duration_ms=watch.duration_ms,
        failure=watch.failure,
        detail=watch.detail,
        left_behind=watch.left_behind,
        used=guard.used,
    )


def _end(started: Started, watch: Watch, entering: Thread | None) -> None:
    with held_signals():
        started.end(watch.patience)
        if entering is not None:
            entering.join()


def _not_run(failure: Failure, detail: str) -> CommandOutcome:
    nothing = Captured(sha256="e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", bytes=0, excerpt=b"")
    return CommandOutcome(
        exit_code=None, stdout=nothing, stderr=nothing, stdout_data=b"", duration_ms=0, failure=failure, detail=detail
    )
