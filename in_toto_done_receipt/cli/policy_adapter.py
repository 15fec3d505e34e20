"""`policy adapter`: the policy for a tool with a contract of its own, as files for that tool."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from in_toto_done_receipt.cli.options import FILE, TEXT, read_named, write_output
from in_toto_done_receipt.errors import UsageError
from in_toto_done_receipt.profile.check import is_uri
from in_toto_done_receipt.wire.config import MAX_CONFIG_BYTES
from in_toto_done_receipt.wire.digests import digest_fault
from in_toto_done_receipt.wire.escape import escape

if TYPE_CHECKING:
    from in_toto_done_receipt.admission.adapters.render import Wanted

NAMES: Final = ("conftest", "gatekeeper", "cosign", "policy-controller", "witness")
_ATTESTED: Final = ("cosign", "policy-controller")  # they see a signed statement, and nothing else
_PLACED: Final = "policy-controller"  # its file also says for which images, and whose key
_LEVEL: Final = "DONE_RECEIPT_FULLY_RECHECKED"


@click.command("adapter")
@click.argument("name", type=click.Choice(NAMES))
@click.option("--out", type=FILE, required=True, help="A folder that is new or empty.")
@click.option("--verifier-id", type=TEXT, metavar="URI", help="Whose summary (VSA) is admitted.")
@click.option("--resource-uri", "resources", type=TEXT, metavar="URI", multiple=True, help="What it is about.")
@click.option("--level", "levels", type=TEXT, multiple=True, help=f"A level that it must have; {_LEVEL} without it.")
@click.option("--judged-by", type=TEXT, metavar="HEX", help="The sha256 of `attest-result --policy-out`.")
@click.option("--max-age", type=click.IntRange(min=1), metavar="SECONDS", help="How old the verification may be.")
@click.option(
    "--claims", is_flag=True, help="With cosign: receipts may pass by their word, for a gate that wants a VSA too."
)
@click.option("--image", "images", type=TEXT, metavar="GLOB", multiple=True, help="With policy-controller: for these.")
@click.option("--key", type=FILE, help="With policy-controller: the verifier's public key (PEM).")
def command(name: str, out: Path, **flags: Any) -> None:
    """Write the policy for conftest, Gatekeeper, cosign, policy-controller or witness. Needs none of them, and no OPA.

    The flags but --out say what an attached verdict has to be, for the tools that see nothing else.

    \b
    Example:
      done-receipt policy adapter conftest --out gate/conftest
      done-receipt policy adapter cosign --out gate/cosign --verifier-id https://example.com/gate \\
        --resource-uri git+https://example.com/app
    """
    wanted = _wanted(name, flags)
    _check_empty(out)
    from in_toto_done_receipt.admission.adapters.render import RENDERERS
    from in_toto_done_receipt.admission.sources import policy_digest, verified_folder

    folder = verified_folder()
    files = RENDERERS[name](folder, wanted)
    for path, data in files.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        write_output(out / path, data)
    click.echo(f"wrote {escape(str(out))}: {len(files)} file(s), policy {policy_digest(folder)}", err=True)


def _check_empty(out: Path) -> None:
    """An older rule that stays behind would go on deciding."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise UsageError(f"--out {escape(str(out))}: is no folder")
    if out.is_dir() and any(out.iterdir()):
        raise UsageError(f"--out {escape(str(out))}: is not empty", hint="name a new folder, then exchange the two")


def _wanted(name: str, flags: dict[str, Any]) -> "Wanted | None":
    from in_toto_done_receipt.admission.adapters.render import Wanted

    if name not in _ATTESTED:
        _refuse(name, flags, *flags)
        return None
    _refuse(name, flags, *(("claims",) if name == _PLACED else ("images", "key")))
    _demand(name, flags, "verifier_id", "resources", *(("images", "key") if name == _PLACED else ()))
    for flag, values in (("verifier_id", (flags["verifier_id"],)), ("resources", flags["resources"])):
        for value in values:
            if not is_uri(value):
                raise UsageError(f"{_spelled(flag)} {escape(value)}: is not a URI")
    judged_by = (flags["judged_by"] or "").removeprefix("sha256:")
    if judged_by and (fault := digest_fault("sha256", judged_by)):
        raise UsageError(f"--judged-by: {fault}")
    return Wanted(
        verifier_id=flags["verifier_id"],
        resource_uris=flags["resources"],
        levels=flags["levels"] or (_LEVEL,),
        judged_by=judged_by,
        max_age=flags["max_age"] or 0,
        claims=flags["claims"],
        images=flags["images"],
        key=_public_key(flags["key"]),
    )


def _public_key(path: Path | None) -> str:
    if path is None:
        return ""
    from cryptography.hazmat.primitives import serialization as ser

    from in_toto_done_receipt.trust.keys import load_key

    key = load_key(read_named(path, flag="--key", limit=MAX_CONFIG_BYTES), name="verifier", what=escape(str(path)))
    public = ser.load_der_public_key(key.spki)
    return public.public_bytes(ser.Encoding.PEM, ser.PublicFormat.SubjectPublicKeyInfo).decode("ascii")


def _refuse(name: str, flags: dict[str, Any], *unwanted: str) -> None:
    for flag in unwanted:
        if flags[flag]:
            raise UsageError(f"{_spelled(flag)}: {name} has no place for it")


def _demand(name: str, flags: dict[str, Any], *wanted: str) -> None:
    for flag in wanted:
        if not flags[flag]:
            raise UsageError(f"{name} sees only what is attached: {_spelled(flag)} has to say what is wanted")


def _spelled(name: str) -> str:
    singular = {"resources": "resource-uri", "levels": "level", "images": "image"}
    return f"--{singular.get(name, name).replace('_', '-')}"
