"""A key that stays where it is: in a file, a token, a keyring, a cloud. Named by a URI of securesystemslib.

`file2:PATH` · `hsm:[KEYID][?label=LABEL]` · `gnupg:[HOMEDIR][?keyid=FINGERPRINT]` · `awskms:KEY` · `gcpkms:KEY` ·
`azurekms://VAULT.vault.azure.net/keys/NAME/VERSION` · `hv:NAME[/VERSION]`

The public half is asked of the service, unless it is given: then the service only has to sign. What a service signs is
verified with it before anybody gets it (`producer.sign`).
"""

import os
import shutil
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

from in_toto_done_receipt.errors import ConfigurationError, InputError, UsageError
from in_toto_done_receipt.observe.files import read_file
from in_toto_done_receipt.producer.foreign import speaking
from in_toto_done_receipt.producer.keys import MAX_KEY_BYTES, public_pem_of
from in_toto_done_receipt.producer.sign import (
    RSA_SCHEMES,
    PayloadSigner,
    RsaPadding,
    checked_label,
    key_signer,
    public_half,
)
from in_toto_done_receipt.trust.model import TrustedKey
from in_toto_done_receipt.wire import dsse
from in_toto_done_receipt.wire.value import Value

if TYPE_CHECKING:
    from securesystemslib.signer import Key

# Scheme -> what it needs: a module of which extra. `file2` and `gnupg` need no extra.
EXTRAS: Final[dict[str, tuple[str, str]]] = {
    "hsm": ("pkcs11", "hsm"),
    "awskms": ("boto3", "awskms"),
    "gcpkms": ("google.cloud.kms", "gcpkms"),
    "azurekms": ("azure.keyvault.keys", "azurekms"),
    "hv": ("hvac", "vault"),
}
SCHEMES: Final = ("file2", "gnupg", *EXTRAS)
HSM_KEY_ID: Final = 2  # the PIV slot 9c, for signatures
FILE_PREFIX: Final = "CRYPTO_SIGNER_PATH_PREFIX"  # as securesystemslib reads it


class KeyAt(Value, kw_only=True):
    """Where a key is. `uri` as it was given, `scheme` one of `SCHEMES`, `place` what follows it, before a `?`."""

    uri: str
    scheme: str
    place: str
    query: dict[str, str]

    @property
    def named(self) -> str:
        """For messages."""
        return f"--signer {self.uri}"


class Opening(Value, kw_only=True):
    """How to open a key: its public half if the service is not to be asked, a passphrase or PIN, a label, a padding."""

    public_pem: bytes | None = None
    secret: Callable[[], bytes] | None = None
    key_id: str | None = None
    padding: RsaPadding = "pss"


def key_at(uri: str) -> KeyAt:
    """The URI taken apart; nothing is opened. Raises UsageError for one of another kind."""
    scheme, colon, _ = uri.partition(":")
    if not colon or scheme not in SCHEMES or not uri.isprintable():
        raise UsageError(
            f"--signer: not the URI of a key: {uri!a}", hint=f"it begins with {', '.join(SCHEMES)} and `:`"
        )
    try:
        parts = urlsplit(uri)
        query = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
    except ValueError:
        raise UsageError(f"--signer: not the URI of a key: {uri!a}") from None
    if parts.fragment:
        raise UsageError(f"--signer: nothing behind a # is read: {uri!a}")
    known = {"hsm": {"label"}, "gnupg": {"keyid"}}.get(scheme, set())
    if unknown := sorted(query.keys() - known):
        raise UsageError(f"--signer: {scheme} knows no {unknown[0]!a}")
    place = f"//{parts.netloc}{parts.path}" if parts.netloc else parts.path
    return KeyAt(uri=uri, scheme=scheme, place=place, query=query)


def check_available(at: KeyAt) -> None:
    """Raises ConfigurationError when what the scheme needs is not installed. Loads nothing and asks nobody."""
    if at.scheme == "gnupg":
        if shutil.which(os.environ.get("GNUPG", "gpg2")) is None and shutil.which("gpg") is None:
            raise ConfigurationError(f"{at.named}: there is no gpg here", hint="on Debian: apt install gnupg")
        return
    if at.scheme not in EXTRAS:
        return
    module, extra = EXTRAS[at.scheme]
    if not _installed(module):
        raise ConfigurationError(
            f"{at.named}: the library {module} is not installed",
            hint=f"pip install 'in-toto-done-receipt[{extra}]'",
        )
    if at.scheme == "hsm" and not os.environ.get("PYKCS11LIB"):
        raise ConfigurationError(
            f"{at.named}: the variable PYKCS11LIB is not set",
            hint="the PKCS#11 library of the token, for SoftHSM on Debian /usr/lib/softhsm/libsofthsm2.so",
        )


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of a package above it
        return False


def open_key(at: KeyAt, opening: Opening) -> PayloadSigner:
    """The signer. Raises ConfigurationError that names the URI, and never the library's other exceptions."""
    check_available(at)
    if at.scheme == "file2":
        return _open_file(at, opening)
    if at.scheme == "gnupg":
        from in_toto_done_receipt.producer.gnupg import open_gnupg

        return open_gnupg(at.place, at.query.get("keyid"), opening.key_id, what=at.named)
    return ServiceSigner(at, opening)


def file_of(at: KeyAt) -> Path:
    """The file that a `file2` URI names."""
    return Path(os.environ.get(FILE_PREFIX, "")) / at.place


def _open_file(at: KeyAt, opening: Opening) -> PayloadSigner:
    """A PEM file, also an encrypted one, which securesystemslib cannot open."""
    try:
        pem = read_file(file_of(at), limit=MAX_KEY_BYTES, what=at.named, limit_name="file-bytes")
    except InputError as error:
        raise ConfigurationError(error.message, hint=error.hint) from None
    signer = key_signer(pem, passphrase=opening.secret, what=at.named, key_id=opening.key_id, padding=opening.padding)
    if opening.public_pem is not None and public_half(opening.public_pem, "--public-key").spki != signer.key.spki:
        raise ConfigurationError(f"{at.named}: the public key given is not that of the private key")
    return signer


class ServiceSigner:
    """Signs in a token or a cloud, through securesystemslib."""

    def __init__(self, at: KeyAt, opening: Opening) -> None:
        self._at = at
        secret = cache(_secret(at, opening.secret))  # asked for once, needed to find the key and to sign
        with speaking(at.named):
            from securesystemslib.signer import Signer

            uri, public = _public(at, opening, secret)
            self._key = public_half(_pem(public), at.named)
            self._signer: Signer = Signer.from_priv_key_uri(uri, public, secret)
        named = self._key.fingerprint.removeprefix("sha256:")
        self._keyid = named if opening.key_id is None else checked_label(opening.key_id)

    @property
    def key(self) -> TrustedKey:
        """The public half."""
        return self._key

    def sign(self, data: bytes) -> dsse.Signature:
        """The signature over the data. Raises ConfigurationError when the service does not make it."""
        with speaking(self._at.named):
            return dsse.Signature(sig=bytes.fromhex(self._signer.sign(data).signature), keyid=self._keyid)


def _secret(at: KeyAt, secret: Callable[[], bytes] | None) -> Callable[[str], str]:
    def ask(_what: str) -> str:
        if secret is None:
            raise ConfigurationError(f"{at.named}: it wants a PIN, and none was given")
        try:
            return secret().decode()
        except UnicodeDecodeError:
            raise ConfigurationError(f"{at.named}: the PIN is not UTF-8") from None

    return ask


def _public(at: KeyAt, opening: Opening, secret: Callable[[str], str]) -> tuple[str, "Key"]:
    """The URI to sign with and the public half, as securesystemslib wants both."""
    from securesystemslib.signer import SSlibKey

    if opening.public_pem is not None:
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key

        public_half(opening.public_pem, "--public-key")  # our own messages for what is none
        public: Any = load_pem_public_key(opening.public_pem)
        scheme = RSA_SCHEMES[opening.padding] if isinstance(public, RSAPublicKey) else None
        return _whole(at), SSlibKey.from_crypto(public, scheme=scheme)
    return _IMPORTERS[at.scheme](at, opening, secret)


def _whole(at: KeyAt) -> str:
    if at.scheme == "hv" and "/" not in at.place:
        raise UsageError(f"{at.named}: with --public-key it wants the version too: hv:NAME/VERSION")
    return at.uri


def _from_hsm(at: KeyAt, _opening: Opening, secret: Callable[[str], str]) -> tuple[str, "Key"]:
    from securesystemslib.signer import HSMSigner

    if at.place and not (at.place.isascii() and at.place.isdecimal()):
        raise UsageError(f"{at.named}: the id of a key in a token is a number, got {at.place!a}")
    _, public = HSMSigner.import_(int(at.place or HSM_KEY_ID), at.query.get("label"), secret)
    return at.uri, public


def _from_aws(at: KeyAt, opening: Opening, _secret: Callable[[str], str]) -> tuple[str, "Key"]:
    from securesystemslib.signer import AWSSigner

    uri, public = AWSSigner.import_(at.place)
    if public.keytype == "rsa" and public.scheme != RSA_SCHEMES[opening.padding]:
        uri, public = AWSSigner.import_(at.place, RSA_SCHEMES[opening.padding])
    return uri, public


def _from_gcp(at: KeyAt, _opening: Opening, _secret: Callable[[str], str]) -> tuple[str, "Key"]:
    from securesystemslib.signer import GCPSigner

    return GCPSigner.import_(at.place)


def _from_azure(at: KeyAt, _opening: Opening, _secret: Callable[[str], str]) -> tuple[str, "Key"]:
    from securesystemslib.signer import AzureSigner

    host, _, path = at.place.removeprefix("//").partition("/")
    vault, _, domain = host.partition(".")
    kind, _, rest = path.partition("/")
    name, _, version = rest.partition("/")
    if domain != "vault.azure.net" or kind != "keys" or not name:
        raise UsageError(f"{at.named}: expected azurekms://VAULT.vault.azure.net/keys/NAME/VERSION")
    uri, public = AzureSigner.import_(vault, name)
    return _of_version(at, uri, version), public


def _from_vault(at: KeyAt, _opening: Opening, _secret: Callable[[str], str]) -> tuple[str, "Key"]:
    from securesystemslib.signer import VaultSigner

    name, _, version = at.place.partition("/")
    uri, public = VaultSigner.import_(name)
    return _of_version(at, uri, version), public


def _of_version(at: KeyAt, newest: str, version: str) -> str:
    """The newest version is the one whose public half the library asks for; another wants it given."""
    found = newest.rpartition("/")[2]
    if version and version != found:
        raise UsageError(
            f"{at.named}: the newest version is {found}", hint="give the public half of another with --public-key"
        )
    return newest


_IMPORTERS: Final = {
    "hsm": _from_hsm,
    "awskms": _from_aws,
    "gcpkms": _from_gcp,
    "azurekms": _from_azure,
    "hv": _from_vault,
}


def _pem(public: "Key") -> bytes:
    """The public half as SubjectPublicKeyInfo; securesystemslib keeps Ed25519 as the bare 32 bytes."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    text = public.keyval["public"]
    if public.keytype == "ed25519":
        return public_pem_of(Ed25519PublicKey.from_public_bytes(bytes.fromhex(text)))
    return public_pem_of(load_pem_public_key(text.encode()))
