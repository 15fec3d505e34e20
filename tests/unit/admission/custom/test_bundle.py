"""Bundles that are written: the same bytes each time, taken by OPA and by our own reader."""

import gzip
import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.admission.custom.archive import read_archive
from in_toto_done_receipt.admission.custom.bundle import bundle
from in_toto_done_receipt.admission.custom.policies import read_policies
from in_toto_done_receipt.admission.custom.tools import own_bundle, whole_bundle
from in_toto_done_receipt.admission.sources import policy_digest, policy_folder, rego_files

FILES = {"b.rego": b"package b\n", "a/é.rego": b"package a\n" * 20_000, "empty": b""}


def made(files: dict[str, bytes]) -> bytes:
    return bundle(files, revision="r", roots=("done_receipt/custom",))


def test_it_holds_the_files_behind_a_manifest() -> None:
    files = read_archive(made(FILES), what="b")
    assert next(iter(files)) == ".manifest"
    assert json.loads(files.pop(".manifest")) == {"revision": "r", "roots": ["done_receipt/custom"], "rego_version": 1}
    assert files == FILES


def test_the_bytes_are_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    first = made(FILES)
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    monkeypatch.setattr(os, "getuid", lambda: 4711)
    assert made(dict(reversed(FILES.items()))) == first


def test_the_bytes_are_these() -> None:
    digest = hashlib.sha256(made({"a.rego": b"package a\n"})).hexdigest()
    assert digest == "91fadf4976b663668c95faf4a1d17b25b551c7caea7c30f601ca88aeb6d32e9e"


@given(st.binary(max_size=300_000))
def test_any_size_is_unpacked_again(data: bytes) -> None:
    assert read_archive(made({"x": data}), what="b")["x"] == data


@pytest.mark.parametrize("size", [0, 65535 - 2048, 65535, 65536, 131070, 131071])
def test_sizes_at_the_edge_of_a_block(size: int) -> None:
    packed = made({"x": b"x" * size})
    assert read_archive(packed, what="b")["x"] == b"x" * size
    assert len(gzip.decompress(packed)) % 10240 == 0


def test_the_whole_is_ours_and_theirs_under_the_digest_of_both(folder: Path) -> None:
    policies = read_policies([str(folder)])
    files = read_archive(whole_bundle(policy_folder(), policies), what="b")
    manifest = json.loads(files.pop(".manifest"))
    assert manifest["revision"] == policy_digest(policy_folder(), [policies[0].digest])
    assert manifest["roots"] == ["done_receipt"]
    assert files["own/0/team/never.rego"] == (folder / "team" / "never.rego").read_bytes()
    assert len(files) == len(rego_files(policy_folder() / "done_receipt")) + 1


def test_theirs_alone_is_the_same_policy_again(folder: Path, tmp_path: Path) -> None:
    policies = read_policies([str(folder)])
    (tmp_path / "b.tar.gz").write_bytes(own_bundle(policies))
    (again,) = read_policies([str(tmp_path / "b.tar.gz")])
    assert (again.digest, again.sources, again.roots) == (
        policies[0].digest,
        policies[0].sources,
        ("done_receipt/custom",),
    )


def test_several_do_not_get_into_each_others_way(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "team").mkdir(parents=True)
    (other / "team" / "never.rego").write_text("package done_receipt.custom.team.other\n")
    files = read_archive(own_bundle(read_policies([str(folder), str(other)]), revision="7"), what="b")
    assert sorted(files) == [".manifest", "0/team/never.rego", "1/team/never.rego"]
    assert json.loads(files[".manifest"])["revision"] == "7"


@pytest.mark.integration
def test_opa_reads_it(opa: Path, folder: Path, tmp_path: Path, run_opa: Callable[..., None]) -> None:
    for data in (whole_bundle(policy_folder()), own_bundle(read_policies([str(folder)]))):
        (tmp_path / "b.tar.gz").write_bytes(data)
        run_opa(opa, "inspect", str(tmp_path / "b.tar.gz"))
        run_opa(opa, "check", "--bundle", str(tmp_path / "b.tar.gz"))
