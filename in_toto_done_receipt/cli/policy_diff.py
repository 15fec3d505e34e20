"""`policy diff`: which earlier decisions another policy, or another profile, would make otherwise."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from in_toto_done_receipt.admission.catalogue import Catalogue, load_catalogue
from in_toto_done_receipt.admission.decide import decide
from in_toto_done_receipt.admission.engines import PolicyEngine, close_engine, engine_for
from in_toto_done_receipt.admission.flips import Change, Flip, compare
from in_toto_done_receipt.cli.engine_setup import policies_of
from in_toto_done_receipt.cli.options import FILE, TEXT, format_option
from in_toto_done_receipt.cli.replay import read_pasts, settings_for
from in_toto_done_receipt.cli.settings import VERIFY_ALONE, settings_of
from in_toto_done_receipt.cli.verify_options import profile_options
from in_toto_done_receipt.cli.verify_setup import Flags
from in_toto_done_receipt.errors import ConfigurationError, UsageError
from in_toto_done_receipt.pipeline import DECISION_SECONDS
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.report.json import dump
from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.past import Past
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

FLIPPED: Final = 12  # exit code: a decision would be made otherwise
_WORDS: Final[dict[Change, str]] = {
    "admitted": "denied -> ADMITTED",
    "denied": "admitted -> DENIED",
    "reasons": "other reasons",
    "same": "the same",
}


class Side(Value, kw_only=True):
    """What one side decides with; `recorded`: where a decision was recorded, that one counts."""

    engine: PolicyEngine
    catalogue: Catalogue
    settings: Settings
    recorded: bool


@click.command("diff")
@click.argument("results", nargs=-1, required=True, type=FILE, metavar="RESULT…")
@click.option("--old", multiple=True, type=TEXT, metavar="P", help="The policy to compare with; else what was decided.")
@click.option("--new", multiple=True, type=TEXT, metavar="P", help="The policy to try: rules of yours, or all of ours.")
@click.option("--old-profile", multiple=True, type=FILE, help="A profile of the old side only.")
@click.option("--new-profile", multiple=True, type=FILE, help="A profile of the new side only.")
@profile_options
@click.option("--policy-key", type=FILE, help="Public key (PEM) that must have signed every bundle named.")
@click.option("--policy-scope", type=TEXT, help="The scope that it must be signed for.")
@click.option("--engine", default="embedded", type=click.Choice(["embedded", "opa"]), help="Which engine evaluates.")
@click.option("--opa", type=FILE, help="The opa executable, for --engine opa and to compile Rego of your own.")
@format_option
def command(results: tuple[Path, ...], output_format: str, as_json: bool, **flags: Any) -> int:
    """Decide earlier results again, as of the time they were decided, and say which decisions would flip.

    RESULT is what `verify --format json` or `admit --format json` printed, or what recompute wrote. P is a folder, a
    bundle or a module of rules of yours (as for --policy), or a folder with all of our policy in another version.
    Without --old and --old-profile the recorded decision is the old one. Exit code 12 when a decision flips.

    \b
    Example:
      done-receipt policy diff --new rules decided/*.json
      done-receipt policy diff --new-profile stricter.toml --profile acceptance.toml decided/*.json
    """
    if not (flags["new"] or flags["new_profile"] or flags["old"] or flags["old_profile"]):
        raise UsageError("nothing is compared", hint="name --new, --new-profile, --old or --old-profile")
    pasts = [past for path in results for past in read_pasts(path)]
    with _side("old", flags) as old, _side("new", flags) as new:
        flips = [compare(past.name, _decided(past, old), _decided(past, new)) for past in pasts]
    if as_json or output_format == "json":
        click.echo(dump(_tree(flips), indent=2))
    else:
        for line in _lines(flips):
            click.echo(line)
    return FLIPPED if any(flip.change in ("admitted", "denied") for flip in flips) else 0


@contextlib.contextmanager
def _side(name: str, flags: Flags) -> Iterator[Side]:
    """What one side decides with, for the length of a block."""
    own: tuple[Path, ...] = flags[f"{name}_profile"]
    named: tuple[str, ...] = flags[name]
    settings = settings_of(
        VERIFY_ALONE | flags | {"profiles": (*flags["profiles"], *own), "at": None, "unsigned": False}
    )
    whole = [text for text in named if Path(text, "done_receipt", "admission").is_dir()]
    if whole and len(named) > 1:
        raise UsageError(f"--{name} {escape(whole[0])}: is all of our policy, and another one is named beside it")
    if whole:
        with _engine_of_folder(Path(whole[0]), flags) as engine:
            yield Side(engine=engine, catalogue=load_catalogue(Path(whole[0])), settings=settings, recorded=False)
        return
    policies = policies_of(flags | {"policies": named})
    recorded = name == "old" and not named and not own
    with engine_for(flags["engine"], policies=policies, opa=flags["opa"]) as engine:
        yield Side(engine=engine, catalogue=load_catalogue(), settings=settings, recorded=recorded)


@contextlib.contextmanager
def _engine_of_folder(folder: Path, flags: Flags) -> Iterator[PolicyEngine]:
    """Our policy of another version: its module where it has one, else its sources by an OPA."""
    from in_toto_done_receipt.admission.artefact import MODULE
    from in_toto_done_receipt.admission.embedded import EmbeddedEngine
    from in_toto_done_receipt.admission.opa import OpaEngine, find_opa

    if flags["engine"] == "embedded" and not (folder / MODULE).is_file():
        raise ConfigurationError(
            f"{escape(str(folder))}: has no {MODULE}", hint="build it (`policy build`), or add --engine opa"
        )
    engine: PolicyEngine = (
        EmbeddedEngine(folder, jit=True)
        if flags["engine"] == "embedded"
        else OpaEngine(find_opa(flags["opa"]), folder=folder)
    )
    try:
        yield engine
    finally:
        close_engine(engine)


def _decided(past: Past, side: Side) -> Decision:
    if side.recorded and past.decision is not None:
        return past.decision
    return decide(
        past.result,
        settings_for(past, side.settings),
        engine=side.engine,
        evaluated_at=past.evaluated_at,
        seconds=DECISION_SECONDS,
        catalogue=side.catalogue,
    )


def _tree(flips: list[Flip]) -> dict[str, Any]:
    return {
        "flips": sum(flip.change in ("admitted", "denied") for flip in flips),
        "results": [
            {
                "result": flip.name,
                "change": flip.change,
                "old": _side_tree(flip.before),
                "new": _side_tree(flip.after),
                "gained": list(flip.gained),
                "lost": list(flip.lost),
                "newWarnings": list(flip.warned),
                "exceptions": list(flip.waived),
            }
            for flip in flips
        ],
    }


def _side_tree(decision: Decision) -> dict[str, Any]:
    return {"allow": decision.allow, "policy": decision.digests.policy, "profile": decision.digests.profile}


def _lines(flips: list[Flip]) -> Iterator[str]:
    for flip in flips:
        yield f"{_WORDS[flip.change]}: {escape(flip.name)}"
        yield from (f"  + {escape(code)}" for code in flip.gained)
        yield from (f"  - {escape(code)}" for code in flip.lost)
        yield from (f"  warns {escape(code)}" for code in flip.warned)
        yield from (f"  waived {escape(code)}" for code in flip.waived)
    count = sum(flip.change in ("admitted", "denied") for flip in flips)
    yield f"{count} of {len(flips)} decision(s) would flip"
