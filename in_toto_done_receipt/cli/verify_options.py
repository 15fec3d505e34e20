"""The flags of `verify` and `recompute`, in three groups: whom to trust, where to look, what to demand."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from in_toto_done_receipt.cli.options import FILE, TEXT
from in_toto_done_receipt.importers.registry import OLD_FORMATS
from in_toto_done_receipt.results.model import SANDBOX_LEVELS
from in_toto_done_receipt.trust.flags import CLAIM_FLAGS, SOURCE_FLAG

F = TypeVar("F", bound=Callable[..., Any])


def _apply(function: F, *options: Callable[[F], F]) -> F:
    for option in reversed(options):
        function = option(function)
    return function


_CLAIM_HELP = {
    SOURCE_FLAG: "The source repository that was signed for.",
    "--certificate-github-workflow-name": "Demand this workflow name of the certificate.",
    "--certificate-github-workflow-ref": "Demand this git ref of the workflow run.",
    "--certificate-github-workflow-repository": "Demand this OWNER/REPO of the workflow run.",
    "--certificate-github-workflow-sha": "Demand this commit of the workflow run.",
    "--certificate-github-workflow-trigger": "Demand this event, such as push, as its trigger.",
    "--source-digest": "Demand this commit of the source repository.",
    "--source-ref": "Demand this git ref of the source repository.",
    "--signer-digest": "Demand this commit of the workflow that signed.",
}


def trust_options(function: F) -> F:
    """Whose signature counts. A trust file, or flags, or nobody's."""
    return _apply(
        function,
        click.option("trust_file", "--trust", type=FILE, help="Trust file: whose signature counts, for what."),
        click.option("--trusted-key", multiple=True, type=TEXT, metavar="NAME=PEM", help="Trust this public key."),
        click.option("--certificate-identity", type=TEXT, help="Trust this identity of a Sigstore certificate."),
        click.option("--certificate-identity-regexp", type=TEXT, help="The same, as an expression matched in full."),
        click.option("--certificate-oidc-issuer", type=TEXT, help="The identity's issuer; goes with an identity."),
        click.option("--certificate-oidc-issuer-regexp", type=TEXT, help="The same, as an expression."),
        *(click.option(flag, type=TEXT, help=_CLAIM_HELP[flag]) for flag in CLAIM_FLAGS),
        click.option("--deny-self-hosted-runners", is_flag=True, help="Demand a GitHub-hosted runner."),
        click.option("--trusted-root", type=FILE, help="Sigstore trusted root, a file; nothing is fetched."),
        click.option("--threshold", type=click.IntRange(1, 32), help="Distinct principals that must have signed."),
        click.option("--unsigned", is_flag=True, help="Ask for no signature; the result names no signer."),
    )


def workspace_options(function: F) -> F:
    """Where to look again, and what to compare with."""
    return _apply(
        function,
        click.option(
            "as_format",
            "--as",
            type=click.Choice([known.name for known in OLD_FORMATS]),
            help="The receipt is of this old format.",
        ),
        click.option("--canonical-paths", is_flag=True, help="With --as: refuse a path like a//b or ./a."),
        click.option("root", "--root", "--recheck-root", type=FILE, help="Directory in which to look again."),
        click.option("--recheck", is_flag=True, hidden=True, help="Said by --root already; goes with it."),
        click.option("--artifact", "artifacts", multiple=True, type=FILE, help="A file that must be a subject."),
        click.option("--contract", type=FILE, help="Your own sealed contract; outside the root."),
        click.option("--audit-log", type=FILE, help="The run's audit log, which the receipt must then name and fit."),
        click.option("--manifest", type=FILE, help="The output manifest, to name each difference."),
        click.option("--packet-digest", type=TEXT, help="Expected sha256 of the packet (all three context flags)."),
        click.option("--input-commit", type=TEXT, help="Expected input commit."),
        click.option("--output-manifest-digest", type=TEXT, help="Expected sha256 of the output manifest."),
        click.option("--expected-digest", type=TEXT, help="Expected sha256 of the signed payload."),
        click.option("--recheck-commands", is_flag=True, help="Run allowed commands again, in a copy, in a sandbox."),
        click.option("--allow-command", multiple=True, type=TEXT, metavar="ARGV", help="Allow exactly this command."),
        click.option("--show-output", is_flag=True, help="Show the start of what commands print, on standard error."),
        click.option("--repo", type=FILE, help="Git repository in which to look, at --head; nothing is checked out."),
        click.option("--base", type=TEXT, metavar="ID", help="Where the change starts: a full commit id."),
        click.option("--head", type=TEXT, metavar="REV", help="Where it ends: a full id, HEAD or an exact ref name."),
        click.option("--target-ref", type=TEXT, metavar="REF", help="Take the merge base with this ref as the base."),
        click.option("--merge-onto", type=TEXT, metavar="REV", help="Examine the tree of head merged onto this."),
        click.option(
            "object_dirs", "--object-dir", multiple=True, type=FILE, help="An object folder beside the repository's."
        ),
        click.option("--inside-only", is_flag=True, help="Refuse objects borrowed from outside the repository."),
        click.option("--overlay", type=FILE, metavar="DIR", help="Your hidden tests, laid over base's for one run."),
    )


def profile_options(function: F) -> F:
    """What the policy is asked with: the profile, and what flags change of it."""
    return _apply(
        function,
        click.option(
            "profiles", "--profile", multiple=True, type=FILE, help="Acceptance profile; base:PATH reads it at base."
        ),
        click.option(
            "--minimum-assurance",
            type=click.Choice(["reported", "partially_rechecked", "fully_rechecked"]),
            help="The assurance to demand.",
        ),
        click.option(
            "predicate_types",
            "--predicate-type",
            multiple=True,
            type=TEXT,
            metavar="URI",
            help="Admit these predicate types only.",
        ),
        click.option("--repository", type=TEXT, metavar="URI", help="The repository that the receipt must name."),
        click.option("--sandbox", type=click.Choice(SANDBOX_LEVELS[::-1]), help="Weakest level to accept."),
        click.option("overrides", "--override", multiple=True, type=TEXT, help="Permit a flag to loosen the profile."),
    )


def admission_options(function: F) -> F:
    """What the policy is asked with, and as of when."""
    return _apply(
        function,
        profile_options,
        click.option("--at", type=TEXT, metavar="TIME", help="Evaluate as of this time (RFC 3339, UTC)."),
    )


def demand_options(function: F) -> F:
    """What to demand, and what it may cost."""
    return _apply(
        function,
        admission_options,
        click.option("--max-age", type=click.IntRange(1), metavar="SECONDS", help="Since the run finished, at most."),
        click.option(
            "--skew", type=click.IntRange(0, 86_400), metavar="SECONDS", help="How far honest clocks may differ."
        ),
        click.option("--plugin", "plugins", multiple=True, type=TEXT, help="Load this installed predicate handler."),
        click.option("--timeout", type=click.IntRange(1, 86_400), help="Seconds for the whole verification."),
        click.option(
            "limits",
            "--limit",
            multiple=True,
            type=TEXT,
            metavar="NAME=VALUE",
            help="Set a limit (`profile show` lists them).",
        ),
    )


def engine_options(function: F) -> F:
    """Which engine evaluates the policy, and which policy of the verifier's own joins it."""
    return _apply(
        function,
        click.option(
            "--engine",
            default="embedded",
            type=TEXT,
            metavar="NAME",
            help="embedded (default), opa, or opa-server=URL, an OPA that serves the bundle of `policy bundle`.",
        ),
        policy_options,
        click.option("--policy-digest", type=TEXT, help="The digest that the whole policy must have."),
        click.option("--opa", type=FILE, help="The opa executable, for --engine opa and to compile Rego of your own."),
    )


def policy_options(function: F) -> F:
    """Policy of the verifier's own."""
    return _apply(
        function,
        click.option(
            "policies",
            "--policy",
            multiple=True,
            type=TEXT,
            metavar="PATH[@sha256:HEX]",
            help="Your own rules: a folder or a bundle of Rego, or a compiled module. They can deny and warn.",
        ),
        click.option("--policy-key", type=FILE, help="Public key (PEM) that must have signed every --policy bundle."),
        click.option("--policy-scope", type=TEXT, help="The scope that it must be signed for."),
    )


def output_options(function: F) -> F:
    """How to say it, and where else to write it."""
    return _apply(
        function,
        click.option(
            "output_format", "--format", default="text", type=TEXT, help="text, json, policy-input, gh or github."
        ),
        click.option("as_json", "--json", is_flag=True, help="The same as --format json."),
        click.option(
            "outputs", "--output", multiple=True, type=TEXT, metavar="FORMAT=PATH", help="Write a report to a file too."
        ),
        click.option(
            "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour the text."
        ),
        click.option("--quiet", is_flag=True, help="Print nothing but errors; the exit code says it."),
    )
