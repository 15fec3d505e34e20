"""The limits of a verification: the verifier's, never the receipt's. One table: name, default, ceiling, meaning.

What no limit here can raise is fixed by the formats: nesting of JSON (64), signatures of a payload (32), attestations
in a file (1,024).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from in_toto_done_receipt.errors import LimitExceeded, ProfileError
from in_toto_done_receipt.wire.config import nearest


class Limit(NamedTuple):
    """`ceiling` is the highest value that can be set: the format's own maximum, or what a machine can be asked for."""

    default: int
    ceiling: int
    meaning: str


LIMITS: Final[Mapping[str, Limit]] = MappingProxyType(
    {
        "file-bytes": Limit(16 << 20, 16 << 20, "bytes of a receipt file"),
        "payload-bytes": Limit(10 << 20, 10 << 20, "bytes of a signed payload"),
        "subjects": Limit(10_000, 10_000, "subjects of a statement"),
        "seals": Limit(10_000, 10_000, "sealed and absent paths of a contract"),
        "claims": Limit(100, 100, "claims of a receipt"),
        "evidence": Limit(200, 200, "evidence items of a receipt"),
        "commands": Limit(20, 200, "evidence items that are commands or tests"),
        "manifest-entries": Limit(1_000_000, 10_000_000, "files in a manifest"),
        "manifest-depth": Limit(64, 64, "folders on the way to a file in a manifest"),
        "manifest-file-bytes": Limit(1 << 40, 1 << 50, "bytes of one file in a manifest"),
        "manifest-total-bytes": Limit(16 << 40, 1 << 53, "bytes of all files in a manifest"),
        "manifest-bytes": Limit(512 << 20, 2 << 30, "bytes of a manifest file"),
        "copy-entries": Limit(1_000_000, 10_000_000, "files and folders of the copy that a command runs in"),
        "copy-bytes": Limit(16 << 30, 1 << 44, "bytes of the copy that a command runs in"),
        "audit-line-bytes": Limit(16 << 20, 1 << 30, "bytes of one line of an audit log"),
        "text-bytes": Limit(10 << 20, 1 << 30, "bytes of a file that text evidence is searched in"),
        "command-seconds": Limit(20, 86_400, "seconds of wall clock for one command"),
        "command-stream-bytes": Limit(64 << 10, 64 << 20, "bytes a command may write to each stream"),
        "command-memory-bytes": Limit(4 << 30, 1 << 44, "bytes of memory that all processes of a command use together"),
        "command-processes": Limit(512, 100_000, "processes and threads of a command at once"),
        "command-disk-bytes": Limit(4 << 30, 1 << 44, "bytes a command may write to disk"),
        "command-disk-files": Limit(200_000, 10_000_000, "files and folders a command may make or change"),
        "test-seconds": Limit(600, 86_400, "seconds of wall clock for one run of the tests"),
        "test-stream-bytes": Limit(16 << 20, 1 << 30, "bytes a run of the tests may write to each stream"),
        "junit-bytes": Limit(64 << 20, 64 << 20, "bytes of a test report in JUnit XML"),
        "seconds": Limit(1800, 86_400, "seconds for one whole verification"),
    }
)


def limit_value(name: str, value: int, *, where: str) -> int:
    """The value, if this limit can take it. Raises ProfileError naming the limit or the nearest one."""
    limit = LIMITS.get(name)
    if limit is None:
        raise ProfileError(f"{where}: unknown limit {name}", hint=nearest(name, list(LIMITS)))
    if not 1 <= value <= limit.ceiling:
        raise ProfileError(f"{where}: limit {name} is {value}, it can be 1 to {limit.ceiling}")
    return value


def effective_limits(chosen: Mapping[str, int]) -> Mapping[str, int]:
    """Every limit: the chosen value or the default."""
    return MappingProxyType({name: chosen.get(name, limit.default) for name, limit in LIMITS.items()})


def demand(limits: Mapping[str, int], name: str, value: int, where: str) -> None:
    """Raise LimitExceeded when the value is over the limit of this name."""
    if value > limits[name]:
        raise LimitExceeded(name, allowed=limits[name], value=value, where=where)
