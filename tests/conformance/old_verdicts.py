"""The original's verdict on a receipt or a manifest, and ours, asked the same question in this process."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from agent_receipt import core, output_manifest

from in_toto_done_receipt.admission.engines import PolicyEngine
from in_toto_done_receipt.errors import ConfigurationError, DoneReceiptError, MalformedJson
from in_toto_done_receipt.observe.manifest.read import read_manifest
from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.pipeline import verify
from in_toto_done_receipt.profile.model import CommandEntry
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.results.states import Assurance
from in_toto_done_receipt.trust.flags import from_flags
from in_toto_done_receipt.trust.model import UNSIGNED

NOW: Final = datetime(2026, 11, 30, 13, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What both are asked: whose key counts, where to look again, what may run, how much has to be shown."""

    key: bytes | None = None
    root: Path | None = None
    commands: tuple[tuple[str, ...], ...] = ()
    minimum: Assurance = "fully_rechecked"
    at: datetime = NOW


def original_says(data: bytes, asked: Question, scratch: Path) -> bool:
    """Whether the original admits it; a traceback of the original's is no admission.

    A key id is a label there and here; there it selects the key, so the key is given under every label there is.
    """
    scratch.write_bytes(data)
    try:
        tree = core.load_receipt(scratch)
        keys = None
        if asked.key is not None:
            keys = dict.fromkeys(_labels(tree), asked.key)
        return bool(
            core.verify_receipt(
                tree,
                recheck=asked.root is not None,
                recheck_commands=bool(asked.commands),
                recheck_root=asked.root,
                allowed_commands=set(asked.commands) if asked.commands else None,
                trusted_keys=keys,
                minimum_assurance=asked.minimum,
            )["ok"]
        )
    except Exception:  # noqa: BLE001 - its own bugs: facts that are listed elsewhere
        return False


def _labels(tree: Any) -> list[str]:
    signatures = tree.get("signatures") if isinstance(tree, dict) else None
    found = (
        [each.get("key_id") for each in signatures if isinstance(each, dict)] if isinstance(signatures, list) else []
    )
    return [label for label in found if isinstance(label, str)] or ["nobody"]


def we_say(data: bytes, asked: Question, engine: PolicyEngine) -> tuple[int, frozenset[str]]:
    """Our exit code, and why: reasons of what failed, else the violated rules; or the fault of a malformed file."""
    trust = UNSIGNED
    if asked.key is not None:
        pem = asked.key
        trust = from_flags(trusted_keys=("worker=worker.pub",), read=lambda _path: pem)
    commands = tuple(CommandEntry(argv=argv) for argv in asked.commands)
    settings = Settings(minimum_assurance=asked.minimum, unsigned=asked.key is None, commands=commands)
    try:
        if asked.root is None:
            return _ours(data, RecomputeContext(evaluated_at=asked.at, settings=settings), trust, engine)
        with DirectoryWorkspace(asked.root) as workspace:
            context = RecomputeContext(
                evaluated_at=asked.at,
                settings=settings,
                workspace=workspace,
                recheck_commands=bool(commands),
                sandbox=probe() if commands else None,
            )
            return _ours(data, context, trust, engine)
    except ConfigurationError:
        raise
    except DoneReceiptError as error:
        return 3, frozenset({_malformed(error)})


def _malformed(error: DoneReceiptError) -> str:
    if isinstance(error, MalformedJson):
        return f"malformed:json:{error.kind}"
    return f"malformed:{getattr(error, 'reason', type(error).__name__)}:{getattr(error, 'pointer', '')}"


def _ours(data: bytes, context: RecomputeContext, trust: Any, engine: PolicyEngine) -> tuple[int, frozenset[str]]:
    outcome = verify(data, trust=trust, context=context, engine=engine, as_format="agent-receipt")
    failed = {
        finding.reason
        for check in outcome.result.checks
        for finding in check.findings
        if finding.status in ("fail", "error")
    }
    return outcome.exit_code, frozenset(failed or {violation.code for violation in outcome.decision.violations})


def explained(why: frozenset[str], codes: frozenset[str]) -> bool:
    """Whether every reason for which we refuse is one of the listed differences."""
    return all(any(_matches(reason, code) for code in codes) for reason in why)


def _matches(reason: str, code: str) -> bool:
    kind, _, place = code.rpartition(":")
    if kind.count(":") == 1 and place.startswith("/"):
        return reason.startswith(f"{kind}:") and place in reason
    return reason == code


def original_manifest(data: bytes, scratch: Path) -> str | None:
    """The digest that the original gives a manifest file, or None when it refuses it."""
    scratch.write_bytes(data)
    try:
        return str(output_manifest.manifest_digest(output_manifest.load_output_manifest(scratch)))
    except (output_manifest.OutputManifestError, ValueError, RecursionError, TypeError):
        return None


def our_manifest(data: bytes) -> str | None:
    """The digest that we give a manifest file, or None when we refuse it."""
    try:
        return read_manifest(data, what="manifest").digest
    except DoneReceiptError:
        return None


def written(tree: Any) -> bytes:
    """The tree as the original stores it, whatever it holds."""
    return (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode()
