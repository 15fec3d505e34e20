"""`admit`: the policy alone, from a result document. Runs no evidence, needs no receipt and no workspace."""

from pathlib import Path
from typing import Any

import click

from in_toto_done_receipt.cli.engine_setup import engine_of, policy_files
from in_toto_done_receipt.cli.options import FILE, TEXT, keep_inputs
from in_toto_done_receipt.cli.outputs import (
    Shown,
    check_format,
    errors_for_machines,
    split_outputs,
    views,
    wants_receipt,
    write_all,
)
from in_toto_done_receipt.cli.result_file import demand_profile, read_pinned
from in_toto_done_receipt.cli.settings import VERIFY_ALONE, settings_of
from in_toto_done_receipt.cli.verify_options import admission_options, engine_options, output_options
from in_toto_done_receipt.cli.verify_setup import Flags, time_of
from in_toto_done_receipt.errors import UsageError
from in_toto_done_receipt.pipeline import Outcome, decide_on
from in_toto_done_receipt.results.document import read_result
from in_toto_done_receipt.results.outcome import exit_code


@click.command()
@click.argument("result", type=FILE)
@click.option("--expected-digest", type=TEXT, help="sha256 of the result document, from a trusted channel.")
@click.option("--unsigned", is_flag=True, help="Accept a result for which no signature was asked.")
@admission_options
@engine_options
@output_options
def command(result: Path, expected_digest: str | None, **flags: Any) -> int:
    """Decide on a result document, as of now. States, coverage and assurance are computed again from its items.

    \b
    Example:
      done-receipt admit result.json --expected-digest 5f70bf18a08660…
    """
    name = "json" if flags["as_json"] else check_format(flags["output_format"], "--format")
    with errors_for_machines(name, quiet=flags["quiet"]):
        return _admit(result, expected_digest, name, flags)


def _admit(path: Path, expected_digest: str | None, name: str, flags: Flags) -> int:
    outputs = split_outputs(flags["outputs"])
    if wants_receipt(name, outputs):
        raise UsageError("format gh prints the attestation, and admit has only what was found out about it")
    for _, target in outputs:
        keep_inputs(target, path, flags["profiles"], flags["policy_key"], *policy_files(flags))
    settings = settings_of(VERIFY_ALONE | flags)
    data, _ = read_pinned(path, expected_digest)
    result = read_result(data, what=str(path), max_bytes=len(data))
    demand_profile(result, settings, path, job="admit")
    with engine_of(VERIFY_ALONE | flags) as engine:
        decision = decide_on(result, settings, engine, at=time_of(flags["at"]))
    code = exit_code(result, decision)
    outcome = Outcome(result=result, decision=decision, exit_code=code, skipped=0)
    places = views(name, outputs, settings, several=False, colour=flags["color"], quiet=flags["quiet"])
    write_all({target: [render(Shown(outcome=outcome))] for target, render in places})
    return code
