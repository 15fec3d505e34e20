"""`trust check` from the command line: text, JSON, exit codes."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from in_toto_done_receipt.cli import main
from in_toto_done_receipt.wire.digests import sha256_hex
from testdata.receipts import generate
from tests.forge.sigstore import Forge

FILE = """
version = 1
threshold = 2

[[key]]
name = "worker"
path = "worker.pub"
agents = ["worker-agent"]

[[identity]]
name = "ci"
subjectRegexp = 'https://github.com/acme/tool/\\.github/workflows/[a-z]+\\.yml@refs/heads/main'
issuer = "https://token.actions.githubusercontent.com"
claims = { sourceRepositoryURI = "https://github.com/acme/tool" }
timestamp = true

[sigstore]
trustedRoot = "root.json"
"""


@pytest.fixture
def trust(tmp_path: Path) -> Path:
    (tmp_path / "worker.pub").write_text(generate.public_pem("worker"))
    (tmp_path / "root.json").write_text(json.dumps(Forge.of().trusted_root()))
    file = tmp_path / "trust.toml"
    file.write_text(FILE)
    return file


def check(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    code = main.run(["trust", "check", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_text_says_whom_it_lets_in_and_warns(trust: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = check(capsys, trust)
    assert (code, err) == (0, "")
    for line in (
        "trust file is valid: 1 key(s), 1 identity(ies), threshold 2",
        'key "worker": principal "worker"',
        '  only for  agent "worker-agent"',
        'identity "ci": principal "ci"',
        "  demands   issuer is https://token.actions.githubusercontent.com",
        "  demands   sourceRepositoryURI is https://github.com/acme/tool",
        "  demands   a timestamp by an authority of the trusted root",
        'threshold met by "ci" + "worker"',
        'warning: identity "ci": subjectRegexp has a dot that is not escaped: it stands for any character',
    ):
        assert line in out.splitlines()


def test_json_says_the_same(trust: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = check(capsys, trust, "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["met"] == {"by": [["ci", "worker"]], "complete": True}
    assert facts["keys"][0]["onlyFor"] == ['agent "worker-agent"']
    assert facts["identities"][0]["demands"][0] == "issuer is https://token.actions.githubusercontent.com"
    assert facts["root"]["pinned"] is False
    assert facts["root"]["age"] > 0
    assert any("a dot that is not escaped" in line for line in facts["warnings"])


def test_a_threshold_that_nobody_can_meet_is_a_warning(trust: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trust.write_text(FILE.replace("timestamp = true", 'agents = ["another"]'))
    code, out, _ = check(capsys, trust)
    assert code == 0
    assert "warning: threshold is 2: what is signed now cannot meet it" in out


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("threshold = 2", "threshold = 3", "threshold is 3, with 2 principal(s)"),
        ("sourceRepositoryURI", "sourceRepository", "did you mean sourceRepositoryURI?"),
        ('"root.json"', '"worker.pub"', "trusted root"),
    ],
)
def test_a_file_that_verify_would_refuse_is_refused(
    trust: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    trust.write_text(FILE.replace(old, new))
    code, out, err = check(capsys, trust)
    assert (code, out) == (4, "")
    assert message in err


def test_the_page_shows_what_the_command_says(trust: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "trust-file.md").read_text(encoding="utf-8")
    file, shown = (page.partition(start)[2].partition("```")[0] for start in (ROOT_SECTION, CHECK_SECTION))
    root = trust.with_name("root.json").read_bytes()
    obtained = datetime.now(UTC) - timedelta(days=29, seconds=9)
    trust.with_name("trusted_root.json").write_bytes(root)
    trust.write_text(
        file.replace("0" * 64, sha256_hex(root)).replace("2026-11-01T00:00:00Z", f"{obtained:%Y-%m-%dT%H:%M:%SZ}")
    )
    code, out, _ = check(capsys, trust)
    assert (code, out) == (0, shown.replace("…", sha256_hex(root)))


ROOT_SECTION = "## [sigstore]: the trusted root\n\n```toml\n"
CHECK_SECTION = "```console\n$ done-receipt trust check trust.toml\n"
