"""An identity token for Sigstore: given, of the job that this runs in, or of a person who logs in. Through sigstore.

The token is a secret: no message, repr or file ever holds it. Its claims are read, not verified; Fulcio verifies them.
"""

import contextlib
import json
import sys
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.producer.calls import SHOWN_CHARACTERS, Service

if TYPE_CHECKING:
    from sigstore.oidc import IdentityToken

MAX_TOKEN_BYTES: Final = 64 << 10
AUDIENCE: Final = "sigstore"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token, and whom it names. Which of the names Fulcio writes into the certificate depends on the issuer."""

    raw: str = field(repr=False)
    names: tuple[str, ...]
    issuer: str


def read_token(data: bytes, *, what: str) -> Token:
    """The token in these bytes, with white space around it. Raises ConfigurationError that says what is wrong."""
    try:
        raw = data.strip().decode("ascii")
    except UnicodeDecodeError:
        raw = ""
    if not raw or len(raw) > MAX_TOKEN_BYTES or not raw.isprintable():
        raise ConfigurationError(f"{what}: not an identity token (JWT)")
    return _token(raw, what)


def _token(raw: str, what: str) -> Token:
    from sigstore.oidc import IdentityError, IdentityToken

    try:
        return _named(IdentityToken(raw, AUDIENCE))
    except IdentityError as error:
        raise ConfigurationError(f"{what}: {_token_fault(error)}", hint=_token_hint(error)) from None
    except Exception:  # noqa: BLE001 - claims of other types than it expects; the text could quote the token
        raise ConfigurationError(f"{what}: not an identity token (JWT)") from None


def _named(token: "IdentityToken") -> Token:
    """The token with its mail address and its subject, each once."""
    raw = str(token)
    claims = json.loads(urlsafe_b64decode(raw.split(".")[1] + "=="))  # read before, by the library
    found = (claims.get("email"), token.identity, claims.get("sub"))
    names = dict.fromkeys(name for name in found if isinstance(name, str) and name)
    return Token(raw=raw, names=tuple(names), issuer=token.issuer)


# What PyJWT found, by the name of its exception; sigstore says "malformed or missing claims" for all of them.
_FAULTS: Final = {
    "ExpiredSignatureError": "the identity token has expired",
    "ImmatureSignatureError": "the identity token is not valid yet",
    "InvalidAudienceError": f"the identity token is for another audience than {AUDIENCE}",
    "InvalidIssuedAtError": "the identity token says that it was issued in the future",
}


def _token_fault(error: Exception) -> str:
    cause = error.__cause__
    if type(cause).__name__ == "MissingRequiredClaimError":
        return f"the identity token has no claim {getattr(cause, 'claim', '?')}"
    if type(cause).__name__ in _FAULTS:
        return _FAULTS[type(cause).__name__]
    text = str(error)
    return "not an identity token (JWT)" if cause is not None else text[:1].lower() + text[1:]


def _token_hint(error: Exception) -> str | None:
    name = type(error.__cause__).__name__
    if name == "InvalidAudienceError":
        return f"ask its issuer for one with audience {AUDIENCE}"
    return "get a new one; they live for minutes" if name == "ExpiredSignatureError" else None


def ambient_token() -> Token | None:
    """The token of the job that this process runs in: GitHub, GitLab, Google, Buildkite or CircleCI; None outside.

    Raises ConfigurationError when this is such a job and it may not have a token.
    """
    from sigstore.oidc import IdentityError, detect_credential

    try:
        raw = detect_credential(AUDIENCE)
    except IdentityError as error:
        hint = None
        if type(error.__cause__).__name__ == "GitHubOidcPermissionCredentialError":
            hint = "the job wants `permissions: id-token: write`; pull requests of forks never get it"
        raise ConfigurationError(f"the job's identity token cannot be had: {_line(error)}", hint=hint) from None
    except Exception as error:  # noqa: BLE001 - it lets errors of its HTTP and JSON libraries out
        raise ConfigurationError(f"the job's identity token cannot be had: {type(error).__name__}") from None
    return None if raw is None else _token(raw, "the job's identity token")


def interactive_token(issuer: Service) -> Token:
    """The token of a person who logs in with a browser, or with a code where there is none. Waits for the person.

    What the person reads goes to standard error. Raises ConfigurationError.
    """
    from sigstore.oidc import Issuer

    try:
        with _at_the_terminal():
            return _named(Issuer(issuer.url).identity_token())
    except Exception as error:  # noqa: BLE001 - it has no base of its errors, and lets those of its libraries out
        raise ConfigurationError(f"{issuer.named}: no identity token: {_line(error)}") from None


@contextlib.contextmanager
def _at_the_terminal() -> Iterator[None]:
    """What the library asks with `input` is asked at the terminal: both standard streams may carry documents."""
    kept = sys.stdin
    with Path("/dev/tty").open(encoding="utf-8") as terminal, contextlib.redirect_stdout(sys.stderr):
        sys.stdin = terminal
        try:
            yield
        finally:
            sys.stdin = kept


def _line(error: Any) -> str:
    """The first line of an error's text, or of what caused it."""
    for fault in (error, error.__cause__, error.__context__):
        text = str(fault or "").strip().partition("\n")[0][:SHOWN_CHARACTERS]
        if text:
            return text[:1].lower() + text[1:]
    return type(error).__name__
