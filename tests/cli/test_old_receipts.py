"""`verify --as`, `recompute --as`, `import`, `export`, `inspect`: old receipts on the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from testdata.agent_receipt import build
from testdata.agent_receipt.build import Json, receipt, written

Cli = Callable[..., Any]
DATA = b"# Report\nPASS\n"  # as the fixture `work` has it
AT = ("--at", "2026-11-30T13:00:00Z")
AS = ("verify", "--as", "agent-receipt")


@pytest.fixture
def old(tmp_path: Path, work: Path) -> Callable[[Json], Path]:
    """Writes an old receipt beside the work."""

    def write(tree: Json) -> Path:
        path = tmp_path / "receipt.json"
        path.write_bytes(written(tree))
        return path

    return write


def honest() -> Json:
    return receipt(build.hashed("report.md", DATA), build.text("report.md", "PASS", DATA))


def test_the_main_flow_unsigned_with_its_warning(cli: Cli, work: Path, old: Callable[[Json], Path]) -> None:
    done = cli(*AS, old(honest()), "--unsigned", "--root", work, *AT, "--json")
    assert done.code == 0
    found = json.loads(done.out)
    assert [warning["code"] for warning in found["decision"]["warnings"]] == [
        "signature.unsigned",
        "contract.held",
        "profile.backdated",
    ]
    assert found["result"]["assurance"] == "fully_rechecked"
    assert found["result"]["input"]["mediaType"] == "application/vnd.agent-receipt.v1+json"
    states = [(item["state"], item["reason"]) for item in found["result"]["claims"][0]["evidence"]]
    assert states == [("confirmed", "evidence-file.confirmed"), ("confirmed", "evidence-text.confirmed")]
    assert found["result"]["run"]["finishedOn"] == "2026-11-30T12:00:00.123456Z"


def test_its_own_spellings_of_the_flags(cli: Cli, work: Path, old: Callable[[Json], Path]) -> None:
    assert cli(*AS, old(honest()), "--unsigned", "--recheck", "--recheck-root", work, *AT).code == 0


def test_a_trusted_key_without_a_root(cli: Cli, tmp_path: Path, old: Callable[[Json], Path]) -> None:
    (tmp_path / "w.pub").write_bytes(build.public_pem("worker"))
    (tmp_path / "o.pub").write_bytes(build.public_pem("other"))
    path = old(build.sign(honest(), "worker", label="any label"))
    reported = ("--minimum-assurance", "reported", *AT)
    done = cli(*AS, path, "--trusted-key", f"w={tmp_path / 'w.pub'}", *reported, "--json")
    assert done.code == 0
    assert json.loads(done.out)["result"]["attesterNames"] == ["w"]
    assert cli(*AS, path, "--trusted-key", f"o={tmp_path / 'o.pub'}", *reported).code == 10
    assert cli(*AS, path, "--trusted-key", f"w={tmp_path / 'w.pub'}", *AT).code == 12  # nothing was looked at
    changed = {**json.loads(path.read_bytes()), "task": "another"}
    assert cli(*AS, old(changed), "--trusted-key", f"w={tmp_path / 'w.pub'}", *reported).code == 10
    assert cli(*AS, old(honest()), "--trusted-key", f"w={tmp_path / 'w.pub'}", *reported).code == 10  # unsigned


def test_a_key_of_another_algorithm_never_counts(cli: Cli, tmp_path: Path, old: Callable[[Json], Path]) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    public = ec.generate_private_key(ec.SECP256R1()).public_key()
    (tmp_path / "p.pub").write_bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    path = old(build.sign(honest(), "worker"))
    assert cli(*AS, path, "--trusted-key", f"p={tmp_path / 'p.pub'}", "--minimum-assurance", "reported").code == 10


def test_the_context_flags(cli: Cli, work: Path, old: Callable[[Json], Path]) -> None:
    context = {"packet_digest": "a" * 64, "input_commit": "b" * 40, "output_manifest_digest": "c" * 64}
    path = old(receipt(build.hashed("report.md", DATA), context=context))
    flags = ["--packet-digest", "a" * 64, "--input-commit", "b" * 40, "--output-manifest-digest", "c" * 64]
    reported = ("--unsigned", "--minimum-assurance", "reported", *AT)
    assert cli(*AS, path, *flags, *reported).code == 0
    assert cli(*AS, path, "--packet-digest", "d" * 64, *flags[2:], *reported).code == 11
    assert cli(*AS, old(honest()), *flags, *reported).code == 11


def test_a_path_in_another_spelling_is_a_warning_and_refused_on_request(
    cli: Cli, work: Path, old: Callable[[Json], Path]
) -> None:
    path = old(receipt(build.hashed(".//report.md", DATA)))
    done = cli(*AS, path, "--unsigned", "--root", work, *AT)
    assert done.code == 0
    assert ".//report.md is report.md in another spelling" in done.out.replace("\n    | ", " ")
    assert cli(*AS, path, "--unsigned", "--root", work, *AT, "--canonical-paths").code == 12
    assert cli("verify", path, "--unsigned", "--canonical-paths").code == 2


def test_a_manifest_in_the_root_is_not_part_of_itself(cli: Cli, work: Path, old: Callable[[Json], Path]) -> None:
    digest = cli("manifest", "create", "--root", work).out.split()[0]
    context = {"packet_digest": "a" * 64, "input_commit": "b" * 40, "output_manifest_digest": digest}
    (work / "receipt.json").write_bytes(written(receipt(build.hashed("report.md", DATA), context=context)))
    assert cli(*AS, work / "receipt.json", "--unsigned", "--root", work, *AT).code == 0
    (work / "extra").write_text("x")
    assert cli(*AS, work / "receipt.json", "--unsigned", "--root", work, *AT).code == 11


def test_recompute_and_admit_in_two_jobs(cli: Cli, tmp_path: Path, work: Path, old: Callable[[Json], Path]) -> None:
    out = tmp_path / "result.json"
    flags = ("--unsigned", "--root", work, *AT, "--out", out)
    assert cli("recompute", "--as", "agent-receipt", old(honest()), *flags).code == 0
    assert cli("admit", out, "--unsigned").code == 0


def test_an_output_manifest_is_never_an_admission(cli: Cli, tmp_path: Path, work: Path) -> None:
    out = tmp_path / "m.json"
    assert cli("manifest", "create", "--root", work, "--out", out).code == 0
    flags = ("--as", "output-manifest", out, "--unsigned", "--root", work)
    done = cli("verify", *flags, "--json")
    assert done.code == 12
    assert json.loads(done.out)["result"]["verdict"]["checked"] is False
    assert cli("recompute", *flags).code == 0
    (work / "extra").write_text("x")
    done = cli("recompute", *flags)
    assert done.code == 11
    assert "extra is not in the manifest" in done.out


def test_import_is_unsigned_and_its_origin_is_a_warning(
    cli: Cli, tmp_path: Path, work: Path, old: Callable[[Json], Path]
) -> None:
    out, key, signed = tmp_path / "s.json", tmp_path / "k", tmp_path / "e.json"
    assert cli("import", "agent-receipt", old(honest()), "--out", out).code == 0
    assert cli("verify", out, "--trusted-key", f"k={key}.pub", "--root", work).code in (3, 4)
    assert cli("keygen", "--out", key).code == 0
    assert cli("sign", out, "--key", f"{key}.pem", "--out", signed).code == 0
    done = cli("verify", signed, "--trusted-key", f"k={key}.pub", "--root", work, *AT, "--json")
    assert done.code == 0
    found = json.loads(done.out)
    assert "statement.imported" in {
        finding["reason"] for check in found["result"]["checks"] for finding in check["findings"]
    }
    assert any("attests the import, not the run" in warning["message"] for warning in found["decision"]["warnings"])


def test_import_names_the_member_that_the_new_form_cannot_say(cli: Cli, old: Callable[[Json], Path]) -> None:
    done = cli("import", "agent-receipt", old(receipt(build.exists("report.md"), agent="a\u2029b")))
    assert done.code == 3
    assert "/agent: the new form cannot say it" in done.err
    assert done.out == ""


def test_a_manifest_needs_no_import(cli: Cli, tmp_path: Path, work: Path) -> None:
    out = tmp_path / "m.json"
    cli("manifest", "create", "--root", work, "--out", out)
    done = cli("import", "output-manifest", out)
    assert done.code == 2
    assert "same format" in done.err


def test_export_of_what_build_makes_is_read_back(cli: Cli, tmp_path: Path, work: Path) -> None:
    statement, back = tmp_path / "s.json", tmp_path / "old.json"
    commands = [flag for n in range(5) for flag in ("--command", f"r=/bin/echo {n}")]
    built = cli(
        "build",
        "--root",
        work,
        "--task",
        "t",
        "--agent",
        "a",
        "--claim",
        "r=x",
        "--file-hash",
        "r=report.md",
        "--file-exists",
        "r=report.md",
        "--text-contains",
        "r=report.md::PASS",
        *commands,
        "--out",
        statement,
    )
    assert built.code == 0
    assert cli("export", "agent-receipt", statement, "--out", back).code == 0
    done = cli(*AS, back, "--unsigned", "--root", work, "--minimum-assurance", "partially_rechecked")
    assert done.code == 0
    assert cli("export", "output-manifest", statement).code == 2


def test_inspect_says_what_it_says(cli: Cli, old: Callable[[Json], Path]) -> None:
    done = cli("inspect", old(honest()))
    assert done.code == 0
    assert "agent-receipt/v1" in done.out
    assert all(line.startswith(("file ", "nothing below", "receipt says: ")) for line in done.out.splitlines())


STRINGS = [
    ("agent",),
    ("task",),
    ("created_at",),
    ("content_digest",),
    ("schema",),
    ("claims", 0, "id"),
    ("claims", 0, "statement"),
    ("claims", 0, "evidence", 0, "kind"),
    ("claims", 0, "evidence", 0, "detail", "path"),
    ("claims", 0, "evidence", 0, "observed", "sha256"),
    ("claims", 0, "evidence", 1, "detail", "literal"),
    ("signatures", 0, "key_id"),
    ("signatures", 0, "signature"),
]


@pytest.mark.parametrize("command", ["verify", "import", "inspect"])
@pytest.mark.parametrize("place", STRINGS, ids=lambda place: "-".join(map(str, place)))
def test_no_escape_reaches_a_terminal(
    cli: Cli, command: str, place: tuple[Any, ...], old: Callable[[Json], Path]
) -> None:
    tree: Any = build.sign(honest(), "worker")
    node = tree
    for step in place[:-1]:
        node = node[step]
    node[place[-1]] = "\x1b]0;title\x07\u202e\n::error::x"
    flags = {"verify": [*AS, "--unsigned"], "import": ["import", "agent-receipt"], "inspect": ["inspect"]}
    for form in ((), ("--json",)):
        done = cli(*flags[command], old(tree), *form)
        assert done.code == 3
        for character in ("\x1b", "\x07", "\u202e"):
            assert character not in done.out + done.err
        assert not any(line.lstrip().startswith("::") for line in (done.out + done.err).splitlines())
