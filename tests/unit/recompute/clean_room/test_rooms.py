"""The verifier's own folder for compiled packages: who could write to it could write into test binaries."""

from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.recompute.clean_room.rooms import own_folder


def test_a_cache_is_made_for_nobody_else(tmp_path: Path) -> None:
    made = own_folder(tmp_path / "cache")
    assert made.stat().st_mode & 0o777 == 0o700


def test_a_cache_is_where_its_links_lead(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert own_folder(tmp_path / "link") == (tmp_path / "real").resolve()


@pytest.mark.parametrize("open_one", ["above/cache", "above"])
def test_a_cache_that_others_can_write_to_is_refused(tmp_path: Path, open_one: str) -> None:
    (tmp_path / "above" / "cache").mkdir(parents=True, mode=0o700)
    (tmp_path / open_one).chmod(0o777)
    with pytest.raises(ConfigurationError, match=f"others can write to .*/{open_one}"):
        own_folder(tmp_path / "above" / "cache")


def test_a_cache_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="file"):
        own_folder(tmp_path / "file")
    with pytest.raises(ConfigurationError, match="No such file"):
        own_folder(tmp_path / "nothing" / "cache")
