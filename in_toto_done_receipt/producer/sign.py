"""A statement's bytes, as they are, into a DSSE envelope.

The payload is never parsed and written again: what is signed is what `build` wrote, byte for byte.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal, Protocol

from in_toto_done_receipt.errors import ConfigurationError, ProducerError, TrustError
from in_toto_done_receipt.predicates.done_receipt.coherence import coherence_faults
from in_toto_done_receipt.predicates.done_receipt.v0_1 import PREDICATE_TYPE, read_predicate
from in_toto_done_receipt.producer.keys import MIN_RSA_BITS, load_private_key, public_pem_of, spki_sha256
from in_toto_done_receipt.trust.dsse import keys_that_signed
from in_toto_done_receipt.trust.keys import load_key
from in_toto_done_receipt.trust.model import TrustedKey
from in_toto_done_receipt.wire import dsse
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.statement import read_statement
from in_toto_done_receipt.wire.value import Value

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes

MAX_KEYID_CHARS = 1024  # a label for people; it travels unsigned in every envelope


class PayloadSigner(Protocol):
    """Anything that signs bytes with a key: one in a file, one in a service.

    `key` is the public half as a verifier trusts it; the signature's `keyid` is the key's fingerprint or a label.
    """

    @property
    def key(self) -> TrustedKey: ...
    def sign(self, data: bytes) -> dsse.Signature: ...


class Signed(Value, kw_only=True):
    """What goes to a file: an envelope or a bundle, `document`, and what is in it.

    Whoever signs without a key of their own has no `key`, but `identity` and `issuer`. `log_index` is the entry's in a
    transparency log, if there is one. `warnings` say what a verifier will refute although it was signed.
    """

    document: bytes
    payload_sha256: str
    keyid: str | None = None
    key: TrustedKey | None = None
    identity: str | None = None
    issuer: str | None = None
    log_index: int | None = None
    warnings: tuple[str, ...] = ()


RsaPadding = Literal["pss", "pkcs1v15"]
RSA_SCHEMES: Final[dict[RsaPadding, str]] = {"pss": "rsassa-pss-sha256", "pkcs1v15": "rsa-pkcs1v15-sha256"}


class KeySigner:
    """Signs with a private key through securesystemslib: Ed25519, ECDSA P-256/384/521 (DER), RSA with SHA-256."""

    def __init__(
        self, private: "PrivateKeyTypes", *, what: str, key_id: str | None = None, padding: RsaPadding = "pss"
    ) -> None:
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
        from securesystemslib.signer import CryptoSigner, SSlibKey

        public = private.public_key()
        _demand_strength(private, what)
        scheme = RSA_SCHEMES[padding] if isinstance(private, RSAPrivateKey) else None
        try:
            key = SSlibKey.from_crypto(public, keyid=spki_sha256(public), scheme=scheme)
            self._signer = CryptoSigner(private, key)
        except ValueError:
            raise ConfigurationError(
                f"{what}: keys of this type cannot sign receipts",
                hint="Ed25519, ECDSA on P-256, P-384 or P-521, or RSA of at least 2048 bits",
            ) from None
        self._key = public_half(public_pem_of(public), what)
        self._keyid = spki_sha256(public) if key_id is None else checked_label(key_id)

    @property
    def key(self) -> TrustedKey:
        """The public half."""
        return self._key

    def sign(self, data: bytes) -> dsse.Signature:
        """The signature over the data, under the label or the fingerprint."""
        return dsse.Signature(sig=bytes.fromhex(self._signer.sign(data).signature), keyid=self._keyid)


def public_half(pem: bytes, what: str) -> TrustedKey:
    """The key in a PEM file as a verifier loads it. Raises ConfigurationError for one that no verifier accepts."""
    try:
        return load_key(pem, name="signer", what=what)
    except TrustError as error:
        raise ConfigurationError(error.message, hint=error.hint) from None


def key_signer(
    pem: bytes,
    *,
    passphrase: Callable[[], bytes] | None = None,
    what: str,
    key_id: str | None = None,
    padding: RsaPadding = "pss",
) -> KeySigner:
    """A signer for a PEM private key. `key_id` replaces the key's fingerprint as the signature's label.

    `padding` is that of RSA: whoever writes bundles takes `pkcs1v15`, the only one that Sigstore's logs and cosign
    know. Raises ConfigurationError, naming `what`, for anything that cannot sign.
    """
    private = load_private_key(pem, passphrase=passphrase, what=what)
    return KeySigner(private, what=what, key_id=key_id, padding=padding)


def sign_statement(payload: bytes, signer: PayloadSigner) -> Signed:
    """The payload in an envelope with one signature over its PAE.

    Any in-toto Statement is signed; one that says it is a done-receipt must also be readable as one, or every verifier
    would call it malformed. A receipt that contradicts itself is signed with a warning: the signature says who, not
    that it is true. Raises MalformedStatement.
    """
    warnings = statement_warnings(payload)
    envelope = signed_envelope(payload, signer)
    return Signed(
        document=dsse.write_envelope(envelope),
        payload_sha256=sha256_hex(payload),
        keyid=envelope.signatures[0].keyid,
        key=signer.key,
        warnings=warnings,
    )


def signed_envelope(payload: bytes, signer: PayloadSigner) -> dsse.Envelope:
    """The payload with one signature, which the signer's public half verifies.

    Raises ProducerError when it does not: a service can sign with another key than the one it showed.
    """
    envelope = dsse.Envelope(
        payload=payload,
        payload_type=dsse.INTOTO_PAYLOAD_TYPE,
        signatures=(signer.sign(dsse.pae(dsse.INTOTO_PAYLOAD_TYPE, payload)),),
        unrecognized=(),
    )
    if not keys_that_signed(envelope, (signer.key,)):
        raise ProducerError(
            f"the signature does not verify with the public key {signer.key.fingerprint}",
            hint="is it the public half of the key that signs?",
        )
    return envelope


def statement_warnings(payload: bytes) -> tuple[str, ...]:
    """What a verifier will refute in the statement. Raises MalformedStatement for one that none could read."""
    statement = read_statement(payload)
    if statement.predicate_type != PREDICATE_TYPE:
        return ()
    receipt = read_predicate(statement)
    return tuple(f"{fault.reason}: {fault.message}" for fault in coherence_faults(receipt, statement))


def _demand_strength(private: "PrivateKeyTypes", what: str) -> None:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    if isinstance(private, RSAPrivateKey) and private.key_size < MIN_RSA_BITS:
        raise ConfigurationError(f"{what}: RSA key of {private.key_size} bits, at least {MIN_RSA_BITS} are wanted")


def checked_label(label: str) -> str:
    """The label of a signature. Raises ConfigurationError for one that cannot be shown."""
    if not 1 <= len(label) <= MAX_KEYID_CHARS or not label.isprintable():
        raise ConfigurationError(f"the key id must be 1 to {MAX_KEYID_CHARS} printable characters")
    return label
