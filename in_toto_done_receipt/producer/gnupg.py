"""Signing with GnuPG through securesystemslib. What it signs is an OpenPGP signature: `trust.openpgp` says over what.

GnuPG asks for a passphrase itself, through its agent; no passphrase of ours reaches it. The public half is taken from
GnuPG's own list: securesystemslib finds no subkeys below a primary key of Ed25519.
"""

import os
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.producer.calls import SHOWN_CHARACTERS
from in_toto_done_receipt.producer.foreign import speaking
from in_toto_done_receipt.producer.keys import public_pem_of
from in_toto_done_receipt.producer.sign import checked_label, public_half
from in_toto_done_receipt.trust.model import TrustedKey
from in_toto_done_receipt.wire import dsse
from in_toto_done_receipt.wire.value import Value

if TYPE_CHECKING:
    from securesystemslib.signer import GPGKey

LIST_SECONDS: Final = 10
_USABLE: Final = "oqnmfu-"  # validity: anything but invalid, disabled, revoked, expired
_ELSEWHERE: Final = "#"  # where the secret half would be listed
_RSA: Final = "1"
_EDDSA: Final = "22"
_ED25519_OID: Final = "092B06010401DA470F01"
_POINT: Final = "40"  # before the 32 bytes of a point (RFC 9580, 11.2)


class _Listed(Value, kw_only=True):
    """A secret key or subkey that can sign. `values` are the numbers of its public half, in hexadecimal."""

    fingerprint: str
    algorithm: str
    created: int
    values: tuple[str, ...]


class GnupgSigner:
    """Signs with a key of a keyring."""

    def __init__(self, listed: _Listed, homedir: str, *, key_id: str | None, what: str) -> None:
        from securesystemslib.signer import GPGSigner

        self._what = what
        # The library puts a command line together from it and splits that as a shell does.
        self._signer = GPGSigner(_library_key(listed), shlex.quote(homedir) if homedir else None)
        self._key = replace(public_half(_pem(listed, what), what), openpgp=True)
        self._keyid = listed.fingerprint if key_id is None else checked_label(key_id)

    @property
    def key(self) -> TrustedKey:
        """The public half, marked as one whose signatures are OpenPGP's."""
        return self._key

    def sign(self, data: bytes) -> dsse.Signature:
        """The signature, with what it is over besides the data. Raises ConfigurationError when GnuPG makes none."""
        with speaking(self._what):
            try:
                made = self._signer.sign(data)
            except (OSError, subprocess.TimeoutExpired) as error:
                raise _explained(error, self._what) from None
        header = bytes.fromhex(made.unrecognized_fields["other_headers"])
        return dsse.Signature(sig=bytes.fromhex(made.signature), keyid=self._keyid, openpgp_header=header)


def open_gnupg(homedir: str, fingerprint: str | None, key_id: str | None, *, what: str) -> GnupgSigner:
    """The signer for this key of the keyring in `homedir` (empty: GnuPG's own), or for the only one that can sign.

    Raises ConfigurationError: no such key, several and none named, or a key of a type that is not read.
    """
    groups = _signing_keys(homedir, what)
    listed = _only(groups, what) if fingerprint is None else _named(groups, fingerprint, what)
    return GnupgSigner(listed, homedir, key_id=key_id, what=what)


def _used(group: list[_Listed]) -> _Listed:
    """The one that GnuPG signs with, of a primary key and its subkeys: the newest subkey, else the primary key."""
    primary, *subkeys = group
    return max(subkeys, key=lambda listed: listed.created, default=primary)


def _only(groups: list[list[_Listed]], what: str) -> _Listed:
    if len(groups) == 1:
        return _used(groups[0])
    known = ", ".join(_used(group).fingerprint for group in groups[:5])
    hint = f"name one: ?keyid=FINGERPRINT; there are {known}" if groups else "gpg --quick-generate-key makes one"
    raise ConfigurationError(f"{what}: {len(groups)} keys of the keyring can sign", hint=hint)


def _named(groups: list[list[_Listed]], fingerprint: str, what: str) -> _Listed:
    wanted = fingerprint.replace(" ", "").lower().removeprefix("0x")
    for group in groups:
        if any(listed.fingerprint == wanted for listed in group):
            used = _used(group)
            if used.fingerprint != wanted:
                raise ConfigurationError(f"{what}: gpg would sign with the newer subkey {used.fingerprint}")
            return used
    hint = "the whole fingerprint of the key that signs, which can be a subkey's"
    raise ConfigurationError(f"{what}: no key of the keyring with this fingerprint can sign", hint=hint)


def _signing_keys(homedir: str, what: str) -> list[list[_Listed]]:
    """For each primary key, what of it and its subkeys can sign; the first may be the primary key or a subkey."""
    groups: list[list[_Listed]] = []
    for record in _records(homedir, what):
        kind, fields = record[0][0], record[0]
        if kind == "sec":
            groups.append([])
        if kind not in ("sec", "ssb") or not groups:
            continue
        # Fields of GnuPG's doc/DETAILS: 2 validity, 4 algorithm, 6 creation, 12 capabilities, 15 secret half.
        able = fields[1][:1] in _USABLE and "s" in fields[11] and fields[14] != _ELSEWHERE
        fingerprint = next((row[9] for row in record if row[0] == "fpr"), "")
        if able and fingerprint:
            groups[-1].append(
                _Listed(
                    fingerprint=fingerprint.lower(),
                    algorithm=fields[3],
                    created=int(fields[5]) if fields[5].isdecimal() else 0,
                    values=tuple(row[3] for row in record if row[0] == "pkd"),
                )
            )
    return [group for group in groups if group]


def _records(homedir: str, what: str) -> list[list[list[str]]]:
    """Each key, subkey and user id of GnuPG's list of secret keys: its own row, and those that belong to it."""
    command = shlex.split(os.environ.get("GNUPG") or ("gpg2" if shutil.which("gpg2") else "gpg"))
    home = ["--homedir", homedir] if homedir else []
    argv = [*command, *home, "--batch", "--with-colons", "--with-key-data", "--list-secret-keys"]
    try:
        # S603: gpg, or what the caller's own environment names instead of it
        done = subprocess.run(argv, capture_output=True, timeout=LIST_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigurationError(f"{what}: gpg does not run: {type(error).__name__}") from None
    records: list[list[list[str]]] = []
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        row = line.split(":") + [""] * 20
        if row[0] in ("sec", "ssb", "uid"):
            records.append([])
        if records:
            records[-1].append(row)
    return records


def _library_key(listed: _Listed) -> "GPGKey":
    """The key as securesystemslib wants it; to sign, it only looks at the id."""
    from securesystemslib.signer import GPGKey

    kind, scheme = ("rsa", "pgp+rsa-pkcsv1.5") if listed.algorithm == _RSA else ("eddsa", "pgp+eddsa-ed25519")
    return GPGKey(listed.fingerprint, kind, scheme, {"private": "", "public": {}})


def _pem(listed: _Listed, what: str) -> bytes:
    """The public half as SubjectPublicKeyInfo."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers

    if listed.algorithm == _RSA and len(listed.values) == 2:
        modulus, exponent = (int(value, 16) for value in listed.values)
        return public_pem_of(RSAPublicNumbers(exponent, modulus).public_key())
    if listed.algorithm == _EDDSA and listed.values[:1] == (_ED25519_OID,):
        return public_pem_of(Ed25519PublicKey.from_public_bytes(bytes.fromhex(listed.values[1].removeprefix(_POINT))))
    raise ConfigurationError(
        f"{what}: a key of OpenPGP algorithm {listed.algorithm}", hint="RSA (1) and Ed25519 (22) can be verified here"
    )


def _explained(error: OSError | subprocess.TimeoutExpired, what: str) -> ConfigurationError:
    """What GnuPG says last is why it made no signature; securesystemslib puts it behind the whole command."""
    if isinstance(error, subprocess.TimeoutExpired):
        hint = "its agent waits for somebody: unlock the key first, for example with `gpg --sign`"
        return ConfigurationError(f"{what}: gpg gave no signature in {error.timeout:g} s", hint=hint)
    said = str(error).rpartition("stderr was:")[2].strip().removesuffix(".").splitlines() or [type(error).__name__]
    hint = "if the key has a passphrase: set GPG_TTY, or unlock the key first, for example with `gpg --sign`"
    return ConfigurationError(f"{what}: {said[-1][:SHOWN_CHARACTERS]}", hint=hint)
