"""What reading one repository may cost. The verifier's limits; nothing in a repository can raise them."""

from in_toto_done_receipt.wire.value import Value


class GitLimits(Value, kw_only=True):
    """Bounds of one open repository. `seconds` is wall clock for each git process."""

    seconds: float = 120.0
    memory: int = 4 << 30  # bytes of address space of git
    allocation: int = 600 << 20  # bytes of git's largest single allocation: a delta may name any size
    stores: int = 16  # object folders, alternates included
    store_depth: int = 5  # alternates of alternates
    packs: int = 2_000
    loose: int = 2_000_000  # loose objects looked at
    entries: int = 1_000_000  # paths of one tree; entries compared by one difference
    depth: int = 64  # folders on the way to a file
    path_bytes: int = 4_096
    metadata_bytes: int = 512 << 20  # of all trees, commits and tags read
    blob_bytes: int = 512 << 20
    total_bytes: int = 4 << 30  # written out
    commits: int = 1_000_000
    refs_bytes: int = 64 << 20  # of packed-refs
