"""Hostile names, paths, flags and contents through every command: whatever it says about them, nothing acts.

What acts: a control or format character on a terminal, a command of a CI runner, a verdict at the start of a line.
The same for a receipt's words: tests/unit/report/test_text.py and tests/threats/test_35_acting_text.py.
"""

import json
import os
import re
from pathlib import Path

import pytest

from testdata.receipts import generate
from tests.cli.conftest import Cli, Ended

WORDS = {
    "line commands": "::error file=x::\x1b[31mADMITTED\r\n::set-output name=a::b",
    "old commands": "##[error]x ##vso[task.complete]",
    "invisible": "\u202e\u2066a\u200b\ufeff\u2028b\u2029\U000e0041",
    "c1 and bell": "\x9b2J\x07\x85x",
    "blanks first": " \t::warning::x",
    "not UTF-8": os.fsdecode(b"\xff\x1b]0;t\x07"),
    "a verdict": "ADMITTED \u2014 3 of 3 item(s) confirmed",
    "markup": "[bold]<details>@team fixes #1 %s {0}",
}
ACTS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
SIGNED = ["--trusted-key", "worker=worker.pub"]

# `{}` is the word: as a name of nothing, then of a file, then of a folder.
NAMES = (
    "verify {} --unsigned",
    "verify receipt.json --trust {}",
    "verify receipt.json --trusted-key {}={}",
    "verify receipt.json SIGNED --root {}",
    "verify receipt.json SIGNED --artifact {}",
    "verify receipt.json SIGNED --contract {}",
    "verify receipt.json SIGNED --manifest {}",
    "verify receipt.json SIGNED --profile {}",
    "verify receipt.json SIGNED --trusted-root {}",
    "verify receipt.json {} SIGNED --root work",
    "verify receipt.json SIGNED --output json={}/x",
    "recompute {} SIGNED --out x",
    "recompute receipt.json SIGNED --out {}/x",
    "admit {}",
    "attest-result {} --expected-digest 0 --key worker.pem --resource-uri a:b",
    "attest-result statement.json --expected-digest {} --key {} --resource-uri a:b",
    "attest-result statement.json --expected-digest 0 --key worker.pem --resource-uri a:b --out {}/x",
    "verify receipt.json SIGNED --output github={}/x --output gh={}/y",
    "verify {} SIGNED --root work --format gh",
    "inspect {}",
    "sign {} --key worker.pem",
    "sign statement.json --key {}",
    "sign statement.json --key worker.pem --out {}/x",
    "sign statement.json --key worker.pem --passphrase-file {}",
    "keygen --out {}/x",
    "keygen --out {}",
    "seal --root {} --path a --out x",
    "seal --root work --path {} --out x",
    "seal --root work --path {}/** --out x",
    "seal --root work --path a.txt --out {}/x",
    "manifest create --root {} --out x",
    "manifest create --root work --out {}/x",
    "manifest verify {} --root work",
    "manifest verify --root {}",
    "manifest diff {} {}",
    "build --root {} --task t --agent a --out x",
    "build --root work --task {} --agent {} --out x",
    "build --root work --task t --agent a --claim {}={} --file {}={} --out x",
    "build --root work --task t --agent a --claim c=t --text c={}::{} --subject {} --out x",
    "build --root work --task t --agent a --claim c=t --command c={} --out x",
    "build --root work --task t --agent a --evidence {} --out x",
    "build --root work --task t --agent a --contract {} --manifest {} --out x",
    "attest --root work --task t --agent a --key {} --out x",
    "init --root {} --out drafts",
    "init --root work --out {}/drafts --trusted-key {}=worker.pub",
    "init --root work --out drafts2 --trusted-key a={}",
    "profile show {}",
    "profile lint {} {}",
    "policy explain {}",
    "policy explain statement.json --profile {}",
    "policy diff --new {} --old {} statement.json",
    "policy diff --new-profile {} --old-profile {} {}",
    "trust check {}",
    "policy check --policy {}",
    "policy check --policy-key {} --policy {}",
    "policy check --sources {} --opa {}",
    "policy build --policy {} --out x",
    "policy build --policy work --out {}/x --opa {}",
    "policy test --policy {}@sha256:" + "0" * 64,
    "policy bundle --policy {} --policy-scope {} --policy-key work --out x",
    "policy bundle --out {}/x",
)
FLAGS = (
    "{}",
    "--{}",
    "verify",
    "verify receipt.json --{}",
    "verify receipt.json SIGNED --limit {}",
    "verify receipt.json SIGNED --limit {}=1",
    "verify receipt.json SIGNED --output {}",
    "verify receipt.json SIGNED --format {}",
    "attest-result statement.json --type {} --key worker.pem --resource-uri a:b --expected-digest 0",
    "attest-result statement.json --key worker.pem --resource-uri {} --expected-digest 0",
    "attest-result statement.json --key worker.pem --resource-uri a:b --verifier-id a:{} --expected-digest 0",
    "verify receipt.json SIGNED --color {}",
    "verify receipt.json SIGNED --override {}",
    "verify receipt.json SIGNED --plugin {}",
    "verify receipt.json SIGNED --engine {}",
    "verify receipt.json SIGNED --engine opa-server={}",
    "verify receipt.json SIGNED --engine opa-server=http://127.0.0.1/{}",
    "verify receipt.json SIGNED --engine opa --opa {}",
    "verify receipt.json SIGNED --policy {}",
    "verify receipt.json SIGNED --policy {} --policy-key {} --policy-scope {}",
    "verify receipt.json SIGNED --policy-digest {}",
    "verify receipt.json SIGNED --at {}",
    "verify receipt.json SIGNED --predicate-type {} --repository {}",
    "verify receipt.json SIGNED --repository a:{}",
    "verify receipt.json SIGNED --max-age {}",
    "verify receipt.json SIGNED --skew {}",
    "verify receipt.json SIGNED --timeout {}",
    "verify receipt.json SIGNED --sandbox {}",
    "verify receipt.json SIGNED --expected-digest {}",
    "verify receipt.json SIGNED --packet-digest {} --input-commit {} --output-manifest-digest {}",
    "verify receipt.json SIGNED --root work --recheck-commands --allow-command {}",
    "verify receipt.json SIGNED --root work --recheck-commands --allow-command [{}",
    "verify receipt.json --trusted-key {}",
    "verify receipt.json --certificate-identity {} --certificate-oidc-issuer {} --trusted-root work/a.txt",
    "verify receipt.json --certificate-identity-regexp ({} --certificate-oidc-issuer x --trusted-root work/a.txt",
    "inspect receipt.json {}",
    "sign statement.json --key worker.pem --key-id {} --out x",
    "keygen --out x --algorithm {}",
    "manifest {}",
    "manifest verify --root work --expected-digest {}",
    "build --root work --task t --agent a --harness {} --out x",
    "build --root work --task t --agent a --claim {} --out x",
    "build --root work --task t --agent a --verdict {} --out x",
    "build --root work --task t --agent a --finished-on {} --out x",
    "build --root work --task t --agent a --iterations {} --out x",
    "build --root work --task t --agent a --packet-digest {} --input-commit {} --output-manifest-digest {} --out x",
    "profile {}",
    "policy explain statement.json {}",
    "policy diff statement.json {}",
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one good file of each kind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_text("a\n")
    payload = generate.payload_of(generate.base())
    (tmp_path / "statement.json").write_bytes(payload)
    (tmp_path / "receipt.json").write_text(generate.pretty(generate.envelope(payload)))
    (tmp_path / "worker.pub").write_text(generate.public_pem("worker"))
    return tmp_path


def arguments(line: str, word: str) -> list[str]:
    found: list[str] = []
    for part in line.split(" "):
        found += SIGNED if part == "SIGNED" else [part.replace("{}", word)]
    return found


def check(ended: Ended) -> None:
    for text in (ended.out, ended.err):
        assert ACTS.search(text) is None, ascii(text)
        assert "##[" not in text
        assert "##vso[" not in text
        for line in text.splitlines():
            assert not line.lstrip().startswith(("::", "ADMITTED")), ascii(line)


@pytest.mark.parametrize("line", NAMES)
def test_a_hostile_name(cli: Cli, place: Path, line: str) -> None:
    for word in WORDS.values():
        check(cli(*arguments(line, word)))  # nothing is there


@pytest.mark.parametrize("line", NAMES)
def test_a_hostile_name_of_something_else(cli: Cli, place: Path, line: str) -> None:
    cli("keygen", "--out", "worker2")
    for word in list(WORDS.values())[::2]:
        Path(word).write_text(word, errors="surrogateescape")
        check(cli(*arguments(line, word)))
        Path(word).unlink()
        Path(word).mkdir()
        (Path(word) / word).write_text("x")
        check(cli(*arguments(line, word)))


@pytest.mark.parametrize("line", FLAGS)
def test_a_hostile_flag(cli: Cli, place: Path, line: str) -> None:
    for word in WORDS.values():
        check(cli(*arguments(line, word)))


def test_a_hostile_tree(cli: Cli, place: Path) -> None:
    for word in WORDS.values():
        path = place / "work" / word
        path.write_text("x")
        check(cli("manifest", "create", "--root", "work", "--out", "m.json"))
        check(cli("seal", "--root", "work", "--path", "**", "--out", "c.json"))
        check(cli("init", "--root", "work", "--out", f"drafts{len(word)}"))
        path.unlink()
        for make in (path.symlink_to, path.hardlink_to, lambda _target, path=path: os.mkfifo(path)):
            make(place / "work" / "a.txt")
            check(cli("manifest", "create", "--root", "work", "--out", "m.json"))
            check(cli("seal", "--root", "work", "--path", "**", "--out", "c.json"))
            path.unlink()


def test_a_hostile_tree_that_a_manifest_can_hold(cli: Cli, place: Path) -> None:
    words = [word for word in WORDS.values() if word.isprintable()]
    assert words
    for content in "xy":
        for word in words:
            (place / "work" / word).write_text(content)
            (place / "work" / word).chmod(0o755)
        ended = cli("manifest", "create", "--root", "work", "--out", f"{content}.json")
        assert ended.code == 0
        check(ended)
    for line in ("manifest verify x.json --root work", "manifest diff x.json y.json"):
        for form in ([], ["--json"]):
            ended = cli(*line.split(), *form)
            assert ended.code == 11
            check(ended)


@pytest.mark.parametrize(
    "line", ["verify {} SIGNED --json", "verify receipt.json --trust {} --json", "admit {} --json"]
)
def test_an_error_in_json_says_the_name_as_it_is(cli: Cli, place: Path, line: str) -> None:
    for word in WORDS.values():
        ended = cli(*arguments(line, word))
        check(ended)
        assert json.loads(ended.out)["error"]["exitCode"] == ended.code


TOML = (
    'version = 1\n"{}" = 1\n',
    'version = "{}"\n',
    'version = 1\ncollection = "{}"\n',
    'version = 1\n[[command]]\nargv = ["{}"]\n',
    'version = 1\n[[evidence]]\nclaim = "{}"\nkind = "{}"\n',
    'version = 1\n[limits]\n"{}" = 1\n',
    'version = 1\nplugins = ["{}"]\n',
    'version = 1\n[sandbox]\nreadOnly = ["{}"]\n',
    'version = 1\n[sandbox]\nvariables = {{ "{}" = "x" }}\n',
    'version = 1\n[agent]\nmodels = ["{}"]\n',
    'version = 1\n[[key]]\nname = "{}"\npath = "worker.pub"\n',
    'version = 1\n[[key]]\nname = "a"\npath = "{}"\n',
    'version = 1\n[[key]]\nname = "a"\npem = "{}"\n',
    'version = 1\n[[key]]\nname = "a"\npath = "worker.pub"\nagents = ["{}"]\n',
    'version = 1\n[[identity]]\nname = "{}"\nsubjectRegexp = "{}"\nissuer = "{}"\n[sigstore]\ntrustedRoot = "{}"\n',
    "{} = {}\n",
    "# {}\n[",
)


@pytest.mark.parametrize("text", TOML)
def test_hostile_words_in_a_file_of_the_verifiers(cli: Cli, place: Path, text: str) -> None:
    for word in WORDS.values():
        quoted = json.dumps(word.encode("utf-8", "replace").decode())[1:-1]  # TOML's escapes are JSON's
        Path("file.toml").write_text(text.replace("{{", "{").replace("}}", "}").replace("{}", quoted))
        check(cli("profile", "show", "file.toml"))
        check(cli("profile", "show", "file.toml", "--json"))
        check(cli("trust", "check", "file.toml"))
        check(cli("trust", "check", "file.toml", "--json"))
        check(cli("verify", "receipt.json", *SIGNED, "--profile", "file.toml"))
        check(cli("verify", "receipt.json", "--trust", "file.toml"))


JSON = (
    {"{}": 1},
    {"schema": "{}", "sealed": [], "absent": []},
    {"schema": "https://w3id.org/done-receipt/contract/v0.1", "sealed": [{"name": "{}", "digest": {"{}": "{}"}}]},
    {"schema": "agent-output-manifest/v1", "files": [{"path": "{}", "bytes": 1, "sha256": "{}"}], "{}": 1},
    {"schema": "https://w3id.org/done-receipt/result/v0.1", "{}": "{}"},
    {"_type": "{}", "subject": [{"name": "{}", "digest": {"{}": "{}"}}], "predicateType": "{}", "predicate": {"{}": 1}},
    {"payload": "{}", "payloadType": "{}", "signatures": [{"sig": "{}", "keyid": "{}"}]},
    {"mediaType": "application/vnd.dev.sigstore.bundle{}", "dsseEnvelope": {"{}": 1}, "verificationMaterial": "{}"},
    [{"claim": "{}", "kind": "{}", "{}": "{}"}],
    "{}",
)
READERS = (
    "verify doc.json --unsigned",
    "verify receipt.json SIGNED --contract doc.json",
    "verify receipt.json SIGNED --manifest doc.json",
    "verify receipt.json SIGNED --artifact doc.json",
    "inspect doc.json",
    "inspect doc.json --json",
    "admit doc.json",
    "admit doc.json --json",
    "sign doc.json --key {}.pem",
    "manifest diff doc.json doc.json",
    "manifest verify doc.json --root work",
    "build --root work --task t --agent a --claim c=t --evidence doc.json --out x",
    "build --root work --task t --agent a --contract doc.json --out x",
)


@pytest.mark.parametrize("document", JSON, ids=range(len(JSON)))
def test_hostile_words_in_a_document(cli: Cli, place: Path, document: object) -> None:
    for word in WORDS.values():
        quoted = json.dumps(word.encode("utf-8", "replace").decode())[1:-1]
        for text in (json.dumps(document).replace("{}", quoted), word):
            Path("doc.json").write_text(text, errors="surrogateescape")
            for line in READERS:
                check(cli(*arguments(line, "worker")))


def test_lines_of_another_kind_are_noted_with_an_escaped_name(cli: Cli, place: Path) -> None:
    line = json.dumps(json.loads(Path("receipt.json").read_text()))
    for word in WORDS.values():
        Path(word).write_text(f"{line}\n{{}}\n")
        ended = cli("verify", word, *SIGNED)
        assert "1 line(s) of another kind were skipped" in ended.err
        check(ended)
