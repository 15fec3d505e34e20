"""Every directory of testdata/agent_receipt: our verdict by the command line, the original's by its own functions."""

import filecmp
import json
import os
import shutil
import subprocess
import sys
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from agent_receipt import core, output_manifest

from in_toto_done_receipt.cli import main
from in_toto_done_receipt.observe.manifest.model import ManifestFile
from in_toto_done_receipt.observe.manifest.scan import scan
from tests.conformance import old_verdicts

CASES = Path(__file__).parents[2] / "testdata" / "agent_receipt"
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "agent-receipt-differences.md"
EXPECTED: dict[str, Any] = {
    path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(CASES.glob("*/expected.json"))
}
RECEIPTS = [name for name, expected in EXPECTED.items() if "recipe" not in expected]
MANIFESTS = [name for name, expected in EXPECTED.items() if "recipe" in expected]


@pytest.mark.parametrize("name", RECEIPTS)
def test_our_verdict(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    expected = EXPECTED[name]
    monkeypatch.chdir(CASES / name)
    code = main.run(["verify", "--as", "agent-receipt", "receipt.json", *expected["arguments"], "--json"])
    document = json.loads(capsys.readouterr().out)
    assert code == expected["exitCode"], document
    if code != 3:
        result = document["result"]
        assert result["input"]["mediaType"] == "application/vnd.agent-receipt.v1+json"
        reasons = {finding["reason"] for check in result["checks"] for finding in check["findings"]}
        assert set(expected["reasons"]) <= reasons


@pytest.mark.filterwarnings("ignore:Exception ignored in")  # the original leaves pipes open
@pytest.mark.parametrize("name", RECEIPTS)
def test_the_verdict_of_the_original(name: str, tmp_path: Path) -> None:
    expected = EXPECTED[name]
    if name == "format_character" and unicodedata.category("\U0001343f") == "Cf":
        pytest.skip("this Python knows the character already, and so does the original")
    shutil.copytree(CASES / name, tmp_path / name, symlinks=True)  # it runs commands in place
    tree = core.load_receipt(tmp_path / name / "receipt.json")
    arguments = expected["arguments"]
    root = tmp_path / name / "workspace" if "--root" in arguments else None
    allowed = {tuple(argv.split()) for flag, argv in pairwise(arguments) if "allow" in flag}
    key = (CASES / "keys" / "worker.pub").read_bytes()
    verdict = core.verify_receipt(
        tree,
        recheck=root is not None,
        recheck_commands=bool(allowed),
        recheck_root=root,
        allowed_commands=allowed or None,
        trusted_keys=None if "--unsigned" in arguments else {"worker-2026": key},
        minimum_assurance="reported" if "reported" in arguments else "fully_rechecked",
    )
    assert verdict["ok"] is expected["original"], verdict


@pytest.mark.parametrize("name", [name for name in MANIFESTS if EXPECTED[name]["recipe"].keys() - {"folders", "name"}])
def test_a_manifest_over_a_limit_of_the_original_is_read_here(name: str, tmp_path: Path) -> None:
    data = manifest_file(EXPECTED[name]["recipe"])
    assert old_verdicts.our_manifest(data) is not None
    assert old_verdicts.original_manifest(data, tmp_path / "manifest.json") is None


def manifest_file(recipe: dict[str, Any]) -> bytes:
    sizes: list[int] = recipe.get("sizes", [0] * recipe.get("files", 1))
    paths = [f"{number:05}" for number in range(len(sizes))]
    if "path" in recipe:
        paths = ["/".join(["d" * 204] * 4 + ["f" * (recipe["path"] - 4 * 205)])]
    rows = [ManifestFile(path=path, sha256="0" * 64, bytes=size) for path, size in zip(paths, sizes, strict=True)]
    tree = {
        "schema": "agent-output-manifest/v1",
        "file_count": len(rows),
        "total_bytes": sum(sizes),
        "files": [{"bytes": row.bytes, "path": row.path, "sha256": row.sha256} for row in rows],
    }
    blanks: int = recipe.get("blanks", 0)
    return json.dumps(tree).encode() + b" " * blanks


@pytest.mark.parametrize("name", [name for name in MANIFESTS if EXPECTED[name]["recipe"].keys() & {"folders", "name"}])
def test_a_tree_over_a_limit_of_the_original_is_scanned_here(name: str, tmp_path: Path) -> None:
    recipe = EXPECTED[name]["recipe"]
    for number in range(recipe.get("folders", 0)):
        (tmp_path / str(number)).mkdir()
    if "name" in recipe:
        (tmp_path / os.fsdecode(bytes.fromhex(recipe["name"]))).write_bytes(b"x")
    with pytest.raises(output_manifest.OutputManifestError):
        output_manifest.create_output_manifest(tmp_path)
    scan(tmp_path)
    shutil.rmtree(tmp_path)  # 80 MiB of empty folders


def test_the_generator_writes_exactly_these_files(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(CASES.parents[1])}
    subprocess.run([sys.executable, CASES / "generate.py", tmp_path], check=True, env=environment)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if not path.is_dir()}
    right = {
        str(path.relative_to(CASES))
        for path in CASES.rglob("*")
        if not path.is_dir() and path.suffix != ".pyc" and path.parent != CASES
    }
    assert left == right
    assert filecmp.cmpfiles(tmp_path, CASES, sorted(left), shallow=False)[1:] == ([], [])


@pytest.mark.parametrize("kind", ["stricter", "wider"])
def test_the_page_has_one_line_for_each_difference_and_no_other(kind: str) -> None:
    section = PAGE.read_text(encoding="utf-8").partition(f"## What is {kind} here")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    expected = [f"| `{name}` | {case['line']} |" for name, case in EXPECTED.items() if case["list"] == kind]
    assert sorted(rows) == sorted(expected)
