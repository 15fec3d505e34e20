"""What the forge is to make, and where it is to lie."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from tests.forge.keys import Kind

NOW: Final = datetime(2026, 11, 30, 12, tzinfo=UTC)
INTOTO: Final = "application/vnd.in-toto+json"
V01: Final = "application/vnd.dev.sigstore.bundle+json;version=0.1"
V02: Final = "application/vnd.dev.sigstore.bundle+json;version=0.2"
V03_OLD: Final = "application/vnd.dev.sigstore.bundle+json;version=0.3"
V03: Final = "application/vnd.dev.sigstore.bundle.v0.3+json"
MEDIA_TYPES: Final = (V01, V02, V03_OLD, V03)

Rekor = Literal["v1", "v2"]
Name = Literal["mail", "uri", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lies:
    """What is said somewhere instead of the truth; None where the truth is told. All of it is signed as usual.

    A signature by a key that is not the signer's is `Forge.with_stranger`; a change after signing is a change of the
    bundle's tree.
    """

    signed: bytes | None = None  # the bytes under the envelope's signature, instead of the encoded payload
    signature: bytes | None = None  # the envelope's signature itself
    leaf: str | None = None  # the label of the key in the certificate, while the signer's makes the signature
    logged_payload: bytes | None = None  # what the log entry speaks of
    logged_type: str | None = None
    logged_signature: bytes | None = None
    logged_by: str | None = None  # the label of another key, with a certificate of its own
    body: bytes | None = None  # the whole entry
    promised: Mapping[str, object] | None = None  # members of what the promise is over
    checkpoint_root: bytes | None = None
    checkpoint_size: int | None = None
    checkpoint_origin: str | None = None
    log_id: bytes | None = None
    stamped: bytes | None = None  # what the timestamp is over
    certified: bytes | None = None  # the certificate body that the certificate's own timestamp is over
    scts: int = 1
    digital_signature: bool = True
    code_signing: bool = True
    certificate_authority: bool = False
    names: tuple[str, ...] | None = None
    issuers: tuple[str | None, str | None] | None = None  # the old and the new extension


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One bundle. Who signs, when, what is around it, and what is not true of it."""

    identity: str = "dev@example.org"
    issuer: str = "https://accounts.example.org"
    name: Name | None = None  # which sort of name the identity is; by its looks
    claims: Mapping[str, str] = field(default_factory=dict)  # named as `gh attestation verify` names them
    curve: Kind = "P-256"
    signer: str = "signer"  # label of the key
    digest: str | None = None  # that the signature is over, instead of the key's own

    at: datetime = NOW  # the certificate's first moment
    lifetime: int = 600  # seconds; its last moment is that much later
    after: int = 5  # seconds from `at` until log and timestamp authority see the signature

    payload_type: str = INTOTO
    media_type: str = V03
    rekor: Rekor | None = "v1"
    entry: str | None = None  # kind/version; the log's usual one
    entries: int = 1
    stamps: int | None = None  # RFC 3161; one beside Rekor v2, which has no time of its own
    promise: bool = True  # Rekor v1 signs the time
    proof: bool = True
    checkpoint: bool = True
    tree_size: int = 9
    index: int = 4
    keyid: str | None = None
    hint: str | None = None  # of a managed key; its fingerprint

    lies: Lies = Lies()

    @property
    def seen(self) -> datetime:
        """When log and timestamp authority see the signature."""
        return self.at + timedelta(seconds=self.after)

    @property
    def stamp_count(self) -> int:
        """How many RFC 3161 timestamps the bundle holds."""
        return (self.rekor == "v2") if self.stamps is None else self.stamps

    @property
    def entry_kind(self) -> str:
        """Kind and version of the log entries."""
        return self.entry or {"v1": "dsse/0.0.1", "v2": "hashedrekord/0.0.2", None: ""}[self.rekor]
