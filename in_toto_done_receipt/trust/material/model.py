"""What stands beside the envelope in a bundle, decoded, and nothing of it believed yet."""

from in_toto_done_receipt.wire.value import Value


class Proof(Value, kw_only=True):
    """An inclusion proof. `checkpoint` is the log's signed statement of size and root; empty when there is none."""

    index: int
    size: int
    root: bytes
    hashes: tuple[bytes, ...]
    checkpoint: str


class LogEntry(Value, kw_only=True):
    """One entry of a transparency log.

    `kind` is `KIND/VERSION`. `index` and `time` (seconds, 0 for none) are nobody's word without a promise.
    """

    kind: str
    log_id: bytes
    index: int
    time: int
    promise: bytes
    proof: Proof | None
    body: bytes


class Material(Value, kw_only=True):
    """The verification material: the signer's certificate as DER (None for a managed key), log entries, timestamps."""

    version: str
    certificate: bytes | None
    entries: tuple[LogEntry, ...]
    stamps: tuple[bytes, ...]
