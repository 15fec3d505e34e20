"""`attest-result`: signs what came out. Decides again, runs no evidence, and takes neither receipt nor workspace."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from in_toto_done_receipt.cli import signing
from in_toto_done_receipt.cli.engine_setup import engine_of, policy_files
from in_toto_done_receipt.cli.main import say
from in_toto_done_receipt.cli.options import (
    FILE,
    TEXT,
    format_option,
    is_stdout,
    keep_inputs,
    read_named,
    say_facts,
    write_output,
)
from in_toto_done_receipt.cli.result_file import demand_profile, read_one_result, read_pinned
from in_toto_done_receipt.cli.settings import VERIFY_ALONE, settings_of
from in_toto_done_receipt.cli.verify_options import engine_options, profile_options
from in_toto_done_receipt.cli.verify_setup import Flags
from in_toto_done_receipt.errors import ConfigurationError, MalformedInput, ProducerError, UsageError
from in_toto_done_receipt.pipeline import decide_on, policy_document
from in_toto_done_receipt.producer.attested import KINDS, POLICY_URI, Judged, Kind, attestation, judged_by
from in_toto_done_receipt.profile.check import is_uri
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.results.outcome import exit_code
from in_toto_done_receipt.results.past import Past
from in_toto_done_receipt.trust.file import load_trust
from in_toto_done_receipt.wire.config import MAX_CONFIG_BYTES
from in_toto_done_receipt.wire.escape import escape

VERIFIER_ID = "https://w3id.org/done-receipt/verifier"
REFUSED = 4  # the decision allows, and still nothing may be signed


@click.command("attest-result")
@click.argument("result", type=FILE)
@click.option("--expected-digest", type=TEXT, required=True, help="sha256 of RESULT, from a trusted channel.")
@click.option("--type", "kind", type=click.Choice(KINDS), default="vsa", help="vsa (default), svr or test-result.")
@click.option("--resource-uri", type=TEXT, metavar="URI", help="With vsa: what was verified, as its users name it.")
@click.option("--verifier-id", type=TEXT, metavar="URI", default=VERIFIER_ID, help="Who verified, as they name it.")
@click.option("--policy-uri", type=TEXT, metavar="URI", default=POLICY_URI, help="The name of your policy.")
@click.option("--policy-out", type=FILE, help="Write what decided, whose sha256 is the policy digest.")
@click.option("--trust", "trust_file", type=FILE, help="The trust file that recompute was given; another is refused.")
@click.option("--out", type=FILE, default=Path("-"), help="Where the envelope or bundle goes (standard output).")
@profile_options
@engine_options
@signing.signing_options
@format_option
def command(result: Path, out: Path, kind: Kind, output_format: str, as_json: bool, **flags: Any) -> int:
    """Decide on a result again, and sign what came out: a VSA, an SVR or a test-result. Runs no evidence.

    RESULT is what recompute writes, or verify and admit print as JSON. Ends with the decision's exit code: a VSA that
    says FAILED is written, and the code is 11 or 12. Nothing is signed about a receipt that is unsigned or imported.

    \b
    Example:
      done-receipt attest-result result.json --expected-digest 5f70bf18a08660… --key gate.pem \\
        --resource-uri git+https://example.com/app --out app.vsa.json
    """
    how = signing.take(flags, out=out, statement=result)
    flags |= VERIFY_ALONE | {"unsigned": False, "at": None}
    _check_names(kind, flags)
    policy_out: Path | None = flags["policy_out"]
    for output in (*how.outputs(out), *(() if policy_out is None else (policy_out,))):
        keep_inputs(output, result, flags["profiles"], flags["trust_file"], flags["policy_key"], *how.inputs)
        keep_inputs(output, tuple(policy_files(flags)))
    signing.check_early(how)
    judged = _judge(result, flags)
    code = exit_code(judged.result, judged.decision)
    try:
        payload = attestation(kind, judged, now=datetime.now(UTC))
    except ProducerError as error:
        say(error)
        return code or REFUSED
    signed = signing.sign(payload, how)
    if policy_out is not None:
        write_output(policy_out, judged_by(judged))
    signing.write(signed, how, out)
    facts = {"payloadSha256": signed.payload_sha256, "allow": judged.decision.allow, **signing.facts(signed)}
    lines = [signed.payload_sha256, "PASSED" if judged.decision.allow else "FAILED", *signing.lines(signed)]
    say_facts(facts | {"out": str(out)}, lines, as_json=as_json or output_format == "json", err=is_stdout(out))
    return code


def _check_names(kind: Kind, flags: Flags) -> None:
    for name in ("resource_uri", "verifier_id", "policy_uri"):
        text, flag = flags[name], f"--{name.replace('_', '-')}"
        if text is not None and not is_uri(text):
            raise UsageError(f"{flag} {escape(text)}: is not a URI", hint="with its scheme: git+https://…, pkg:…")
    if (kind == "vsa") is (flags["resource_uri"] is None):
        said = "a VSA names what was verified" if kind == "vsa" else f"a {kind} has no place for it"
        raise UsageError(f"--resource-uri: {said}")


def _judge(path: Path, flags: Flags) -> Judged:
    """The decision as the verifier makes it now; one that stands in the file is believed only when it denies."""
    settings = settings_of(flags)
    data, sha256 = read_pinned(path, flags["expected_digest"])
    past = read_one_result(data, path)
    demand_profile(past.result, settings, path, job="attest-result")
    _demand_trust(past.result, flags["trust_file"], path)
    with engine_of(flags) as engine:
        decision = decide_on(past.result, settings, engine, at=datetime.now(UTC))
    _demand_no_denial(past, decision.allow)
    return Judged(
        result=past.result,
        decision=decision,
        settings=policy_document(past.result, settings),
        sha256=sha256,
        verifier_id=flags["verifier_id"],
        policy_uri=flags["policy_uri"],
        resource_uri=flags["resource_uri"],
    )


def _demand_no_denial(past: Past, allow: bool) -> None:
    if past.decision is not None and allow and not past.decision.allow:
        raise ConfigurationError(
            f"{escape(past.name)}: the decision in it denies, and this policy and profile allow",
            hint="give attest-result the flags that verify was given, or the result of recompute",
        )


def _demand_trust(result: VerificationResult, path: Path | None, what: Path) -> None:
    if path is None:
        return
    data = read_named(path, flag="--trust", limit=MAX_CONFIG_BYTES)
    trust = load_trust(
        data,
        base=path.parent,
        read=lambda named: read_named(named, flag="--trust", limit=MAX_CONFIG_BYTES << 4),
        what=str(path),
    )
    if trust.digest != result.trust.digest:
        raise MalformedInput(
            f"{escape(str(what))}: made with trust {result.trust.digest}, this one is {trust.digest}",
            hint="give attest-result the trust file that recompute was given",
        )
