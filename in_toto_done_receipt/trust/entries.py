"""The records of a trust file: what may stand in it (design, verification, Trust). `trust.file` reads them."""

from datetime import datetime
from typing import Literal

from in_toto_done_receipt.wire.record import Record


class _Entry(Record):
    """What keys and identities share: a window, what a signature has to come with, and a scope."""

    not_before: datetime | None = None
    not_after: datetime | None = None
    transparency: bool | None = None
    timestamp: bool = False
    agents: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    repositories: tuple[str, ...] | None = None
    predicate_types: tuple[str, ...] | None = None


class KeyEntry(_Entry, kw_only=True):
    """`[[key]]`: a public key, in a file or in place. With `openpgp` only OpenPGP signatures of it count."""

    name: str
    principal: str | None = None
    path: str | None = None
    pem: str | None = None
    openpgp: bool = False


class IdentityEntry(_Entry, kw_only=True):
    """`[[identity]]`: a Sigstore certificate identity. Of several values of one claim one has to fit."""

    name: str
    principal: str | None = None
    subject: str | None = None
    subject_regexp: str | None = None
    any_subject: bool | None = None
    issuer: str | None = None
    issuer_regexp: str | None = None
    claims: dict[str, str | tuple[str, ...]] | None = None
    claims_regexp: dict[str, str | tuple[str, ...]] | None = None


class SigstoreEntry(Record):
    """`[sigstore]`: the trusted root. `max_age` is in seconds, from `obtained_on` or else from its last change.

    With `cross_check` a bundle has to pass sigstore-python as well, where that can judge it.
    """

    trusted_root: str
    sha256: str | None = None
    obtained_on: datetime | None = None
    max_age: int | None = None
    cross_check: bool = False


class TrustFile(Record):
    """The whole file."""

    version: Literal[1]
    threshold: int = 1
    key: tuple[KeyEntry, ...] | None = None
    identity: tuple[IdentityEntry, ...] | None = None
    sigstore: SigstoreEntry | None = None
