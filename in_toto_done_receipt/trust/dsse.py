"""Which trusted keys signed an envelope (DSSE protocol.md): every key against every signature, keyid only a hint."""

from in_toto_done_receipt.trust.keys import verifies
from in_toto_done_receipt.trust.model import TrustedKey
from in_toto_done_receipt.trust.openpgp import openpgp_verifies
from in_toto_done_receipt.wire.dsse import Envelope, Signature, pae


def keys_that_signed(envelope: Envelope, keys: tuple[TrustedKey, ...]) -> tuple[TrustedKey, ...]:
    """All keys that made at least one of the signatures, in the order of `keys`.

    Does not look at validity windows, thresholds or the payload type. Signatures by anybody else are ignored.
    """
    return keys_over(pae(envelope.payload_type, envelope.payload), envelope.signatures, keys)


def keys_over(
    message: bytes, signatures: tuple[Signature, ...], keys: tuple[TrustedKey, ...]
) -> tuple[TrustedKey, ...]:
    """All keys that made at least one of the signatures over this message, in the order of `keys`."""
    return tuple(key for key in keys if _signed(key, signatures, message))


def _signed(key: TrustedKey, signatures: tuple[Signature, ...], message: bytes) -> bool:
    # Signatures that name this key come first: usually that ends the search.
    names = (key.fingerprint, key.fingerprint.removeprefix("sha256:"), key.name)
    ordered = sorted(signatures, key=lambda signature: signature.keyid not in names)
    return any(_made(key, signature, message) for signature in ordered)


def _made(key: TrustedKey, signature: Signature, message: bytes) -> bool:
    """Whether the key made the signature, in the one way that is trusted of it."""
    if not key.openpgp:
        return verifies(key, signature.sig, message)
    header = signature.openpgp_header
    return header is not None and openpgp_verifies(key.spki, signature.sig, header, message)
