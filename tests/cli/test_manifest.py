"""`manifest create|verify|diff`."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.repositories.build import Repo

Cli = Callable[..., Any]


def test_create_writes_below_the_root_and_prints_the_digest(cli: Cli, work: Path) -> None:
    done = cli("manifest", "create", "--root", work)
    data = (work / "OUTPUT_MANIFEST.json").read_bytes()
    assert (done.code, done.out.strip()) == (0, hashlib.sha256(data).hexdigest())
    assert [entry["path"] for entry in json.loads(data)["files"]] == ["report.md", "tests/test_report.py"]


def test_create_again_gives_the_same(cli: Cli, work: Path) -> None:
    first = cli("manifest", "create", "--root", work).out
    assert cli("manifest", "create", "--workspace-root", work).out == first


def test_create_lists_what_it_left_out(cli: Cli, work: Path) -> None:
    (work / "receipt.json").write_text("{}")
    (work / "empty").mkdir()
    (work / "run").write_text("x")
    (work / "run").chmod(0o755)
    (work / "mine.json").write_text("old")
    done = cli("manifest", "create", "--root", work, "--out", work / "mine.json", "--json")
    facts = json.loads(done.out)
    assert facts["excluded"] == ["mine.json", "receipt.json"]
    assert facts["emptyDirectories"] == ["empty"]
    assert facts["executables"] == ["run"]
    assert "note: excluded: receipt.json" in done.err


def test_create_without_default_excludes(cli: Cli, tmp_path: Path, work: Path) -> None:
    (work / "receipt.json").write_text("{}")
    cli("manifest", "create", "--root", work, "--no-default-excludes", "--out", tmp_path / "m")
    assert b'"receipt.json"' in (tmp_path / "m").read_bytes()


def test_create_to_standard_output(cli: Cli, work: Path) -> None:
    done = cli("manifest", "create", "--root", work, "--out", "-")
    assert json.loads(done.out)["file_count"] == 2
    assert done.err.strip() == hashlib.sha256(done.out.encode()).hexdigest()


def test_create_names_twins(cli: Cli, work: Path) -> None:
    (work / "REPORT.md").write_text("x")
    assert "differ only by case" in cli("manifest", "create", "--root", work).err


def test_create_refuses_git(cli: Cli, work: Path) -> None:
    (work / ".git").mkdir()
    done = cli("manifest", "create", "--root", work)
    assert (done.code, "holds .git" in done.err, "hint:" in done.err) == (4, True, True)


@pytest.mark.parametrize("kind", ["link", "hard link", "fifo"])
def test_create_refuses_by_name(cli: Cli, work: Path, kind: str) -> None:
    other = work / "other\nname"
    if kind == "link":
        other.symlink_to("report.md")
    elif kind == "hard link":
        (work / "second").hardlink_to(work / "report.md")
    else:
        os.mkfifo(work / "pipe")
    done = cli("manifest", "create", "--root", work)
    assert done.code == 4
    assert len(done.err.splitlines()) <= 2
    assert not (work / "OUTPUT_MANIFEST.json").exists()


def test_verify_of_the_same(cli: Cli, work: Path) -> None:
    digest = cli("manifest", "create", "--root", work).out.strip()
    done = cli("manifest", "verify", "--root", work, "--expected-digest", digest)
    assert (done.code, done.out) == (0, "2 file(s) are as the manifest says\n")


def test_verify_escapes_names(cli: Cli, work: Path) -> None:
    cli("manifest", "create", "--root", work)
    (work / "new\x1b[31m").write_text("x")
    done = cli("manifest", "verify", "--root", work)
    assert (done.code, "new" in done.out, "\x1b" in done.out + done.err) == (11, True, False)


def test_verify_tells_missing_unexpected_changed(cli: Cli, work: Path) -> None:
    cli("manifest", "create", "--root", work)
    (work / "report.md").write_text("changed")
    (work / "tests" / "test_report.py").unlink()
    (work / "new").write_text("x")
    done = cli("manifest", "verify", "--root", work)
    assert (done.code, done.out.splitlines()) == (
        11,
        ["missing: tests/test_report.py", "unexpected: new", "changed: report.md"],
    )


def test_verify_json(cli: Cli, work: Path) -> None:
    cli("manifest", "create", "--root", work)
    (work / "new").write_text("x")
    done = cli("manifest", "verify", "--root", work, "--format", "json")
    facts = json.loads(done.out)
    assert (done.code, facts["ok"], facts["expectedFiles"], facts["files"]) == (11, False, 2, 3)
    assert facts["differences"] == {"missing": [], "unexpected": ["new"], "changed": []}


def test_verify_a_file_that_became_a_link(cli: Cli, work: Path) -> None:
    cli("manifest", "create", "--root", work)
    (work / "report.md").unlink()
    (work / "report.md").symlink_to("tests/test_report.py")
    done = cli("manifest", "verify", "--root", work, "--json")
    assert done.code == 11
    assert "report.md" in json.loads(done.out)["errors"][0]


def test_verify_a_manifest_elsewhere(cli: Cli, tmp_path: Path, work: Path) -> None:
    cli("manifest", "create", "--root", work, "--out", tmp_path / "m")
    assert cli("manifest", "verify", tmp_path / "m", "--root", work).code == 0
    assert cli("manifest", "verify", "-", "--root", work, stdin=(tmp_path / "m").read_bytes()).code == 0


def test_verify_another_digest(cli: Cli, work: Path) -> None:
    digest = cli("manifest", "create", "--root", work).out.strip()
    done = cli("manifest", "verify", "--root", work, "--expected-digest", "0" * 64)
    assert (done.code, done.out.strip()) == (11, f"manifest digest is {digest}, expected {'0' * 64}")


@pytest.mark.parametrize("digest", ["", "abc", "A" * 64, f"sha256:{'0' * 57}"])
def test_verify_a_digest_that_is_none(cli: Cli, work: Path, digest: str) -> None:
    cli("manifest", "create", "--root", work)
    assert cli("manifest", "verify", "--root", work, "--expected-digest", digest).code == 2


@pytest.mark.parametrize("data", [b"", b"{}", b'{"files":[],"files":[]}', b"\xff", b"[" * 100_000])
def test_verify_a_manifest_that_is_none(cli: Cli, work: Path, data: bytes) -> None:
    (work / "OUTPUT_MANIFEST.json").write_bytes(data)
    assert cli("manifest", "verify", "--root", work).code == 3


def test_verify_without_a_manifest(cli: Cli, work: Path) -> None:
    assert cli("manifest", "verify", "--root", work).code == 3


def test_verify_a_missing_root(cli: Cli, tmp_path: Path, work: Path) -> None:
    cli("manifest", "create", "--root", work, "--out", tmp_path / "m")
    assert cli("manifest", "verify", tmp_path / "m", "--root", tmp_path / "no").code == 4


def test_diff(cli: Cli, tmp_path: Path, work: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    cli("manifest", "create", "--root", work, "--out", a)
    assert cli("manifest", "diff", a, a).out == "the manifests are equal\n"
    (work / "new").write_text("x")
    cli("manifest", "create", "--root", work, "--out", b)
    done = cli("manifest", "diff", a, b)
    assert (done.code, done.out) == (11, "unexpected: new\n")
    facts = json.loads(cli("manifest", "diff", b, a, "--json").out)
    assert facts["differences"] == {"missing": ["new"], "unexpected": [], "changed": []}


def test_diff_of_standard_input_with_itself(cli: Cli) -> None:
    assert cli("manifest", "diff", "-", "-").code == 2


def test_the_bytes_of_the_original(cli: Cli, tmp_path: Path, shared: Path) -> None:
    folder = shared / "corpus" / "agent-receipt"
    empty = tmp_path / "empty"
    empty.mkdir()
    done = cli("manifest", "create", "--root", empty, "--out", "-")
    assert done.out.encode() == (folder / "manifest_empty.json").read_bytes().rstrip(b"\n")


def test_create_and_verify_of_a_commit(cli: Cli, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({"a.txt": "hello\n", "d/b": "x"})
    out = tmp_path / "m.json"
    made = cli("manifest", "create", "--repo", str(repo.path), "--head", "HEAD", "--out", str(out))
    same = cli("manifest", "verify", str(out), "--repo", str(repo.path), "--head", "main")
    repo.commit({"d/b": "y"})
    other = cli("manifest", "verify", str(out), "--repo", str(repo.path), "--head", "main")
    assert (made.code, same.code, other.code, "d/b" in other.out) == (0, 0, 11, True)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--repo", "."], "--repo and --head go together"),
        (["--root", ".", "--repo", ".", "--head", "HEAD"], "one of --root and --repo is needed"),
        ([], "one of --root and --repo is needed"),
        (["--repo", ".", "--head", "HEAD"], "--repo needs --out"),
    ],
    ids=["no head", "both", "none", "no out"],
)
def test_create_of_what_is_not_named_well(cli: Cli, flags: list[str], message: str) -> None:
    done = cli("manifest", "create", *flags)
    assert (done.code, message in done.err) == (2, True)
