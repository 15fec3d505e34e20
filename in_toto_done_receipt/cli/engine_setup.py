"""From flags to a policy engine: its name, policies of the verifier's own, what pins and verifies them."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from in_toto_done_receipt.admission.engines import PolicyEngine, engine_for
from in_toto_done_receipt.cli.options import read_named
from in_toto_done_receipt.cli.verify_setup import Flags, Tree, outside, tree_of
from in_toto_done_receipt.errors import UsageError
from in_toto_done_receipt.wire.config import MAX_CONFIG_BYTES
from in_toto_done_receipt.wire.digests import digest_fault

if TYPE_CHECKING:
    from in_toto_done_receipt.admission.custom.policies import CustomPolicy


@contextlib.contextmanager
def engine_of(flags: Flags) -> Iterator[PolicyEngine]:
    """The engine that the flags name, for the length of a block. Raises ConfigurationError, UsageError."""
    pinned: str | None = flags["policy_digest"]
    if pinned is not None and (fault := digest_fault("sha256", pinned.removeprefix("sha256:"))):
        raise UsageError(f"--policy-digest: {fault}")
    policies = policies_of(flags, tree=tree_of(flags))
    with engine_for(flags["engine"], policies=policies, opa=flags["opa"], pinned=pinned) as engine:
        yield engine


def policies_of(flags: Flags, *, tree: Tree | None = None) -> tuple["CustomPolicy", ...]:
    """What --policy names, read and verified. Nothing of it may come from the tree that is examined."""
    named: tuple[str, ...] = flags["policies"]
    key, scope = flags["policy_key"], flags["policy_scope"]
    if key is not None and not named:
        raise UsageError("--policy-key verifies a --policy, and none is named")
    if scope is not None and key is None:
        raise UsageError("--policy-scope goes with --policy-key")
    if not named:
        return ()
    from in_toto_done_receipt.admission.custom.policies import read_policies

    return read_policies(named, key=_key(key, scope, tree), guard=lambda path: outside(path, tree, "--policy"))


def policy_files(flags: Flags) -> list[Path]:
    """The paths that --policy names, without their pins."""
    return [Path(text.rpartition("@sha256:")[0] or text) for text in flags["policies"]]


def _key(path: Path | None, scope: str | None, tree: Tree | None) -> Any:
    if path is None:
        return None
    from in_toto_done_receipt.admission.custom.signature import read_key

    outside(path, tree, "--policy-key")
    return read_key(read_named(path, flag="--policy-key", limit=MAX_CONFIG_BYTES), name=str(path), scope=scope or "")
