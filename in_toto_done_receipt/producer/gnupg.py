"""Signing with GnuPG through securesystemslib. What it signs is an OpenPGP signature: `trust.openpgp` says over what.

GnuPG asks for a passphrase itself, through its agent; no passphrase of ours reaches it.
"""

import os
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.producer.foreign import speaking
from in_toto_done_receipt.producer.keys import public_pem_of
from in_toto_done_receipt.producer.sign import checked_label, public_half
from in_toto_done_receipt.trust.model import TrustedKey
from in_toto_done_receipt.wire import dsse

if TYPE_CHECKING:
    from securesystemslib.signer import GPGKey

LIST_SECONDS: Final = 10
_USABLE: Final = "oqnmfu-"  # validity: anything but invalid, disabled, revoked, expired
_FINGERPRINT: Final = 40


class GnupgSigner:
    """Signs with a key of a keyring."""

    def __init__(self, public: "GPGKey", homedir: str, *, key_id: str | None, what: str) -> None:
        from securesystemslib.signer import GPGSigner

        self._what = what
        # The library puts a command line together from it and splits that as a shell does.
        self._signer = GPGSigner(public, shlex.quote(homedir) if homedir else None)
        self._key = replace(public_half(_pem(public, what), what), openpgp=True)
        self._keyid = public.keyid if key_id is None else checked_label(key_id)

    @property
    def key(self) -> TrustedKey:
        """The public half, marked as one whose signatures are OpenPGP's."""
        return self._key

    def sign(self, data: bytes) -> dsse.Signature:
        """The signature, with what it is over besides the data. Raises ConfigurationError when GnuPG makes none."""
        try:
            with speaking(self._what):
                made = self._signer.sign(data)
        except ConfigurationError as error:
            raise _explained(error, self._what) from None
        header = bytes.fromhex(made.unrecognized_fields["other_headers"])
        return dsse.Signature(sig=bytes.fromhex(made.signature), keyid=self._keyid, openpgp_header=header)


def open_gnupg(homedir: str, fingerprint: str | None, key_id: str | None, *, what: str) -> GnupgSigner:
    """The signer for this key of the keyring in `homedir` (empty: GnuPG's own), or for the only one that can sign.

    Raises ConfigurationError: no such key, several and none named, or a key of a type that is not read.
    """
    from securesystemslib.signer import GPGSigner

    found = _signing_keys(homedir, what)
    chosen = _chosen(found, fingerprint, what)
    with speaking(what):
        _, public = GPGSigner.import_(chosen, shlex.quote(homedir) if homedir else None)
    key: Any = public
    return GnupgSigner(key, homedir, key_id=key_id, what=what)


def _chosen(found: list[str], fingerprint: str | None, what: str) -> str:
    if fingerprint is None:
        if len(found) != 1:
            hint = f"name one: ?keyid=FINGERPRINT; there are {', '.join(found[:5])}" if found else "gpg --quick-gen-key"
            raise ConfigurationError(f"{what}: {len(found)} keys of the keyring can sign", hint=hint)
        return found[0]
    wanted = fingerprint.replace(" ", "").lower().removeprefix("0x")
    if wanted not in found:
        hint = "the whole fingerprint of the key that signs, which can be a subkey's"
        raise ConfigurationError(f"{what}: no key of the keyring with this fingerprint can sign", hint=hint)
    return wanted


def _signing_keys(homedir: str, what: str) -> list[str]:
    """The fingerprints of all secret keys and subkeys that can sign, in lower case."""
    command = shlex.split(os.environ.get("GNUPG") or ("gpg2" if shutil.which("gpg2") else "gpg"))
    home = ["--homedir", homedir] if homedir else []
    argv = [*command, *home, "--batch", "--with-colons", "--list-secret-keys"]
    try:
        # S603: gpg, or what the caller's own environment names instead of it
        done = subprocess.run(argv, capture_output=True, timeout=LIST_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigurationError(f"{what}: gpg does not run: {type(error).__name__}") from None
    found, able = [], False
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        fields = line.split(":")
        if fields[0] in ("sec", "ssb"):
            # Fields of doc/DETAILS: 2 validity, 12 capabilities, 15 `#` when the secret half is elsewhere.
            able = fields[1][:1] in _USABLE and "s" in fields[11] and fields[14] != "#"
        elif fields[0] == "fpr" and able and len(fields[9]) == _FINGERPRINT:
            found.append(fields[9].lower())
            able = False
    return found


def _pem(public: "GPGKey", what: str) -> bytes:
    """The public half as SubjectPublicKeyInfo."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers

    values = public.keyval["public"]
    if public.keytype == "rsa":
        return public_pem_of(RSAPublicNumbers(int(values["e"], 16), int(values["n"], 16)).public_key())
    if public.keytype == "eddsa":
        return public_pem_of(Ed25519PublicKey.from_public_bytes(bytes.fromhex(values["q"])))
    raise ConfigurationError(f"{what}: a key of type {public.keytype}", hint="RSA and Ed25519 can be verified here")


def _explained(error: ConfigurationError, what: str) -> ConfigurationError:
    """GnuPG's own words are many; what they usually mean is one of these."""
    text = error.message
    if "TimeoutExpired" in text:
        hint = "its agent waits for somebody: unlock the key first, for example with `gpg --sign`"
        return ConfigurationError(f"{what}: gpg gave no signature in 10 s", hint=hint)
    if "pinentry" in text or "Inappropriate ioctl" in text or "No pinentry" in text:
        return ConfigurationError(
            f"{what}: gpg could not ask for the passphrase", hint="set GPG_TTY, or unlock the key first"
        )
    return error
