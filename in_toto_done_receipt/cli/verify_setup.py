"""From flags to what the pipeline takes: a trust policy, settings, a context. Everything the verifier's own is read
here, and none of it from inside the examined tree.
"""

import contextlib
import os
import shlex
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from in_toto_done_receipt.cli.options import read_named
from in_toto_done_receipt.cli.progress import progress
from in_toto_done_receipt.cli.test_command import check_test_command
from in_toto_done_receipt.errors import ConfigurationError, MalformedInput, UsageError
from in_toto_done_receipt.observe.through import leads_through
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.producer.identity import OVERRIDE, refuse_identity
from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.clean_room.once import CleanRoom
from in_toto_done_receipt.recompute.context import Artifact, ExpectedContext, RecomputeContext
from in_toto_done_receipt.recompute.limits import manifest_limits
from in_toto_done_receipt.trust.file import load_trust
from in_toto_done_receipt.trust.flags import CLAIM_FLAGS, from_flags
from in_toto_done_receipt.trust.model import UNSIGNED, TrustPolicy
from in_toto_done_receipt.wire.config import MAX_CONFIG_BYTES
from in_toto_done_receipt.wire.digests import ACCEPTED
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.rfc3339 import parse_time

if TYPE_CHECKING:
    from in_toto_done_receipt.observe.sandbox.model import CommandOutcome

MAX_ROOT_BYTES = 16 << 20  # of a file that the trust names: a key, or a trusted root, which is the larger one

_TRUST_FLAGS = (
    "trusted_key",
    "certificate_identity",
    "certificate_identity_regexp",
    "certificate_oidc_issuer",
    "certificate_oidc_issuer_regexp",
    "deny_self_hosted_runners",
    "trusted_root",
    "threshold",
)
_CLAIM_FLAGS = {flag.removeprefix("--").replace("-", "_"): flag for flag in CLAIM_FLAGS}

Flags = dict[str, Any]


def trust_of(flags: Flags) -> TrustPolicy:
    """The trust policy that the flags say. Raises UsageError when they say none or contradict each other."""
    given = [name for name in (*_TRUST_FLAGS, *_CLAIM_FLAGS) if flags[name] not in (None, (), False)]
    tree = tree_of(flags)
    if flags["unsigned"] and (given or flags["trust_file"]):
        raise UsageError("--unsigned asks for no signature, and something else names whom to trust")
    if flags["unsigned"]:
        return UNSIGNED
    if flags["trust_file"] is not None:
        if given:
            raise UsageError(f"--trust and --{given[0].replace('_', '-')} exclude each other")
        path: Path = flags["trust_file"]
        outside(path, tree, "--trust")
        data = read_named(path, flag="--trust", limit=MAX_CONFIG_BYTES)
        return load_trust(data, base=path.parent, read=lambda p: _referred(p, flags), what=str(path))
    if not given:
        raise UsageError(
            "nobody is trusted: no --trust, --trusted-key or --certificate-identity",
            hint="say whose signature counts, or --unsigned to ask for none",
        )
    named = {name: flags[name] for name in _TRUST_FLAGS if name not in ("trusted_key", "trusted_root")}
    return from_flags(
        claims={flag: flags[name] for name, flag in _CLAIM_FLAGS.items() if flags[name] is not None},
        trusted_keys=flags["trusted_key"],
        trusted_root=flags["trusted_root"],
        read=lambda p: _own(p, tree, "a trusted file"),
        **named,
    )


class Tree(NamedTuple):
    """What is examined, from which nothing of the verifier's may come, and the flag that names it."""

    flag: str
    path: Path


def tree_of(flags: Flags) -> Tree | None:
    """The tree or repository under examination."""
    if flags["root"] is not None:
        return Tree("--root", flags["root"])
    return None if flags.get("repo") is None else Tree("--repo", flags["repo"])


def _referred(path: Path, flags: Flags) -> bytes:
    """A file that the trust file names; beside a trust file of the base revision it is of the base revision too."""
    if flags.get("git") is not None:
        flags["git"].fetch(path)
    return _own(path, tree_of(flags), "--trust")


def _own(path: Path, tree: Tree | None, flag: str) -> bytes:
    outside(path, tree, flag)
    return read_named(path, flag=flag, limit=MAX_ROOT_BYTES)


def outside(path: Path, tree: Tree | None, flag: str) -> None:
    """Raise ConfigurationError for a file of the verifier's that the tree under examination holds or leads to."""
    if tree is not None and leads_through(path, tree.path):
        raise ConfigurationError(
            f"{flag}: {escape(str(path))} lies inside {tree.flag} {escape(str(tree.path))}",
            hint="what decides must not come from what is examined; keep it elsewhere, or with --repo say base:PATH",
        )


@contextlib.contextmanager
def context_of(flags: Flags, settings: Settings, *, watched: bool = True) -> Iterator[RecomputeContext]:
    """What the checks are given; the workspace is open inside the block. Raises ConfigurationError, UsageError.

    `watched`: long work shows its progress on a terminal; not for receipts that several processes share.
    """
    root: Path | None = flags["root"]
    if flags["canonical_paths"] and flags["as_format"] is None:
        raise UsageError("--canonical-paths goes with --as: a done receipt has no other paths")
    if root is None and flags["recheck"]:
        raise UsageError("--recheck needs --root")
    git = flags.get("git")
    if root is None and git is None and flags["recheck_commands"]:
        raise UsageError("--recheck-commands needs --root or --repo")
    if flags["recheck_commands"]:
        if OVERRIDE not in settings.overrides:
            refuse_identity(os.environ, hint="run recompute in a job without identity")
        check_test_command(settings)
        _check_own_folders(flags, settings)
    _check_overlay(flags, settings)
    with contextlib.ExitStack() as stack:
        workspace = None if root is None else stack.enter_context(DirectoryWorkspace(root))
        if git is not None:
            workspace = git.workspace
        yield RecomputeContext(
            evaluated_at=time_of(flags["at"]),
            settings=settings,
            workspace=workspace,
            change=None if git is None else git.change,
            base=None if git is None else git.base,
            head=None if git is None else git.head,
            tip_of=None if git is None else git.repository.tip_of,
            artifacts=tuple(_artifact(path) for path in flags["artifacts"]),
            contract=_contract(flags),
            manifest=_manifest(flags, settings),
            manifest_path=_manifest_path(flags["manifest"], root),
            expected_context=_expected_context(flags),
            audit_log=_audit_log(flags["audit_log"]),
            expected_payload=_hex(flags["expected_digest"], "--expected-digest", (64,)),
            recheck_commands=flags["recheck_commands"],
            sandbox=_sandbox() if flags["recheck_commands"] else None,
            deadline=time.monotonic() + settings.limits["seconds"],
            on_output=_show_output if flags["show_output"] else None,
            canonical_paths=flags["canonical_paths"],
            on_progress=progress if watched else None,
            clean_room=CleanRoom(flags["overlay"]),
        )


def _check_own_folders(flags: Flags, settings: Settings) -> None:
    """What ends up in tests must not come from the change: packages in their place, compiled code in a cache."""
    if settings.tests is not None:
        for key, path in {"nodeModules": settings.tests.node_modules, "cache": settings.tests.cache}.items():
            if path is not None:
                outside(Path(path), tree_of(flags), f"tests.{key}")


def _check_overlay(flags: Flags, settings: Settings) -> None:
    """Hidden tests that nobody would run are a mistake, and so are hidden tests that the change can see."""
    if flags["overlay"] is None:
        return
    if flags.get("git") is None or not flags["recheck_commands"]:
        raise UsageError("--overlay needs --repo and --recheck-commands")
    if settings.tests is None:
        raise ConfigurationError("--overlay: no profile has a [tests] that would run them")
    if flags["git"].base is None:
        raise UsageError("--overlay needs --base or --target-ref")
    outside(flags["overlay"], tree_of(flags), "--overlay")


def _sandbox() -> Any:
    from in_toto_done_receipt.observe.sandbox.probe import probe

    return probe()


def _show_output(argv: tuple[str, ...], outcome: "CommandOutcome") -> None:
    """The start of what a command printed, on standard error; each line marked, so that no CI runner acts on one."""
    click.echo(f"output of {escape(shlex.join(argv))}", err=True)
    for name, data in (("stdout", outcome.stdout.excerpt), ("stderr", outcome.stderr.excerpt)):
        for line in data.decode("utf-8", "backslashreplace").splitlines():
            click.echo(f"  {name} | {escape(line)}", err=True)


def time_of(at: str | None) -> datetime:
    """The time of --at, else now. Raises UsageError."""
    if at is None:
        return datetime.now(UTC)
    try:
        return parse_time(at)
    except (MalformedInput, ValueError) as error:
        raise UsageError(f"--at: {error}") from None


def _audit_log(path: Path | None) -> Path | None:
    """The log that its check will read. Raises ConfigurationError when there is nothing to read."""
    if path is not None and not path.is_file():
        what = "is not a regular file" if path.exists() else "does not exist"
        raise ConfigurationError(f"--audit-log {escape(str(path))} {what}")
    return path


def _artifact(path: Path) -> Artifact:
    from in_toto_done_receipt.observe.look import hash_file

    with DirectoryWorkspace(path.parent) as folder:
        return Artifact(name=str(path), digests=hash_file(folder, path.name, algorithms=ACCEPTED).digests)


def _contract(flags: Flags) -> Any:
    path: Path | None = flags["contract"]
    if path is None:
        return None
    from in_toto_done_receipt.observe.seals import read_contract

    outside(path, tree_of(flags), "--contract")
    data = read_named(path, flag="--contract", limit=LIMITS["file-bytes"].default)
    return _configured(lambda: read_contract(data, what=str(path)))


def _manifest(flags: Flags, settings: Settings) -> Any:
    path: Path | None = flags["manifest"]
    if path is None:
        return None
    from in_toto_done_receipt.observe.manifest.read import read_manifest

    data = read_named(path, flag="--manifest", limit=settings.limits["manifest-bytes"], limit_name="manifest-bytes")
    return _configured(lambda: read_manifest(data, what=str(path), limits=manifest_limits(settings)))


def _configured(read: Any) -> Any:
    """A malformed file that a flag names is the verifier's own mistake, not the receipt's."""
    try:
        return read()
    except MalformedInput as error:
        raise ConfigurationError(error.message, hint=error.hint) from None


def _manifest_path(path: Path | None, root: Path | None) -> str | None:
    """The manifest file's path relative to the root when it lies there: it is not part of its own inventory."""
    if path is None or root is None:
        return None
    from in_toto_done_receipt.producer.inventory import path_inside  # loads the scan: only --manifest pays for it

    return path_inside(path, root)


def _expected_context(flags: Flags) -> ExpectedContext | None:
    names = ("packet_digest", "input_commit", "output_manifest_digest")
    given = [name for name in names if flags[name] is not None]
    if not given:
        return None
    if len(given) < len(names):
        raise UsageError("--packet-digest, --input-commit and --output-manifest-digest go together")
    return ExpectedContext(
        packet=_hex(flags["packet_digest"], "--packet-digest", (64,)) or "",
        input_commit=_hex(flags["input_commit"], "--input-commit", (40, 64)) or "",
        output_manifest=_hex(flags["output_manifest_digest"], "--output-manifest-digest", (64,)) or "",
    )


def _hex(text: str | None, flag: str, lengths: tuple[int, ...]) -> str | None:
    if text is None:
        return None
    if len(text) not in lengths or any(c not in "0123456789abcdef" for c in text):
        raise UsageError(f"{flag}: wants {' or '.join(map(str, lengths))} lowercase hex digits, got {escape(text)}")
    return text
