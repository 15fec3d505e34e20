"""Writes the case directories: python testdata/agent_receipt/generate.py [FOLDER].

Each is one line of docs/reference/agent-receipt-differences.md: receipt.json, workspace/, README.md and expected.json
with `list` (same, stricter, wider), `line` (as on the page), `arguments` of `done-receipt verify --as agent-receipt`,
`exitCode`, `reasons` that the result has, `codes` by which the differential test knows this difference, and
`original`: what `agent-receipt verify` says of it. A case of a manifest has a `recipe` instead: its files are made
when the test runs. What is expected is written here by hand, never by running.
"""

import json
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from testdata.agent_receipt import build
from testdata.agent_receipt.build import REPORT, WORK, Json, receipt

AT = "2026-11-30T13:00:00Z"
UNSIGNED = ["--unsigned", "--at", AT]
ROOT = ["--root", "workspace"]
REPORTED = ["--minimum-assurance", "reported"]
DATA = REPORT.encode()
CONTEXT = {"packet_digest": "a" * 64, "input_commit": "b" * 40, "output_manifest_digest": "c" * 64}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case directory. `links` are symbolic links: name -> where it leads."""

    kind: str
    line: str
    tree: Json | None = None
    raw: bytes | None = None
    recipe: Json | None = None
    files: dict[str, bytes] = field(default_factory=lambda: dict(WORK))
    links: dict[str, str] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=lambda: [*UNSIGNED, *ROOT])
    exit_code: int = 11
    reasons: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    original: bool = True


def honest() -> Json:
    return receipt(
        build.exists("report.md"), build.hashed("src/a.py", WORK["src/a.py"]), build.text("report.md", "PASS", DATA)
    )


def failed_hash() -> Json:
    return build.hashed("report.md", DATA, expect="0" * 64)


def with_bytes(item: Json, size: int) -> Json:
    return {**item, "observed": {**item["observed"], "bytes": size}}


def special() -> Json:
    item = build.exists("run.sock", must_be_file=False)
    return {**item, "observed": {"exists": True, "is_file": False, "is_dir": False}}


def stray_bits() -> Json:
    tree = build.sign(honest(), "worker")
    entry = tree["signatures"][0]
    last = "AQgw".index(entry["signature"][85])
    entry["signature"] = entry["signature"][:85] + "BRhx"[last] + "=="
    return tree


CASES: dict[str, Case] = {
    "honest": Case(kind="same", line="an honest receipt is admitted by both", tree=honest(), exit_code=0),
    "signed": Case(
        kind="same",
        line="a signature by a trusted key counts under any label, as the original documents its labels",
        tree=build.sign(honest(), "worker", label="worker-2026"),
        arguments=["--trusted-key", "worker-2026=../keys/worker.pub", "--at", AT, *REPORTED],
        exit_code=0,
    ),
    "changed": Case(
        kind="same",
        line="a file that changed is found by both",
        tree=receipt(build.hashed("report.md", b"# Report\nSTATUS: FAIL\n")),
        reasons=["evidence-file.differs", "subjects.differs"],
        original=False,
    ),
    "expected_hash": Case(
        kind="stricter",
        line="an expected hash that was not met stays not met: `overall_ok` has to be what the items come to",
        tree=receipt(failed_hash(), overall_ok=True),
        reasons=["statement.overall_ok", "statement.passed"],
        codes=["statement.overall_ok", "statement.passed"],
    ),
    "hash_without_hash": Case(
        kind="stricter",
        line="an item that could not be looked at stays that, also when the file is there now",
        tree=receipt(build.failed(build.hashed("report.md", DATA), "x"), overall_ok=True),
        reasons=["evidence-file.now_readable", "statement.passed"],
        codes=["evidence-file.now_readable", "evidence-text.now_readable"],
    ),
    "observed_bytes": Case(
        kind="stricter",
        line="the observed size of a file is compared, also of one in which a text was found",
        tree=receipt(with_bytes(build.hashed("report.md", DATA), 1)),
        reasons=["evidence-file.differs"],
        codes=["evidence-file.differs", "evidence-text.differs"],
    ),
    "observed_type": Case(
        kind="stricter",
        line="what stood at a path is compared: a file is not a directory, and what was not there is not there now",
        tree=receipt(build.exists("src", must_be_file=False), build.text("report.md", "PASS", DATA)),
        reasons=["evidence-path.differs"],
        codes=["evidence-path.differs"],
    ),
    "existence_alone": Case(
        kind="stricter",
        line="that a name exists raises no assurance",
        tree=receipt(build.exists("report.md")),
        exit_code=12,
        reasons=["evidence-path.confirmed"],
        codes=["assurance.minimum"],
    ),
    "special_file": Case(
        kind="stricter",
        line="a socket, a FIFO or a device is no file and no directory, so its existence is not ok",
        tree=receipt(special()),
        arguments=[*UNSIGNED, *REPORTED],
        reasons=["statement.evidence_ok"],
        codes=["statement.evidence_ok"],
    ),
    "symbolic_link": Case(
        kind="stricter",
        line="no symbolic link is followed, also not inside of the root",
        tree=receipt(build.hashed("link.md", DATA)),
        links={"link.md": "report.md"},
        reasons=["evidence-file.not_a_file", "subjects.not_a_file"],
        codes=["evidence-file.not_a_file", "evidence-text.not_a_file", "subjects.not_a_file"],
    ),
    "not_utf8": Case(
        kind="stricter",
        line="a text is looked for in strict UTF-8; the original puts U+FFFD for what is none, and finds that",
        tree=receipt(build.text("latin.txt", "caf\ufffd", b"caf\xe9\n")),
        files=WORK | {"latin.txt": b"caf\xe9\n"},
        exit_code=12,
        reasons=["evidence-text.unreadable"],
        codes=["evidence-text.unreadable"],
    ),
    "context_manifest": Case(
        kind="stricter",
        line="the output manifest that the context names is a subject: with `--root` it is computed again",
        tree=receipt(build.hashed("report.md", DATA), context=CONTEXT),
        reasons=["output-manifest.differs", "subjects.differs"],
        codes=["output-manifest.differs", "output-manifest.refused", "subjects.differs"],
    ),
    "two_digests": Case(
        kind="stricter",
        line="one file has one digest in a receipt",
        tree=receipt(build.hashed("report.md", DATA), build.hashed("./report.md", b"other")),
        arguments=[*UNSIGNED, *REPORTED],
        reasons=["statement.digest_conflict", "statement.path_spelling"],
        codes=["statement.digest_conflict"],
    ),
    "in_future": Case(
        kind="stricter",
        line="a receipt is not from the future, beyond a tolerance of 300 s",
        tree=receipt(build.text("report.md", "PASS", DATA), created_at="2999-01-01"),
        exit_code=12,
        reasons=["freshness.in_future"],
        codes=["freshness.in_future"],
    ),
    "time_out_of_range": Case(
        kind="stricter",
        line="`created_at` lies in the years 1 to 9999 in UTC; without a zone it is taken for UTC",
        tree=receipt(build.text("report.md", "PASS", DATA), created_at="0001-01-01T00:00:00+14:00"),
        exit_code=3,
        codes=["malformed:statement.format:/created_at"],
    ),
    "large_integer": Case(
        kind="stricter",
        line="an integer lies within 2^53-1, the only ones that every reader of JSON reads alike",
        tree=receipt(build.command(["/bin/true"], expect=2**60, code=2**60), build.text("report.md", "PASS", DATA)),
        arguments=[*UNSIGNED, *REPORTED],
        exit_code=3,
        codes=["malformed:json:integer"],
    ),
    "format_character": Case(
        kind="stricter",
        line="control and format characters are those of Unicode 16, not those of the Python that runs",
        tree=receipt(build.text("report.md", "PASS", DATA), task="write \U0001343f report"),
        exit_code=3,
        codes=["malformed:statement.format:/task"],
    ),
    "signature_bits": Case(
        kind="stricter",
        line="a signature is canonical base64, without bits that no reader looks at",
        tree=stray_bits(),
        arguments=[*UNSIGNED, *ROOT],
        exit_code=3,
        codes=["malformed:statement.format:/signatures"],
    ),
    "root_path": Case(
        kind="stricter",
        line="a path names something below the root, and `./` does not",
        tree=receipt(build.exists("./", must_be_file=False, is_file=False), build.text("report.md", "PASS", DATA)),
        arguments=[*UNSIGNED, *REPORTED],
        exit_code=3,
        codes=["malformed:statement.format:/detail/path"],
    ),
    "command_sandbox": Case(
        kind="stricter",
        line="each command runs in a copy of the root, in the sandbox: what one leaves behind no other finds",
        tree=receipt(build.command(["/usr/bin/touch", "made"]), build.command(["/usr/bin/test", "-e", "made"])),
        arguments=[
            *UNSIGNED,
            *ROOT,
            "--recheck-commands",
            "--allow-command",
            "/usr/bin/touch made",
            "--allow-command",
            "/usr/bin/test -e made",
        ],
        reasons=["evidence-command.differs"],
        codes=["evidence-command.differs", "evidence-command.not_run", "evidence-command.untrusted_executable"],
    ),
    "manifest_files": Case(
        kind="wider", line="files of a manifest: 10,000 there, 1,000,000 here", recipe={"files": 10_001}
    ),
    "manifest_entries": Case(
        kind="wider", line="entries of a tree: 20,000 there, 1,000,000 here", recipe={"folders": 20_001}
    ),
    "manifest_path": Case(kind="wider", line="bytes of a path: 1,024 there, 4,096 here", recipe={"path": 1_025}),
    "manifest_file_bytes": Case(
        kind="wider", line="bytes of one file: 64 MiB there, 1 TiB here", recipe={"sizes": [2**26 + 1]}
    ),
    "manifest_total_bytes": Case(
        kind="wider", line="bytes of all files: 1 GiB there, 16 TiB here", recipe={"sizes": [2**26] * 17}
    ),
    "manifest_bytes": Case(
        kind="wider", line="bytes of the manifest file: 16 MiB there, 512 MiB here", recipe={"blanks": 2**24}
    ),
    "manifest_names": Case(
        kind="wider",
        line="bytes of a name: UTF-8 there, any here (one that is not UTF-8 is written `\\xNN`)",
        recipe={"name": "ff"},
    ),
}


def write(folder: Path) -> None:
    """All case directories below the folder."""
    (folder / "keys").mkdir(parents=True, exist_ok=True)
    (folder / "keys" / "worker.pub").write_bytes(build.public_pem("worker"))
    for name, case in CASES.items():
        target = folder / name
        target.mkdir(exist_ok=True)
        if case.tree is not None:
            (target / "receipt.json").write_bytes(build.written(case.tree))
            _workspace(target / "workspace", case)
        (target / "expected.json").write_text(json.dumps(_expected(case), indent=1, ensure_ascii=False) + "\n")
        (target / "README.md").write_text(f"# {name}\n\n{case.line[:1].upper()}{case.line[1:]}.\n")


def _workspace(target: Path, case: Case) -> None:
    for path, data in case.files.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_bytes(data)
    for path, leads_to in case.links.items():
        (target / path).unlink(missing_ok=True)
        (target / path).symlink_to(leads_to)


def _expected(case: Case) -> dict[str, Any]:
    common: dict[str, Any] = {"list": case.kind, "line": case.line}
    if case.recipe is not None:
        return common | {"recipe": case.recipe}
    return common | {
        "arguments": case.arguments,
        "exitCode": case.exit_code,
        "reasons": case.reasons,
        "codes": case.codes,
        "original": case.original,
    }


if __name__ == "__main__":
    here = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for old in here.glob("*/expected.json"):
        shutil.rmtree(old.parent)
    write(here)
