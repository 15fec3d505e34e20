"""A statement's bytes, as they are, into a DSSE envelope.

The payload is never parsed and written again: what is signed is what `build` wrote, byte for byte.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.predicates.done_receipt.coherence import coherence_faults
from in_toto_done_receipt.predicates.done_receipt.v0_1 import PREDICATE_TYPE, read_predicate
from in_toto_done_receipt.producer.keys import MIN_RSA_BITS, load_private_key, spki_sha256
from in_toto_done_receipt.wire import dsse
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.statement import Statement, read_statement
from in_toto_done_receipt.wire.value import Value

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes

MAX_KEYID_CHARS = 1024  # a label for people; it travels unsigned in every envelope


class PayloadSigner(Protocol):
    """Anything that signs bytes under a name: a key file today."""

    @property
    def keyid(self) -> str: ...
    def sign(self, data: bytes) -> bytes: ...


class Signed(Value, kw_only=True):
    """An envelope as it goes to a file. `warnings` say what a verifier will refute although it was signed."""

    envelope: bytes
    payload_sha256: str
    keyid: str
    warnings: tuple[str, ...]


class KeySigner:
    """Signs with a private key through securesystemslib: Ed25519, ECDSA P-256/384/521 (DER), RSA-PSS with SHA-256."""

    def __init__(self, private: "PrivateKeyTypes", *, what: str, key_id: str | None = None) -> None:
        from securesystemslib.signer import CryptoSigner, SSlibKey

        public = private.public_key()
        _demand_strength(private, what)
        try:
            key = SSlibKey.from_crypto(public, keyid=spki_sha256(public))
            self._signer = CryptoSigner(private, key)
        except ValueError:
            raise ConfigurationError(
                f"{what}: keys of this type cannot sign receipts",
                hint="Ed25519, ECDSA on P-256, P-384 or P-521, or RSA of at least 2048 bits",
            ) from None
        self.fingerprint = f"sha256:{spki_sha256(public)}"
        self._keyid = _checked_label(key_id) if key_id is not None else spki_sha256(public)

    @property
    def keyid(self) -> str:
        return self._keyid

    def sign(self, data: bytes) -> bytes:
        return bytes.fromhex(self._signer.sign(data).signature)


def key_signer(
    pem: bytes, *, passphrase: Callable[[], bytes] | None = None, what: str, key_id: str | None = None
) -> KeySigner:
    """A signer for a PEM private key. `key_id` replaces the key's fingerprint as the signature's label.

    Raises ConfigurationError, naming `what`, for anything that cannot sign.
    """
    return KeySigner(load_private_key(pem, passphrase=passphrase, what=what), what=what, key_id=key_id)


def sign_statement(payload: bytes, signer: PayloadSigner) -> Signed:
    """The payload in an envelope with one signature over its PAE.

    Any in-toto Statement is signed; one that says it is a done-receipt must also be readable as one, or every verifier
    would call it malformed. A receipt that contradicts itself is signed with a warning: the signature says who, not
    that it is true. Raises MalformedStatement.
    """
    warnings = _warnings(read_statement(payload))
    signature = signer.sign(dsse.pae(dsse.INTOTO_PAYLOAD_TYPE, payload))
    envelope = dsse.Envelope(
        payload=payload,
        payload_type=dsse.INTOTO_PAYLOAD_TYPE,
        signatures=(dsse.Signature(sig=signature, keyid=signer.keyid),),
        unrecognized=(),
    )
    return Signed(
        envelope=dsse.write_envelope(envelope),
        payload_sha256=sha256_hex(payload),
        keyid=signer.keyid,
        warnings=warnings,
    )


def _warnings(statement: Statement) -> tuple[str, ...]:
    if statement.predicate_type != PREDICATE_TYPE:
        return ()
    receipt = read_predicate(statement)
    return tuple(f"{fault.reason}: {fault.message}" for fault in coherence_faults(receipt, statement))


def _demand_strength(private: "PrivateKeyTypes", what: str) -> None:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    if isinstance(private, RSAPrivateKey) and private.key_size < MIN_RSA_BITS:
        raise ConfigurationError(f"{what}: RSA key of {private.key_size} bits, at least {MIN_RSA_BITS} are wanted")


def _checked_label(label: str) -> str:
    if not 1 <= len(label) <= MAX_KEYID_CHARS or not label.isprintable():
        raise ConfigurationError(f"the key id must be 1 to {MAX_KEYID_CHARS} printable characters")
    return label
