"""What differs between two manifests."""

from in_toto_done_receipt.observe.manifest.model import Manifest
from in_toto_done_receipt.wire.value import Value


class ManifestDiff(Value, kw_only=True):
    """Paths of the first that the second lacks, paths only the second has, paths whose size or bytes differ."""

    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    changed: tuple[str, ...]

    def __bool__(self) -> bool:
        """Whether there is any difference."""
        return bool(self.missing or self.unexpected or self.changed)


def diff(a: Manifest, b: Manifest) -> ManifestDiff:
    """Every missing, unexpected and changed path, each list in order; all empty iff the digests are equal."""
    missing: list[str] = []
    unexpected: list[str] = []
    changed: list[str] = []
    left = right = 0
    one, two = a.files, b.files
    while left < len(one) and right < len(two):
        if one.paths[left] < two.paths[right]:
            missing.append(one.paths[left])
            left += 1
        elif one.paths[left] > two.paths[right]:
            unexpected.append(two.paths[right])
            right += 1
        else:
            if one.size(left) != two.size(right) or one.raw_hash(left) != two.raw_hash(right):
                changed.append(one.paths[left])
            left, right = left + 1, right + 1
    missing.extend(one.paths[left:])
    unexpected.extend(two.paths[right:])
    return ManifestDiff(missing=tuple(missing), unexpected=tuple(unexpected), changed=tuple(changed))
