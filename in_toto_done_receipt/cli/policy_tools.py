"""`policy build`, `check`, `test`, `bundle`: the policy's sources, and policy of the verifier's own, with an OPA."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from in_toto_done_receipt.cli.options import FILE, TEXT, keep_inputs, write_output
from in_toto_done_receipt.cli.verify_options import policy_options
from in_toto_done_receipt.errors import ConfigurationError, UsageError
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.escape import escape

F = TypeVar("F", bound=Callable[..., Any])


def _sources(function: F) -> F:
    """What the four have in common: an OPA, our sources, policy of the verifier's own."""
    function = click.option("--sources", type=FILE, help="Folder of our policy; else the installed one.")(function)
    function = policy_options(function)
    return click.option("--opa", type=FILE, help="The opa executable; else the one on PATH.")(function)


@click.command("build")
@_sources
@click.option("--out", type=FILE, help="With --policy the module to write; else the folder for our products.")
def build(opa: Path | None, sources: Path | None, out: Path | None, **flags: Any) -> None:
    """Compile rules of your own to one module that runs without an OPA.

    Without --policy, compile our policy and write its catalogue, with the one OPA that the module is made with.

    \b
    Example:
      done-receipt policy build --opa ./opa --policy rules --out rules.wasm
    """
    from in_toto_done_receipt.admission import toolchain
    from in_toto_done_receipt.admission.opa import find_opa

    policies = _read(flags)
    if not policies:
        policy = _folder(sources)
        click.echo(toolchain.build(find_opa(opa), policy, out or policy), nl=False)
        return
    from in_toto_done_receipt.admission.custom import tools

    if out is None:
        raise UsageError("--policy is compiled to a module, and --out does not say where")
    _keep(out, flags)
    module = tools.build(find_opa(opa), policies)
    write_output(out, module)
    click.echo(f"wrote {escape(str(out))}: {len(module)} bytes, sha256 {sha256_hex(module)}", err=True)


@click.command("check")
@_sources
def check(opa: Path | None, sources: Path | None, **flags: Any) -> int:
    """Check format and types of our policy; of your own also packages, METADATA, built-ins and rules that are silent.

    \b
    Example:
      done-receipt policy check --opa ./opa --policy rules
    """
    from in_toto_done_receipt.admission import toolchain
    from in_toto_done_receipt.admission.opa import find_opa

    policies, found = _read(flags), find_opa(opa)
    if not policies:
        click.echo(toolchain.check(found, _folder(sources)), nl=False)
        return 0
    from in_toto_done_receipt.admission.custom import tools

    faults, notes = tools.check(found, _folder(sources), policies)
    for note in notes:
        click.echo(f"policy: {escape(note)}")
    for fault in faults:
        for line in fault.splitlines():
            click.echo(f"error: {escape(line)}", err=True)
    return 4 if faults else 0


@click.command("test")
@_sources
def test(opa: Path | None, sources: Path | None, **flags: Any) -> None:
    """Run the tests of our policy, and with them those of your own.

    \b
    Example:
      done-receipt policy test --opa ./opa --policy rules
    """
    from in_toto_done_receipt.admission import toolchain
    from in_toto_done_receipt.admission.opa import find_opa

    policies = _read(flags)
    if not policies:
        click.echo(toolchain.test(find_opa(opa), _folder(sources)), nl=False)
        return
    from in_toto_done_receipt.admission.custom import tools

    passed, text = tools.test(find_opa(opa), _folder(sources), policies)
    if not passed:
        raise ConfigurationError(f"opa test: {text.strip()}")
    click.echo(text, nl=False)


@click.command("bundle")
@_sources
@click.option("--out", type=FILE, required=True, help="The bundle to write (tar.gz).")
@click.option("--own-only", is_flag=True, help="Only your rules, to be named by --policy; not for a server.")
@click.option("--revision", type=TEXT, help="With --own-only: the revision; else the digest of the rules.")
def bundle(
    opa: Path | None, sources: Path | None, out: Path, own_only: bool, revision: str | None, **flags: Any
) -> None:
    """Write an OPA bundle: our policy, with your rules, for a server that `--engine opa-server=URL` asks.

    The same files give the same bytes. OPA is needed only to check your own rules.

    \b
    Example:
      done-receipt policy bundle --out policy.tar.gz
      opa run --server --bundle policy.tar.gz
    """
    from in_toto_done_receipt.admission.custom import tools
    from in_toto_done_receipt.admission.custom.packages import packages_of
    from in_toto_done_receipt.admission.custom.policies import refuse_modules
    from in_toto_done_receipt.admission.opa import find_opa

    policies = _read(flags)
    if own_only and not policies:
        raise UsageError("--own-only bundles a --policy, and none is named")
    if revision is not None and not own_only:
        raise UsageError("--revision goes with --own-only: the revision of the whole is its digest")
    _keep(out, flags)
    if policies:
        refuse_modules(policies, "a bundle holds sources")
        packages_of(find_opa(opa), policies)
    made = tools.own_bundle(policies, revision=revision) if own_only else tools.whole_bundle(_folder(sources), policies)
    write_output(out, made)
    click.echo(f"wrote {escape(str(out))}: {len(made)} bytes, sha256 {sha256_hex(made)}", err=True)


COMMANDS = (build, check, test, bundle)


def _read(flags: dict[str, Any]) -> Any:
    from in_toto_done_receipt.cli.engine_setup import policies_of

    return policies_of(flags)


def _folder(named: Path | None) -> Path:
    from in_toto_done_receipt.admission.sources import policy_folder

    return named or policy_folder()


def _keep(out: Path, flags: dict[str, Any]) -> None:
    from in_toto_done_receipt.cli.engine_setup import policy_files

    keep_inputs(out, flags["policy_key"], *policy_files(flags))
