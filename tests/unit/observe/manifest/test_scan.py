"""observe/manifest/scan.py with rows, walk and hashing"""

import hashlib
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ProducerError, WorkMoved
from in_toto_done_receipt.observe.manifest.hashing import LARGE, Hasher
from in_toto_done_receipt.observe.manifest.model import ManifestLimits
from in_toto_done_receipt.observe.manifest.scan import scan
from in_toto_done_receipt.observe.manifest.walk import Walk
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace

EMPTY_DIGEST = "ff977fe998604ac058ef08103e6d8770d47ca85bb4bfd8b899b2fdb437aa5566"  # of a manifest without files


def _write(root: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def _rows(root: Path) -> list[tuple[str, str, int]]:
    return [(file.path, file.sha256, file.bytes) for file in scan(root).files]


def test_scan_has_every_file_in_order_of_paths(tmp_path: Path) -> None:
    big = bytes(range(256)) * (LARGE // 256 + 1)
    files = {
        "a/b": b"1",
        "a-b": b"2",
        "a.c": b"",
        "é/中": b"3",
        "Z": big,
        "a/.git/x": b"4",
        "\ue000": b"",
        "\U00010000": b"",
    }
    _write(tmp_path, files)
    expected = [(name, hashlib.sha256(files[name]).hexdigest(), len(files[name])) for name in sorted(files)]
    assert _rows(tmp_path) == expected


def test_scan_of_an_empty_directory(tmp_path: Path) -> None:
    manifest = scan(tmp_path)
    assert manifest.canonical() == b'{"file_count":0,"files":[],"schema":"agent-output-manifest/v1","total_bytes":0}'
    assert manifest.digest == EMPTY_DIGEST


def test_scan_of_a_workspace_is_of_the_directory_it_opened(tmp_path: Path) -> None:
    root = _write(tmp_path / "root", {"a": b"1"})
    with DirectoryWorkspace(root) as workspace:
        root.rename(tmp_path / "moved")
        root.mkdir()
        assert [file.path for file in scan(workspace).files] == ["a"]


def test_scan_resolves_a_linked_root(tmp_path: Path) -> None:
    _write(tmp_path / "root", {"a": b"1"})
    (tmp_path / "link").symlink_to("root")
    assert scan(tmp_path / "link") == scan(tmp_path / "root")


def test_scan_leaves_out_control_files_and_says_so(tmp_path: Path) -> None:
    names = ["receipt.json", "OUTPUT_MANIFEST.json", "sub/M.json"]
    _write(tmp_path, dict.fromkeys([*names, "sub/receipt.json"], b"x"))
    manifest = scan(tmp_path, exclude=frozenset({"sub/M.json", "not/there"}))
    assert list(manifest.files.paths) == ["sub/receipt.json"]
    assert manifest.notes.excluded == ("OUTPUT_MANIFEST.json", "receipt.json", "sub/M.json")


def test_scan_without_default_exclusions_has_everything(tmp_path: Path) -> None:
    _write(tmp_path, {"receipt.json": b"x"})
    assert list(scan(tmp_path, exclude_defaults=False).files.paths) == ["receipt.json"]


def test_a_directory_under_an_excluded_name_is_not_left_out(tmp_path: Path) -> None:
    _write(tmp_path, {"receipt.json/hidden": b"x"})
    assert list(scan(tmp_path).files.paths) == ["receipt.json/hidden"]


def test_an_exclusion_that_is_no_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProducerError, match="cannot be excluded"):
        scan(tmp_path, exclude=frozenset({"../x"}))


def test_scan_notes_what_a_manifest_does_not_say(tmp_path: Path) -> None:
    _write(tmp_path, {"run.sh": b"", "A/x": b"", "a/y": b"", "README": b"", "readme": b""})
    (tmp_path / "run.sh").chmod(0o755)
    (tmp_path / "empty" / "er").mkdir(parents=True)
    notes = scan(tmp_path).notes
    assert notes.executables == ("run.sh",)
    assert notes.empty_directories == ("empty/er",)
    assert notes.twins == (("A", "a"), ("README", "readme"))


def test_twins_are_warnings_and_escaped(tmp_path: Path) -> None:
    _write(tmp_path, {"sub/\u00e9": b"", "sub/e\u0301": b""})
    manifest = scan(tmp_path)
    assert manifest.warnings == ("sub/e\u0301 and sub/é differ only by case or Unicode normalisation",)
    assert list(manifest.files.paths) == ["sub/e\u0301", "sub/é"]


def test_a_name_that_is_not_utf8_is_spelled_out(tmp_path: Path) -> None:
    _write(tmp_path, {os.fsdecode(b"caf\xe9/\xff\xc3\xa9"): b"1"})
    manifest = scan(tmp_path)
    assert list(manifest.files.paths) == ["caf\\xe9/\\xffé"]
    assert json.loads(manifest.canonical())["files"][0]["path"] == "caf\\xe9/\\xffé"


def _hard_link(path: Path) -> None:
    path.touch()
    path.with_name("two").hardlink_to(path)


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "link": (lambda path: path.symlink_to("/"), "sub/it is a symbolic link"),
    "dangling-link": (lambda path: path.symlink_to("nothing"), "sub/it is a symbolic link"),
    "fifo": (os.mkfifo, "sub/it is a FIFO"),
    "hard-link": (_hard_link, "has 2 hard links"),
    "backslash": (lambda path: (path.parent / "a\\xffb").write_bytes(b""), "backslash in its name"),
    "newline": (lambda path: (path.parent / "a\nb").write_bytes(b""), r"sub/a\\x0ab has a control"),
    "bidi": (lambda path: (path.parent / "a\u202eb").mkdir(), r"sub/a\\u202eb has a control or format"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_scan_refuses_by_name(tmp_path: Path, case: str) -> None:
    make, fault = REFUSED[case]
    (tmp_path / "sub").mkdir()
    make(tmp_path / "sub" / "it")
    with pytest.raises(ProducerError, match=fault):
        scan(tmp_path)


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch], ids=["repository", "linked-work-tree"])
def test_a_root_that_holds_git_is_refused_with_a_hint(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / ".git")
    with pytest.raises(ProducerError, match=r"holds \.git") as caught:
        scan(tmp_path)
    assert "--repo with --head" in str(caught.value.hint)


def test_a_root_that_holds_git_is_scanned_on_request(tmp_path: Path) -> None:
    _write(tmp_path, {".git/HEAD": b"x"})
    assert list(scan(tmp_path, allow_git=True).files.paths) == [".git/HEAD"]


@pytest.mark.parametrize(
    ("name", "fault"), [("nothing", "does not exist"), ("file", "is not a directory"), ("a\0", "null")]
)
def test_a_root_that_is_no_directory_is_refused(tmp_path: Path, name: str, fault: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ProducerError, match=fault):
        scan(tmp_path / name)


@pytest.mark.parametrize(
    ("limits", "fault"),
    [
        (ManifestLimits(entries=2), "c/d: limit manifest-entries is 2, got 3"),
        (ManifestLimits(depth=0), "c/: limit manifest-depth is 0, got 1"),
        (ManifestLimits(file_bytes=3), "b: limit manifest-file-bytes is 3, got 4"),
        (ManifestLimits(total_bytes=4), "b: limit manifest-total-bytes is 4, got 5"),
        (ManifestLimits(manifest_bytes=100), "limit manifest-bytes is 100, the manifest has"),
    ],
    ids=["entries", "depth", "file", "total", "manifest"],
)
def test_scan_over_a_limit_names_it(tmp_path: Path, limits: ManifestLimits, fault: str) -> None:
    _write(tmp_path, {"a": b"1", "b": b"1234", "c/d": b""})
    with pytest.raises(ProducerError, match=fault):
        scan(tmp_path, limits=limits)


def test_folders_count_too(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
    with pytest.raises(ProducerError, match="limit manifest-entries is 2, got 3"):
        scan(tmp_path, limits=ManifestLimits(entries=2))


def test_depth_64_is_fine_and_65_is_not(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 64)
    deep.mkdir(parents=True)
    (deep / "file").touch()
    assert len(scan(tmp_path).files) == 1
    (deep / "d").mkdir()
    with pytest.raises(ProducerError, match="limit manifest-depth is 64, got 65"):
        scan(tmp_path)


def test_a_path_longer_than_a_manifest_holds_is_refused(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("é" * 120, dir_fd=fd)
        below = os.open("é" * 120, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=fd))
    os.close(fd)
    with pytest.raises(ProducerError, match="longer than the 4096 bytes"):
        scan(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_refused_by_name(tmp_path: Path) -> None:
    _write(tmp_path, {"a": b"1"})
    (tmp_path / "a").chmod(0)
    with pytest.raises(ProducerError, match="a cannot be read: permission denied"):
        scan(tmp_path)


def _between_walks(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Have something happen when the first walk is over and the second has not begun."""
    run = Walk.run

    def run_then_act(walk: Walk, root: int) -> object:
        count = run(walk, root)
        if walk._twins is not None:
            act()
        return count

    monkeypatch.setattr(Walk, "run", run_then_act)


def _put_back_times(path: Path, data: bytes) -> None:
    status = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize(
    ("act", "fault"),
    [
        (lambda root: _put_back_times(root / "b", b"x"), "b had other bytes in the first scan"),
        (lambda root: _put_back_times(root / "big", b"y" * (LARGE + 1)), "big had other bytes in the first scan"),
        (lambda root: (root / "b").write_bytes(b"12"), "b had 1 bytes in the first scan, 2 in the second"),
        (lambda root: (root / "b").unlink(), "b was there in the first scan, not in the second"),
        (lambda root: (root / "z").unlink(), "z was there in the first scan, not in the second"),
        (lambda root: (root / "a").touch(), "a was not there in the first scan, but in the second"),
        (lambda root: (root / "zz").touch(), "zz was not there in the first scan, but in the second"),
        (lambda root: (root / "b").chmod(0o755), "b was not executable in the first scan, is in the second"),
        (lambda root: (root / "d").rmdir(), "d was an empty directory in the first scan"),
    ],
    ids=["bytes", "big", "size", "gone", "last-gone", "appeared", "appeared-last", "mode", "folder"],
)
def test_work_that_moves_between_the_walks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Path], object], fault: str
) -> None:
    _write(tmp_path, {"b": b"1", "big": b"x" * (LARGE + 1), "z": b""})
    (tmp_path / "d").mkdir()
    _between_walks(monkeypatch, lambda: act(tmp_path))
    with pytest.raises(WorkMoved, match=fault):
        scan(tmp_path)


@pytest.mark.parametrize("size", [1, LARGE + 1], ids=["small", "large"])
@pytest.mark.parametrize("change", [-1, 1], ids=["shrinks", "grows"])
def test_a_file_that_changes_size_while_it_is_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, change: int
) -> None:
    _write(tmp_path, {"sub/file": b"x" * size})
    check = Walk._check

    def check_and_change(walk: Walk, opened: os.stat_result, path: str) -> None:
        check(walk, opened, path)
        os.truncate(tmp_path / path, size + change)

    monkeypatch.setattr(Walk, "_check", check_and_change)
    with pytest.raises(WorkMoved, match="sub/file changed while it was read"):
        scan(tmp_path)


@pytest.mark.parametrize(
    "put",
    [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: None, Path.mkdir],
    ids=["fifo", "link", "nothing", "folder"],
)
def test_a_file_exchanged_after_it_was_listed_neither_hangs_nor_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put: Callable[[Path], object]
) -> None:
    _write(tmp_path, {"a": b"1"})
    listing = Walk._listing

    def list_and_exchange(walk: Walk, folder: int, prefix: str) -> object:
        entries = listing(walk, folder, prefix)
        (tmp_path / "a").unlink()
        put(tmp_path / "a")
        return entries

    monkeypatch.setattr(Walk, "_listing", list_and_exchange)
    with pytest.raises(WorkMoved, match=r"^a (was exchanged|became)"):
        scan(tmp_path)


def test_progress_counts_both_walks(tmp_path: Path) -> None:
    _write(tmp_path, {"a": b"1", "b": b"22", "big": b"x" * (LARGE + 1)})
    seen: list[tuple[int, int]] = []
    scan(tmp_path, progress=lambda files, count: seen.append((files, count)))
    assert seen[-1] == (6, 2 * (LARGE + 4))
    assert seen == sorted(seen)


def test_an_error_leaves_neither_threads_nor_descriptors(tmp_path: Path) -> None:
    _write(tmp_path, {f"{number:02}": b"x" * (LARGE + 1) for number in range(20)})
    (tmp_path / "z").symlink_to("nothing")
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a snapshot, not a walk
    with pytest.raises(ProducerError, match="z is a symbolic link"):
        scan(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("manifest")]


def test_leaving_a_hasher_stops_it_in_the_middle_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    path.touch()
    os.truncate(path, 1 << 40)  # would take many minutes
    fd = os.open(path, os.O_RDONLY)
    with Hasher(lambda key, digest: None, lambda: None) as hasher:
        hasher.later(0, fd, os.fstat(fd), "sparse")
    assert hasher.bytes_done < 1 << 40
