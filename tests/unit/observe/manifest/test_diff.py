"""observe/manifest/diff.py"""

from pathlib import Path

import pytest

from in_toto_done_receipt.observe.manifest.diff import ManifestDiff, diff
from in_toto_done_receipt.observe.manifest.model import Manifest
from in_toto_done_receipt.observe.manifest.scan import scan


def _manifest(folder: Path, files: dict[str, bytes]) -> Manifest:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return scan(folder)


@pytest.mark.parametrize(
    ("before", "after", "missing", "unexpected", "changed"),
    [
        pytest.param({}, {}, (), (), (), id="empty"),
        pytest.param({"a": b"1"}, {"a": b"1"}, (), (), (), id="equal"),
        pytest.param({"a": b"1"}, {}, ("a",), (), (), id="missing"),
        pytest.param({}, {"a": b"1"}, (), ("a",), (), id="unexpected"),
        pytest.param({"a": b"1"}, {"a": b"2"}, (), (), ("a",), id="changed"),
        pytest.param({"a": b"1"}, {"z": b"1"}, ("a",), ("z",), (), id="renamed"),
        pytest.param(
            {"a": b"", "b": b"", "d": b"1", "e": b""},
            {"b": b"", "c": b"", "d": b"2", "f": b""},
            ("a", "e"),
            ("c", "f"),
            ("d",),
            id="mixed",
        ),
    ],
)
def test_diff_names_every_path(
    tmp_path: Path,
    before: dict[str, bytes],
    after: dict[str, bytes],
    missing: tuple[str, ...],
    unexpected: tuple[str, ...],
    changed: tuple[str, ...],
) -> None:
    found = diff(_manifest(tmp_path / "before", before), _manifest(tmp_path / "after", after))
    assert found == ManifestDiff(missing=missing, unexpected=unexpected, changed=changed)
    assert bool(found) == (before != after)
