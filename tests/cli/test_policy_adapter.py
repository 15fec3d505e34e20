"""`policy adapter`: what it writes, and the command lines that it refuses. With the real tools: tests/integration."""

import json
import re
from pathlib import Path

import pytest

from in_toto_done_receipt.admission.adapters.render import RENDERERS
from in_toto_done_receipt.cli.policy_adapter import NAMES, command
from tests.cli.conftest import Cli
from tests.cli.test_docs import DOCS, flags_of

WANTED = ("--verifier-id", "https://example.com/gate", "--resource-uri", "pkg:oci/app")


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("gatekeeper", {"template.yaml", "template-recorded.yaml", "constraint.yaml"}),
        ("witness", {"regopolicies.json"}),
        ("cosign", {"done-receipt.rego"}),
    ],
)
def test_it_writes_the_files_of_the_tool(cli: Cli, tmp_path: Path, name: str, files: set[str]) -> None:
    flags = WANTED if name == "cosign" else ()
    ended = cli("policy", "adapter", name, "--out", tmp_path / "out", *flags)
    assert (ended.code, ended.out) == (0, ""), ended.err
    assert re.fullmatch(rf"wrote \S+: {len(files)} file\(s\), policy [0-9a-f]{{64}}\n", ended.err)
    assert {path.name for path in (tmp_path / "out").iterdir()} == files


def test_the_same_rules_give_the_same_files(cli: Cli, tmp_path: Path) -> None:
    for place in ("one", "two"):
        assert cli("policy", "adapter", "conftest", "--out", tmp_path / place).code == 0
    texts = [
        {path.relative_to(tmp_path / place): path.read_bytes() for path in (tmp_path / place).rglob("*.rego")}
        for place in ("one", "two")
    ]
    assert texts[0] == texts[1]
    assert not [path for path in texts[0] if path.name.endswith("_test.rego")]
    assert Path("main/main.rego") in texts[0]


@pytest.mark.parametrize("full", ["file", "folder", "link"])
def test_it_writes_beside_nothing_older(cli: Cli, tmp_path: Path, full: str) -> None:
    """A rule of another version that stays behind would go on deciding."""
    out = tmp_path / "out"
    if full == "file":
        out.write_text("x")
    elif full == "link":
        (tmp_path / "empty").mkdir()
        out.symlink_to(tmp_path / "empty")
    else:
        out.mkdir()
        (out / "old.rego").write_text("package main\n")
    ended = cli("policy", "adapter", "conftest", "--out", out)
    assert (ended.code, str(out) in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cosign", "cosign sees only what is attached: --verifier-id has to say what is wanted"),
        ("cosign --verifier-id https://a.example", "--resource-uri has to say what is wanted"),
        ("cosign --verifier-id gate --resource-uri pkg:oci/app", "--verifier-id gate: is not a URI"),
        ("cosign --verifier-id https://a.example --resource-uri app", "--resource-uri app: is not a URI"),
        ("cosign --verifier-id https://a.example --resource-uri pkg:a/b --judged-by 12", "--judged-by: "),
        ("cosign --verifier-id https://a.example --resource-uri pkg:a/b --image x", "--image: cosign has no place"),
        ("policy-controller --verifier-id https://a.example --resource-uri pkg:a/b --key k", "--image has to say"),
        (
            "policy-controller --verifier-id https://a.example --resource-uri pkg:a/b --claims",
            "--claims: policy-controller has no place for it",
        ),
        ("conftest --level X", "--level: conftest has no place for it"),
        ("gatekeeper --claims", "--claims: gatekeeper has no place for it"),
        ("witness --max-age 5", "--max-age: witness has no place for it"),
        ("cosign --max-age 0", "--max-age"),
        ("kyverno", "kyverno"),
    ],
)
def test_a_command_line_that_asks_for_nothing_sensible_is_refused(
    cli: Cli, tmp_path: Path, line: str, message: str
) -> None:
    ended = cli("policy", "adapter", *line.split(), "--out", tmp_path / "out")
    assert (ended.code, message in ended.err) == (2, True), ended.err
    assert not (tmp_path / "out").exists()


def controller(cli: Cli, tmp_path: Path, key: Path, *flags: str) -> tuple[int, str]:
    words = ("--key", key, "--image", "registry.example.com/**", *WANTED, *flags)
    ended = cli("policy", "adapter", "policy-controller", "--out", tmp_path / "out", *words)
    return ended.code, ended.err


@pytest.mark.parametrize("text", ["no key", "-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n", "\udcff"])
def test_a_key_that_is_none_is_refused(cli: Cli, tmp_path: Path, text: str) -> None:
    key = tmp_path / "key.pub"
    key.write_bytes(text.encode(errors="surrogateescape"))
    code, said = controller(cli, tmp_path, key)
    assert (code, "key.pub" in said) == (4, True)
    assert controller(cli, tmp_path, tmp_path / "missing.pub")[0] == 4


def test_only_the_key_of_a_key_file_is_written(cli: Cli, tmp_path: Path) -> None:
    assert cli("keygen", "--out", tmp_path / "gate").code == 0
    key = tmp_path / "gate.pub"
    key.write_text("    - glob: everything\n" + key.read_text())
    assert controller(cli, tmp_path, key)[0] == 0
    text = (tmp_path / "out" / "image-policy.yaml").read_text()
    assert "everything" not in text
    assert text.count("BEGIN PUBLIC KEY") == 1


def test_what_is_wanted_cannot_end_its_string(cli: Cli, tmp_path: Path) -> None:
    assert cli("keygen", "--out", tmp_path / "gate").code == 0
    level = 'X"], "verifier": "\N{NEXT LINE}\N{LINE SEPARATOR}'
    code, said = controller(cli, tmp_path, tmp_path / "gate.pub", "--level", level)
    assert code == 0, said
    text = (tmp_path / "out" / "image-policy.yaml").read_text()
    assert json.dumps(level) in text
    assert text.isascii()


def test_the_command_page_lists_every_flag_and_links_every_tool() -> None:
    text = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    section = text.partition("`policy adapter NAME --out FOLDER`")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(--[a-z-]+)", section, re.MULTILINE)
    assert sorted(rows) == sorted(set(flags_of(command)) - {"--out"})
    assert re.findall(r"\(\.\./how-to/([a-z-]+)\.md\)", section) == list(NAMES)


def test_the_names_are_those_that_there_are_files_for() -> None:
    assert tuple(RENDERERS) == NAMES
