"""`trust check`: what a trust file says, and its weak lines."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from in_toto_done_receipt.cli.options import FILE, format_option, read_named, say_facts
from in_toto_done_receipt.cli.verify_setup import MAX_ROOT_BYTES
from in_toto_done_receipt.trust.check import weak_lines
from in_toto_done_receipt.trust.explain import Combinations, Explained, combinations, explain
from in_toto_done_receipt.trust.file import load_trust
from in_toto_done_receipt.trust.model import RootFile, TrustedIdentity, TrustedKey, TrustPolicy
from in_toto_done_receipt.wire.config import MAX_CONFIG_BYTES
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.rfc3339 import format_time


@click.group()
def command() -> None:
    """Look at trust files."""


@command.command()
@click.argument("file", type=FILE)
@format_option
def check(file: Path, output_format: str, as_json: bool) -> None:
    """Say whom a trust file lets in, what it demands of them, and which of its lines are weak.

    It is read as verify reads it. Exit code 0, also with warnings.

    \b
    Example:
      done-receipt trust check trust.toml
    """
    policy = load_trust(
        read_named(file, flag="trust file", limit=MAX_CONFIG_BYTES),
        base=file.parent,
        read=lambda path: read_named(path, flag="trust file", limit=MAX_ROOT_BYTES),
        what=str(file),
    )
    if policy.root is not None:
        from in_toto_done_receipt.trust.material.anchors import load_anchors  # X.509: only a root pays for it

        load_anchors(policy.root)
        if policy.root.cross_check:
            from in_toto_done_receipt.trust.crosscheck import second_judge  # sigstore: half a second

            second_judge(policy.root)
    now = datetime.now(UTC)
    warnings = list(weak_lines(policy, at=now))
    together = combinations(policy, at=now)
    if not together.met and together.complete:
        warnings.append(f"threshold is {policy.threshold}: what is signed now cannot meet it")
    facts = _facts(policy, together, now) | {"warnings": warnings}
    lines = [*_lines(policy, together, now), *(f"warning: {line}" for line in warnings)]
    say_facts(facts, lines, as_json=as_json or output_format == "json")


def _facts(policy: TrustPolicy, together: Combinations, now: datetime) -> dict[str, Any]:
    return {
        "digest": policy.digest,
        "keys": [_entry_facts(key, now) for key in policy.keys],
        "identities": [_entry_facts(identity, now) for identity in policy.identities],
        "root": None if policy.root is None else _root_facts(policy.root, now),
        "threshold": policy.threshold,
        "met": {"by": [list(names) for names in together.met], "complete": together.complete},
    }


def _entry_facts(entry: TrustedKey | TrustedIdentity, now: datetime) -> dict[str, Any]:
    said = explain(entry, at=now)
    own = {"fingerprint": entry.fingerprint, "algorithm": entry.algorithm} if isinstance(entry, TrustedKey) else {}
    return (
        {"name": said.name, "principal": said.principal}
        | own
        | {
            "letsIn": said.lets_in,
            "demands": list(said.demands),
            "onlyFor": list(said.only_for),
            "valid": said.window,
            "current": said.current,
        }
    )


def _root_facts(root: RootFile, now: datetime) -> dict[str, Any]:
    return {
        "name": root.name,
        "sha256": root.sha256,
        "pinned": root.pinned,
        "obtainedOn": None if root.obtained_on is None else format_time(root.obtained_on),
        "newestValidityStart": format_time(root.newest_validity_start),
        "age": root.age(now),
        "maxAge": root.max_age,
        "crossCheck": root.cross_check,
    }


def _lines(policy: TrustPolicy, together: Combinations, now: datetime) -> Iterator[str]:
    count = f"{len(policy.keys)} key(s), {len(policy.identities)} identity(ies), threshold {policy.threshold}"
    yield f"trust file is valid: {count}"
    for entry in policy.entries:
        yield from _entry_lines(explain(entry, at=now))
    if policy.root is not None:
        since = "obtained" if policy.root.obtained_on is not None else "last changed"
        yield f"trusted root {quote(policy.root.name)}: {since} {policy.root.age(now) // 86400} day(s) ago"
        yield f"  sha256    {policy.root.sha256}"
    yield from _threshold_lines(together)


def _entry_lines(said: Explained) -> Iterator[str]:
    yield f"{said.kind} {quote(said.name)}: principal {quote(said.principal)}"
    yield f"  lets in   {said.lets_in}"
    for demand in said.demands:
        yield f"  demands   {demand}"
    for scope in said.only_for or ("anything",):
        yield f"  only for  {scope}" if said.only_for else f"  for       {scope}"
    yield f"  valid     {said.window}{'' if said.current else ', which is not now'}"


def _threshold_lines(together: Combinations) -> Iterator[str]:
    for names in together.met:
        yield f"threshold met by {' + '.join(map(quote, names))}"
    if not together.complete:
        yield "more combinations were not looked for"
