"""`verify`: signature, recheck and decision in one; one exit code for all receipts given."""

from pathlib import Path
from typing import Any

import click

from in_toto_done_receipt.admission.engines import PolicyEngine
from in_toto_done_receipt.cli.engine_setup import engine_of, policy_files
from in_toto_done_receipt.cli.git_setup import examined
from in_toto_done_receipt.cli.main import exit_code as code_of
from in_toto_done_receipt.cli.main import say
from in_toto_done_receipt.cli.options import FILE, keep_inputs, read_document
from in_toto_done_receipt.cli.outputs import (
    Shown,
    check_format,
    error_texts,
    errors_for_machines,
    split_outputs,
    views,
    wants_receipt,
    write_all,
)
from in_toto_done_receipt.cli.settings import settings_of
from in_toto_done_receipt.cli.sharing import Judged, judged_in_order, processes_for
from in_toto_done_receipt.cli.verify_options import (
    demand_options,
    engine_options,
    output_options,
    trust_options,
    workspace_options,
)
from in_toto_done_receipt.cli.verify_setup import Flags, context_of, trust_of
from in_toto_done_receipt.errors import ConfigurationError, DoneReceiptError
from in_toto_done_receipt.handlers.registry import BUILTIN_HANDLERS, handlers_by_type, load_plugins
from in_toto_done_receipt.pipeline import Outcome, verify
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.results.outcome import worst_code
from in_toto_done_receipt.trust.model import TrustPolicy
from in_toto_done_receipt.wire.escape import escape


@click.command()
@click.argument("receipts", nargs=-1, required=True, type=FILE, metavar="RECEIPT…")
@trust_options
@workspace_options
@demand_options
@engine_options
@output_options
def command(receipts: tuple[Path, ...], **flags: Any) -> int:
    """Verify receipts, do their work again, and decide.

    Exit code: 0 admitted, 10 signature not trusted, 11 refuted, 12 denied by policy, 3 malformed, 4 configuration.

    \b
    Example:
      done-receipt verify receipt.json --trusted-key worker=worker.pub --root work
    """
    name = "json" if flags["as_json"] else check_format(flags["output_format"], "--format")
    with errors_for_machines(name, quiet=flags["quiet"]), examined(flags) as opened:
        return _verify_all(receipts, name, opened)


def _verify_all(receipts: tuple[Path, ...], name: str, flags: Flags) -> int:
    outputs = split_outputs(flags["outputs"])
    for _, path in outputs:
        keep_inputs(path, receipts, *_inputs(flags))
    trust, settings = trust_of(flags), settings_of(flags)
    several = len(receipts) > 1
    shown = views(name, outputs, settings, several=several, colour=flags["color"], quiet=flags["quiet"])
    attested = wants_receipt(name, outputs)
    handlers = handlers_by_type(BUILTIN_HANDLERS + load_plugins(settings.plugins))
    texts: dict[Path, list[str]] = {path: [] for path, _ in shown}
    codes: list[int] = []
    with engine_of(flags) as engine, context_of(flags, settings, watched=not several) as context:

        def judge(path: Path) -> Judged:
            kept: list[bytes] | None = [] if attested else None
            try:
                outcome = _verify_one(path, trust, settings, context, engine, handlers, flags["as_format"], kept)
            except ConfigurationError:
                raise
            except DoneReceiptError as error:
                if not several:
                    raise
                say(error)
                texts_of_error = error_texts(name, outputs, error, quiet=flags["quiet"])
                return Judged(code=code_of(error), texts=tuple(texts_of_error))
            receipt = kept.pop() if kept else None
            seen = Shown(outcome=outcome, receipt=receipt, root=None if trust.root is None else trust.root.data)
            return Judged(code=outcome.exit_code, texts=tuple(render(seen) for _, render in shown))

        processes = _processes(len(receipts), engine, context)
        for judged in judged_in_order(receipts, judge, processes=processes):
            codes.append(judged.code)
            for (target, _), text in zip(shown, judged.texts, strict=True):
                texts[target].append(text)
    write_all(texts)
    return worst_code(codes)


def _processes(receipts: int, engine: PolicyEngine, context: RecomputeContext) -> int:
    """How many share the receipts out. Commands have limits of time that others at work would spend."""
    expect = getattr(engine, "expect", None)  # an engine with this goes on in a forked process
    if expect is None or context.recheck_commands:
        return 1
    expect(receipts)
    return processes_for(receipts)


def _inputs(flags: Flags) -> list[Any]:
    return [*policy_files(flags), *(value for name, value in flags.items() if name != "outputs")]


def _verify_one(
    path: Path,
    trust: TrustPolicy,
    settings: Settings,
    context: RecomputeContext,
    engine: PolicyEngine,
    handlers: Any,
    as_format: str | None,
    kept: list[bytes] | None,
) -> Outcome:
    outcome = verify(
        _read(path, settings, kept),
        trust=trust,
        context=context,
        engine=engine,
        handlers=handlers,
        what=str(path),
        as_format=as_format,
    )
    if outcome.skipped:
        click.echo(f"note: {escape(str(path))}: {outcome.skipped} line(s) of another kind were skipped", err=True)
    return outcome


def _read(path: Path, settings: Settings, kept: list[bytes] | None) -> bytes:
    """The receipt; kept for a view that shows it, and else held by nobody while what it says is examined."""
    data = read_document(path, what="receipt", limit=settings.limits["file-bytes"])
    if kept is not None:
        kept.append(data)
    return data
