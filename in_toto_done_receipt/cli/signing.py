"""The flags that say who signs and what comes out, for `sign` and `attest`: read, checked, done."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from in_toto_done_receipt.cli.consent import ask_consent, demand_consent_possible
from in_toto_done_receipt.cli.options import (
    FILE,
    TEXT,
    has_terminal,
    is_stdout,
    passphrase_options,
    passphrase_source,
    read_document,
    read_named,
    write_output,
)
from in_toto_done_receipt.errors import ConfigurationError, InputError, UsageError
from in_toto_done_receipt.producer.bundle import check_keyless, check_managed, sign_keyless, sign_managed
from in_toto_done_receipt.producer.calls import Deadline
from in_toto_done_receipt.producer.identity_token import (
    MAX_TOKEN_BYTES,
    Token,
    ambient_token,
    interactive_token,
    read_token,
)
from in_toto_done_receipt.producer.key_service import KeyAt, Opening, check_available, file_of, key_at, open_key
from in_toto_done_receipt.producer.keys import MAX_KEY_BYTES, pem_of_spki
from in_toto_done_receipt.producer.sign import PayloadSigner, Signed, key_signer, sign_statement
from in_toto_done_receipt.producer.signing_config import MAX_CONFIG_BYTES, Instance, read_instance
from in_toto_done_receipt.wire.value import Value

F = TypeVar("F", bound=Callable[..., Any])

SERVICE_SECONDS: Final = 90

_OPTIONS: Final = (
    click.option("--key", type=FILE, help="Sign with a private key: PEM, Ed25519, ECDSA or RSA."),
    click.option("--signer", type=TEXT, metavar="URI", help="Sign with a key elsewhere: hsm:, gnupg:, awskms: …"),
    click.option("--sigstore", is_flag=True, help="Sign without a key: with an identity, through Sigstore."),
    click.option("--key-id", type=TEXT, help="Label of the signature instead of the key's fingerprint."),
    click.option("--public-key", type=FILE, help="The public half of --signer's key; without it the service is asked."),
    click.option("--public-key-out", type=FILE, help="Write the public half of the key here, for trust files."),
    click.option("--bundle", is_flag=True, help="Write a Sigstore bundle instead of an envelope."),
    click.option("--identity-token", type=FILE, help="The identity token for --sigstore; - is standard input."),
    click.option("--trust-config", type=FILE, help="The Sigstore instance (the public one): client trust config."),
    click.option("--signing-config", type=FILE, help="The instance's services; with --trusted-root or --trust-config."),
    click.option("--trusted-root", type=FILE, help="The instance's trusted root; with --signing-config."),
    click.option("--yes", is_flag=True, help="Identity and statement may become public; do not ask."),
    click.option(
        "--timeout",
        type=click.IntRange(1, 3600),
        default=SERVICE_SECONDS,
        help=f"Seconds for all services together ({SERVICE_SECONDS}).",
    ),
)


def signing_options(function: F) -> F:
    """Every flag of `How`."""
    function = passphrase_options(function)
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


class How(Value, kw_only=True):
    """What the flags say. `take` makes it; what is contradictory in itself is refused there."""

    key: Path | None
    signer: KeyAt | None
    sigstore: bool
    key_id: str | None
    public_key: Path | None
    public_key_out: Path | None
    bundle: bool
    identity_token: Path | None
    trust_config: Path | None
    signing_config: Path | None
    trusted_root: Path | None
    yes: bool
    timeout: int
    passphrase_file: Path | None
    passphrase_fd: int | None
    ambient: bool = True

    @property
    def inputs(self) -> tuple[Path | None, ...]:
        """All files that signing reads."""
        configs = (self.trust_config, self.signing_config, self.trusted_root)
        own = None if self.signer is None or self.signer.scheme != "file2" else file_of(self.signer)
        return (self.key, own, self.public_key, self.identity_token, self.passphrase_file, *configs)

    def outputs(self, out: Path) -> tuple[Path, ...]:
        """All files that are written."""
        return (out,) if self.public_key_out is None else (out, self.public_key_out)

    @property
    def publishes(self) -> bool:
        """Whether anything leaves this machine for a public log."""
        return self.sigstore or any((self.trust_config, self.signing_config, self.trusted_root))


def take(given: dict[str, Any], *, out: Path, statement: Path | None = None, ambient: bool = True) -> How:
    """The signing flags, taken out of all that click gives. `ambient`: whether a job's own token may be used.

    Raises UsageError for flags that contradict each other or that nothing here would use.
    """
    given["signer"] = None if given["signer"] is None else key_at(given["signer"])
    taken = {name: given.pop(name) for name in How.__struct_fields__ if name in given}
    how = How(**taken, ambient=ambient)
    if sum((how.key is not None, how.signer is not None, how.sigstore)) != 1:
        raise UsageError("expected exactly one of --key, --signer and --sigstore")
    _refuse_unused(how)
    standard = [is_stdout(path) for path in (statement, how.identity_token) if path is not None]
    if sum(standard) + (how.passphrase_fd == 0) > 1:
        raise UsageError("standard input can be one of statement, identity token and passphrase")
    if how.public_key_out is not None and how.public_key_out.absolute() == out.absolute():
        raise UsageError(f"--out and --public-key-out are the same: {out}")
    return how


def _refuse_unused(how: How) -> None:
    """Every flag has to mean something; one that is silently ignored misleads."""
    keyed, own = not how.sigstore, how.signer is not None
    passphrase = how.passphrase_file is not None or how.passphrase_fd is not None
    gnupg = own and how.signer is not None and how.signer.scheme == "gnupg"
    instance = any((how.trust_config, how.signing_config, how.trusted_root))
    rules = (
        (how.key_id is not None and not keyed, "--key-id belongs to --key or --signer"),
        (how.public_key is not None and not own, "--public-key belongs to --signer"),
        (how.public_key is not None and gnupg, "--public-key: gpg has the public half in its keyring"),
        (how.public_key_out is not None and not keyed, "--public-key-out belongs to --key or --signer"),
        (how.identity_token is not None and keyed, "--identity-token belongs to --sigstore"),
        (passphrase and not keyed, "a passphrase belongs to --key or --signer"),
        (passphrase and gnupg, "a passphrase for gnupg: gpg asks for it itself, through its agent"),
        (instance and keyed and not how.bundle, "a log entry has no place in an envelope: add --bundle"),
        (how.trusted_root and not how.signing_config and not how.trust_config, "--trusted-root wants --signing-config"),
        (
            how.signing_config and not how.trusted_root and not how.trust_config,
            "--signing-config wants --trusted-root or --trust-config: a signature is verified before it is written",
        ),
    )
    for wrong, message in rules:
        if wrong:
            raise UsageError(message)


def check_early(how: How) -> None:
    """What can be known before long work: raises UsageError or ConfigurationError. Reads no secret, asks nobody."""
    if how.publishes:
        demand_consent_possible(yes=how.yes)
    for flag, path in (("--key", how.key), ("--identity-token", how.identity_token)):
        if path is not None and not is_stdout(path) and not path.is_file():
            raise ConfigurationError(f"{flag}: {path} is not a file")
    if how.signer is not None:
        check_available(how.signer)
    if any((how.trust_config, how.signing_config, how.trusted_root)):
        instance = _instance(how)
        if how.sigstore:
            check_keyless(instance)


def sign(payload: bytes, how: How) -> Signed:
    """The payload signed as the flags say. Secrets are read now, and not before."""
    if how.sigstore:
        return _keyless(payload, how)
    signer = _open(how)
    if not how.bundle:
        return sign_statement(payload, signer)
    instance = _instance(how) if how.publishes else None
    check_managed(signer, instance)
    if instance is not None:
        ask_consent(payload, signer.key, instance, yes=how.yes)
    return sign_managed(payload, signer, instance, now=_now(), deadline=Deadline(how.timeout))


def write(signed: Signed, how: How, out: Path) -> None:
    """The public half first: an envelope without it can still be verified by whoever has it, and by nobody else."""
    if how.public_key_out is not None and signed.key is not None:
        write_output(how.public_key_out, pem_of_spki(signed.key.spki))
        if signed.key.openpgp:
            click.echo("note: in a trust file this key wants openpgp = true", err=True)
    write_output(out, signed.document)


def facts(signed: Signed) -> dict[str, Any]:
    """What was signed and by whom, for programs."""
    known = {
        "keyid": signed.keyid,
        "identity": signed.identity,
        "issuer": signed.issuer,
        "logIndex": signed.log_index,
    }
    return {name: value for name, value in known.items() if value is not None}


def lines(signed: Signed) -> list[str]:
    """The same for people, after the payload's digest; nothing for a plain envelope."""
    known = (("identity", signed.identity), ("issuer", signed.issuer), ("log index", signed.log_index))
    return [f"{name}: {value}" for name, value in known if value is not None]


def _open(how: How) -> PayloadSigner:
    padding: Any = "pkcs1v15" if how.bundle else "pss"
    secret = passphrase_source(how.passphrase_file, how.passphrase_fd, word="PIN" if how.signer else "passphrase")
    if how.key is not None:
        pem = read_named(how.key, flag="--key", limit=MAX_KEY_BYTES)
        return key_signer(pem, passphrase=secret, what=str(how.key), key_id=how.key_id, padding=padding)
    if how.signer is None:  # `take` demands one of the three
        raise AssertionError
    public = None if how.public_key is None else read_named(how.public_key, flag="--public-key", limit=MAX_KEY_BYTES)
    return open_key(how.signer, Opening(public_pem=public, secret=secret, key_id=how.key_id, padding=padding))


def _keyless(payload: bytes, how: How) -> Signed:
    now = _now()
    instance = _instance(how)
    check_keyless(instance)
    token = _identity_token(how, instance)
    ask_consent(payload, token, instance, yes=how.yes)
    return sign_keyless(payload, token, instance, now=now, deadline=Deadline(how.timeout))


def _identity_token(how: How, instance: Instance) -> Token:
    """The token that was given, else the job's, else of somebody who logs in."""
    if how.identity_token is not None:
        return read_token(_token_bytes(how.identity_token), what="--identity-token")
    found = ambient_token() if how.ambient else None
    if found is not None:
        return found
    if not has_terminal():
        raise ConfigurationError(
            "no identity token: none is given, this is no job that has one, and there is no terminal to log in at",
            hint="--identity-token FILE",
        )
    if instance.issuer is None:
        raise ConfigurationError(
            f"{instance.known_as}: names no OIDC issuer to log in at", hint="--identity-token FILE"
        )
    return interactive_token(instance.issuer)


def _token_bytes(path: Path) -> bytes:
    try:
        return read_document(path, what="--identity-token", limit=MAX_TOKEN_BYTES)
    except InputError as error:
        raise ConfigurationError(error.message, hint=error.hint) from None


def _instance(how: How) -> Instance:
    """The instance that the files say, or the public one, which is asked for over the network."""
    if not any((how.trust_config, how.signing_config, how.trusted_root)):
        from in_toto_done_receipt.producer.public_instance import fetch_instance

        return fetch_instance(_now())
    return read_instance(
        trust_config=_config("--trust-config", how.trust_config),
        signing_config=_config("--signing-config", how.signing_config),
        trusted_root=_config("--trusted-root", how.trusted_root),
        now=_now(),
    )


def _config(flag: str, path: Path | None) -> tuple[str, bytes] | None:
    return None if path is None else (str(path), read_named(path, flag=flag, limit=MAX_CONFIG_BYTES))


def _now() -> datetime:
    """The wall clock: what certificates and validity windows are judged by."""
    return datetime.now(UTC)
