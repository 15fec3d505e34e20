"""From flags to a change read from git. The repository is opened before anything of the verifier's is read, since
`base:PATH` names a file of its base revision.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from in_toto_done_receipt.errors import ConfigurationError, DoneReceiptError, ObservationError, UsageError
from in_toto_done_receipt.wire.escape import escape

if TYPE_CHECKING:
    from in_toto_done_receipt.observe.git.change import GitChange
    from in_toto_done_receipt.observe.git.repository import Repository

Flags = dict[str, Any]

BASE: Final = "base:"
_NEED_REPO: Final = ("base", "head", "target_ref", "merge_onto", "object_dirs", "inside_only")
_FILES_BYTES: Final = 16 << 20  # of one file that is read from the base revision


class Examined:
    """The open repository, the change in it, and the trees of both ends."""

    def __init__(self, repository: "Repository", change: "GitChange", scratch: Path) -> None:
        from in_toto_done_receipt.observe.git.workspace import GitWorkspace

        self.repository = repository
        self.change = change
        self.workspace = GitWorkspace(repository, change.tree)
        self.head = None if change.tree == change.head_tree else GitWorkspace(repository, change.head_tree)
        self.base: GitWorkspace | None = None
        if change.base_tree is not None:
            self.base = GitWorkspace(repository, change.base_tree)
        self._scratch = scratch

    def own_file(self, text: str, flag: str) -> Path:
        """A copy of the file or folder of the base revision that `base:PATH` names. Raises ConfigurationError."""
        path = text.removeprefix(BASE)
        if self.base is None:
            raise ConfigurationError(f"{flag}: {escape(text)} needs --base or --target-ref")
        try:
            kind = self.base.type_of(path) if path else "absent"
        except ObservationError as fault:
            raise ConfigurationError(f"{flag}: {escape(text)}: {fault.message}") from None
        if kind not in ("file", "directory"):
            raise ConfigurationError(f"{flag}: {escape(text)}: no such file at base {self.change.base}")
        target = self._scratch / "base" / path
        if not target.exists():
            self._copy(path)
        return target

    def fetch(self, path: Path) -> None:
        """Copy what a file of the base revision refers to by a relative path, if `path` lies where such files lie."""
        with contextlib.suppress(ValueError):
            name = path.relative_to(self._scratch / "base")
            if not path.exists() and self.base is not None and ".." not in name.parts:
                self._copy(str(name))

    def _copy(self, path: str) -> None:
        assert self.base is not None  # noqa: S101 - the callers looked
        raw = path.encode("utf-8", "surrogateescape")
        files = {
            name: entry
            for name, entry in self.base.listing.files.items()
            if name == raw or name.startswith(raw.rstrip(b"/") + b"/")
        }
        if not files:
            return
        folder = self._scratch / "base"
        folder.mkdir(exist_ok=True)
        part = self._scratch / f"part{len(list(self._scratch.iterdir()))}"
        self.repository.write(files, part)
        _move(part, folder)


def _move(part: Path, folder: Path) -> None:
    """Put what was written beside what is there; links are left out, a file of the verifier's is a plain one."""
    for path in sorted(part.rglob("*")):
        target = folder / path.relative_to(part)
        if path.is_symlink():
            continue
        if path.is_dir():
            target.mkdir(exist_ok=True)
        elif not target.exists():
            path.rename(target)


@contextlib.contextmanager
def examined(flags: Flags) -> Iterator[Flags]:
    """The flags with `git` set to the opened change, or None, and every `base:PATH` replaced by a file of ours.

    Raises UsageError, ConfigurationError, RepositoryRefused.
    """
    if flags["repo"] is None:
        given = [name for name in _NEED_REPO if flags[name] not in (None, (), False)]
        if given:
            raise UsageError(f"--{given[0].replace('_', '-').removesuffix('s')} needs --repo")
        _refuse_base(flags)
        yield flags | {"git": None}
        return
    if flags["root"] is not None:
        raise UsageError("--root and --repo exclude each other: what is examined is one of them")
    if flags["head"] is None:
        raise UsageError("--repo needs --head", hint="a full id, HEAD, or the exact name of a branch or tag")
    from in_toto_done_receipt.observe.git.change import Asked, open_change
    from in_toto_done_receipt.observe.git.repository import open_repository
    from in_toto_done_receipt.observe.sandbox.scratch import scratch

    with (
        scratch() as folder,
        open_repository(
            flags["repo"], object_dirs=flags["object_dirs"], inside_only=flags["inside_only"]
        ) as repository,
    ):
        asked = Asked(head=flags["head"], base=flags["base"], target_ref=flags["target_ref"], onto=flags["merge_onto"])
        git = Examined(repository, open_change(repository, asked), folder)
        try:
            yield _named(flags, git) | {"git": git}
        except DoneReceiptError as error:
            # A copy of ours is called what the verifier called it.
            for name in ("message", "hint"):
                if text := getattr(error, name):
                    setattr(error, name, text.replace(f"{folder}/base/", BASE))
            raise


def _named(flags: Flags, git: Examined) -> Flags:
    """Every flag that may name a file of the base revision, with a file of ours in its place."""
    named = dict(flags)
    for name in ("trust_file", "contract", "policy_key"):
        if name in flags and flags[name] is not None and str(flags[name]).startswith(BASE):
            named[name] = git.own_file(str(flags[name]), f"--{name.removesuffix('_file').replace('_', '-')}")
    for name, flag in (("profiles", "--profile"), ("policies", "--policy")):
        if name in flags:
            named[name] = tuple(_one(value, flag, git) for value in flags[name])
    return named


def _one(value: Any, flag: str, git: Examined) -> Any:
    text = str(value)
    if not text.startswith(BASE):
        return value
    path, at, pin = text.partition("@sha256:")
    found = git.own_file(path, flag)
    return found if isinstance(value, Path) else f"{found}{at}{pin}"


def _refuse_base(flags: Flags) -> None:
    values = [flags["trust_file"], flags["contract"], *flags["profiles"], *flags.get("policies", ())]
    for value in values:
        text = "" if value is None else str(value)
        if text.startswith(BASE):
            raise UsageError(f"{escape(text)} names a file of the base revision, and there is no --repo")
