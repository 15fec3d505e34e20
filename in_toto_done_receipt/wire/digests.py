"""Digest sets: which algorithms count, what their values look like, when two sets match."""

import hashlib
import re
from collections.abc import Mapping
from typing import Final

# In-toto digest_set.md leaves the choice to the consumer. SHA-2 only, because Sigstore clients refuse the rest.
ACCEPTED: Final = ("sha256", "sha384", "sha512")
_HEX_DIGITS: Final = {"sha256": 64, "sha384": 96, "sha512": 128}
_LOWERCASE_HEX: Final = re.compile(r"[0-9a-f]*")


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of the bytes in lowercase hex."""
    return hashlib.sha256(data).hexdigest()


def digest_fault(algorithm: str, value: str) -> str | None:
    """What is wrong with the value of an accepted algorithm, or None. Other algorithms have no rules here."""
    digits = _HEX_DIGITS.get(algorithm)
    if digits is None or (len(value) == digits and _LOWERCASE_HEX.fullmatch(value)):
        return None
    if len(value) != digits:
        return f"expected {digits} lowercase hex digits, got {len(value)} characters"
    return f"expected {digits} lowercase hex digits, got other characters"


def digests_match(a: Mapping[str, str], b: Mapping[str, str]) -> bool:
    """Whether at least one accepted algorithm is in both sets and all accepted ones in both are equal.

    Stricter than digest_set.md, where any one match is enough: there a second, weaker value would open the door.
    """
    common = [algorithm for algorithm in ACCEPTED if algorithm in a and algorithm in b]
    return bool(common) and all(a[algorithm] == b[algorithm] for algorithm in common)
