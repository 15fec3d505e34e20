"""What the documentation shows is what happens: README's transcript, the tutorial line by line, every example.

In a `console` block a line with `$ ` is typed, one with `> ` goes on with it, the rest is shown. In what is shown `…`
stands for anything within a line, and alone on a line for any lines.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
import msgspec
import pytest

from in_toto_done_receipt.admission.engines import open_engine
from in_toto_done_receipt.cli.main import COMMANDS, group
from in_toto_done_receipt.cli.options import format_option
from in_toto_done_receipt.cli.outputs import FORMATS
from in_toto_done_receipt.cli.signing import signing_options
from in_toto_done_receipt.cli.verify_options import engine_options, profile_options
from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.pipeline import decide_on
from in_toto_done_receipt.profile.lint import THREATS
from in_toto_done_receipt.profile.load import load_profile
from in_toto_done_receipt.profile.model import (
    AgentDemand,
    ChangeDemand,
    CommandEntry,
    ContractDemand,
    EvidenceDemand,
    ExceptionEntry,
    FreshnessDemand,
    Profile,
    SandboxDemand,
    SourceDemand,
    UsageDemand,
)
from in_toto_done_receipt.profile.model import (
    TestsDemand as DemandOfTests,
)
from in_toto_done_receipt.profile.settings import OVERRIDES, Settings
from in_toto_done_receipt.profile.union import from_profiles
from in_toto_done_receipt.recompute.checks.registry import DOCUMENT_ORDER
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.results.reasons import REASONS
from in_toto_done_receipt.trust.entries import IdentityEntry, KeyEntry, SigstoreEntry, TrustFile
from in_toto_done_receipt.trust.file import load_trust
from in_toto_done_receipt.trust.flags import CLAIM_FLAGS
from in_toto_done_receipt.trust.identity import CLAIM_NAMES
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.record import Record
from testdata.receipts import generate

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
HONEST = ROOT / "testdata" / "receipts" / "honest"
END = "__END__"
EXIT_CODES: Final = {"malformed": "3", "untrusted": "10", "refuted": "11", "denied": "12", "neutral": "\N{EN DASH}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command as typed, and what the page shows of its output."""

    typed: str
    shown: tuple[str, ...]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def steps(page: Path) -> list[Step]:
    found: list[tuple[list[str], list[str]]] = []
    for line in "".join(blocks(page, "console")).splitlines():
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif (line == ">" or line.startswith("> ")) and not found[-1][1]:
            found[-1][0].append(line[2:])
        else:
            found[-1][1].append(line)
    return [Step(typed="\n".join(typed), shown=tuple(shown)) for typed, shown in found]


def pattern(shown: tuple[str, ...]) -> str:
    lines = [r"(?:[^\n]*\n)*?" if line == "…" else _line(line) for line in shown]
    return "".join(lines)


def _line(line: str) -> str:
    return r"[^\n]*?".join(map(re.escape, line.split("…"))) + r"\n"


def transcript(outputs: list[str], wanted: list[Step]) -> Iterator[str]:
    for step, output in zip(wanted, outputs, strict=True):
        text = output.rstrip("\n") + "\n" if output.strip() else ""
        if re.fullmatch(pattern(step.shown), text) is None:
            yield f"$ {step.typed}\n--- shown\n" + "\n".join(step.shown) + f"\n--- printed\n{text}"


@pytest.fixture(scope="session")
def bin_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `done-receipt` in it, for PATH."""
    folder = tmp_path_factory.mktemp("bin")
    command = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -m in_toto_done_receipt "$@"\n'
    (folder / "done-receipt").write_text(command)
    (folder / "done-receipt").chmod(0o755)
    return folder


def typed_in(folder: Path, bin_folder: Path, wanted: list[Step]) -> list[str]:
    """What each command prints, on both streams, in one shell."""
    after = f"\n__code=$?; echo; echo {END}; (exit $__code)\n"
    script = "exec 2>&1 </dev/null\n" + "".join(step.typed + after for step in wanted)
    environment = os.environ | {"PATH": f"{bin_folder}{os.pathsep}/usr/bin{os.pathsep}/bin", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, check=False)
    return done.stdout.decode().split(f"\n{END}\n")[:-1]


@pytest.fixture(scope="session")
def bubblewrap() -> None:
    level = probe().level
    if level != "bubblewrap":
        reason = f"needs bubblewrap, this machine's sandbox is {level}"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


def test_the_tutorial_does_what_it_shows(tmp_path: Path, bin_folder: Path, bubblewrap: None) -> None:
    wanted = steps(DOCS / "tutorial.md")
    assert len(wanted) > 40
    assert "\n".join(transcript(typed_in(tmp_path, bin_folder, wanted), wanted)) == ""


def test_the_readme_shows_what_the_demo_prints(tmp_path: Path, bin_folder: Path, bubblewrap: None) -> None:
    (shown,) = blocks(ROOT / "README.md", "text")
    (printed,) = typed_in(tmp_path, bin_folder, [Step(typed="done-receipt demo", shown=())])
    wanted = pattern(("…", *shown.splitlines(), "…"))
    assert re.fullmatch(wanted, printed + "\n"), printed


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the honest receipt, its work, and a gate that trusts its signer; the current directory."""
    shutil.copytree(HONEST / "workspace", tmp_path / "work")
    shutil.copy(HONEST / "receipt.json", tmp_path / "receipt.json")
    gate = tmp_path / "gate"
    gate.mkdir()
    (gate / "worker.pub").write_text(generate.public_pem("worker"))
    (gate / "trust.toml").write_text('version = 1\n[[key]]\nname = "worker"\npath = "worker.pub"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_python(page: Path) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "example"}
    for code in blocks(page, "python"):
        exec(compile(code, str(page), "exec"), names)  # noqa: S102 - it is our own documentation
    return names


def test_the_host_pipeline_gets_a_result_and_a_decision(host: Path) -> None:
    names = run_python(DOCS / "how-to" / "host-pipeline.md")
    assert names["result"].assurance == "fully_rechecked"
    assert names["result"].attester_names == ("worker",)
    assert names["outcome"].result.summary == names["result"].summary


def test_the_host_pipeline_is_ten_lines() -> None:
    code = blocks(DOCS / "how-to" / "host-pipeline.md", "python")[0]
    statements = [line for line in code.splitlines() if line and not line.startswith(("import ", "from "))]
    assert len(statements) <= 10


def test_the_handler_page_shows_a_handler_that_works(host: Path) -> None:
    names = run_python(DOCS / "how-to" / "write-a-handler.md")
    statement = generate.base() | {"predicateType": "https://example.com/review/v1", "predicate": {"approved": True}}
    envelope = generate.pretty(generate.envelope(generate.payload_of(statement))).encode()
    trust = load_trust(Path("gate/trust.toml").read_bytes(), base=Path("gate"), read=Path.read_bytes)
    settings = Settings(predicate_types=("https://example.com/review/v1",))
    context = RecomputeContext(evaluated_at=datetime(2026, 11, 30, tzinfo=UTC), settings=settings)
    result = names["HANDLER"].verify(envelope, trust, context)
    assert [check.id for check in result.checks if check.status == "pass"] == ["signature", "acme-review"]
    decision = decide_on(result, settings, open_engine("embedded"))
    assert not decision.allow
    assert "verdict.passed" in {code.code for code in decision.waiting}


PROFILE_PAGE = DOCS / "reference" / "profile.md"
SECTIONS: Final[dict[str, type[Record]]] = {
    "evidence": EvidenceDemand,
    "command": CommandEntry,
    "tests": DemandOfTests,
    "contract": ContractDemand,
    "change": ChangeDemand,
    "source": SourceDemand,
    "exception": ExceptionEntry,
    "sandbox": SandboxDemand,
    "freshness": FreshnessDemand,
    "agent": AgentDemand,
    "usage": UsageDemand,
}


@pytest.mark.parametrize("example", blocks(PROFILE_PAGE, "toml"))
def test_every_example_of_the_profile_page_is_a_profile(example: str) -> None:
    from_profiles({"example": load_profile(example.encode(), what="example")})


def test_the_examples_of_the_profile_page_set_every_key() -> None:
    shown = [tomllib.loads(example) for example in blocks(PROFILE_PAGE, "toml")]
    assert {key for tree in shown for key in tree} == set(keys_of(Profile))
    for section, record in SECTIONS.items():
        found = [tree[section] for tree in shown if section in tree]
        entries = [entry for one in found for entry in (one if isinstance(one, list) else [one])]
        assert {key for entry in entries for key in entry} == set(keys_of(record)), section


def test_the_profile_page_has_a_row_for_every_key_of_a_section() -> None:
    text = PROFILE_PAGE.read_text(encoding="utf-8")
    by_example = ("usage", "agent")  # what they mean stands in a sentence
    keys = {key for section, record in SECTIONS.items() if section not in by_example for key in keys_of(record)}
    rows = {
        name
        for line in text.splitlines()
        if line.startswith("| `")
        for name in re.findall("`([^`]+)`", line.split("|")[1])
    }
    assert keys - rows == set()


def test_the_profile_page_lists_the_threats_that_lint_knows() -> None:
    text = PROFILE_PAGE.read_text(encoding="utf-8")
    rows = [f"| {threat.number} | {threat.what} | " for threat in THREATS]
    assert [row for row in rows if row not in text] == []


def test_the_profile_page_names_every_override() -> None:
    text = PROFILE_PAGE.read_text(encoding="utf-8")
    assert [name for name in OVERRIDES if f"`{name}`" not in text] == []


TRUST_PAGE = DOCS / "reference" / "trust-file.md"


def trusted_root() -> bytes:
    entry = {"publicKey": {"validFor": {"start": "2026-01-01T00:00:00Z"}}}
    tree = {
        "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
        "tlogs": [entry],
        "certificateAuthorities": [{"validFor": {"start": "2026-01-01T00:00:00Z"}}],
        "ctlogs": [entry],
    }
    return json.dumps(tree).encode()


@pytest.mark.parametrize("example", blocks(TRUST_PAGE, "toml"))
def test_every_example_of_the_trust_page_is_a_trust_file(example: str) -> None:
    root = trusted_root()
    keys: dict[Path, bytes] = {}

    def read(path: Path) -> bytes:
        """The root, or a public key of its own for each path."""
        return root if path.suffix != ".pub" else keys.setdefault(path, generate.public_pem(f"key {path}").encode())

    text = example.replace("0" * 64, sha256_hex(root))
    load_trust(text.encode(), base=Path(), read=read)


def test_the_examples_of_the_trust_page_set_every_key() -> None:
    trees = [tomllib.loads(example) for example in blocks(TRUST_PAGE, "toml")]
    assert {key for tree in trees for key in tree} == set(keys_of(TrustFile))
    for section, record in (("key", KeyEntry), ("identity", IdentityEntry), ("sigstore", SigstoreEntry)):
        found = [tree[section] for tree in trees if section in tree]
        entries = [entry for one in found for entry in (one if isinstance(one, list) else [one])]
        assert {key for entry in entries for key in entry} == set(keys_of(record)), section


def test_the_trust_page_lists_exactly_the_claims() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", TRUST_PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {int(number): name for name, number in rows} == dict(CLAIM_NAMES)


def test_the_trust_page_lists_exactly_the_flags_for_claims() -> None:
    text = TRUST_PAGE.read_text(encoding="utf-8").partition("## The same by flags")[2]
    rows = re.findall(r"^\| `claims\.(\w+)` \| `(--[a-z-]+)` \|", text, re.MULTILINE)
    assert {flag: claim for claim, flag in rows} == dict(CLAIM_FLAGS)


def keys_of(record: type[Record]) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(record)]


def test_the_command_page_lists_exactly_the_commands() -> None:
    text = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    text = text.partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z]\S*)` \|", text, re.MULTILINE) == list(COMMANDS)


def test_the_command_page_lists_exactly_the_formats() -> None:
    text = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    section = text.partition("## Formats\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE) == list(FORMATS)


def test_the_command_page_lists_every_flag_of_evidence() -> None:
    text = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    section = text.partition("## Evidence\n")[2].partition("\n## ")[0]
    rows = [
        flag for row in re.findall(r"^\| `--.*", section, re.MULTILINE) for flag in re.findall(r"`(--[a-z-]+)", row)
    ]
    command = group.get_command(click.Context(group), "build")
    assert command is not None
    shown = {option: option.help or "" for option in command.params if isinstance(option, click.Option)}
    evidence = [flag for option, text in shown.items() if "vidence" in text.split(":")[0] for flag in option.opts]
    assert sorted(rows) == sorted({*evidence, "--evidence"} - {"--verdict"})


def test_the_command_page_lists_every_flag_of_signing() -> None:
    text = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    section = text.partition("## Signing\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(--[a-z-]+)", section, re.MULTILINE)
    command = group.get_command(click.Context(group), "sign")
    assert command is not None
    sign = flags_of(command)
    assert sorted(rows) == sorted(set(sign) - {"--out", "--format", "--json", "--help"})


def test_the_command_page_lists_every_flag_of_attesting_a_verdict() -> None:
    text = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    section = text.partition("## Attesting a verdict\n")[2].partition("\nARGV")[0]
    rows = re.findall(r"^\| `(--[a-z-]+)", section, re.MULTILINE)

    @profile_options
    @engine_options
    @signing_options
    @format_option
    def shared() -> None: ...

    groups = {flag for option in shared.__click_params__ for flag in option.opts}  # type: ignore[attr-defined]
    command = group.get_command(click.Context(group), "attest-result")
    assert command is not None
    assert sorted(rows) == sorted(set(flags_of(command)) - groups - {"--help"})


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda path: path.stem)
def test_no_page_starts_python_with_the_current_directory_first(page: Path) -> None:
    assert "python -m in_toto_done_receipt" not in page.read_text(encoding="utf-8")
    assert "python3 -m in_toto_done_receipt" not in page.read_text(encoding="utf-8")


def test_every_flag_that_a_page_names_exists() -> None:
    known = set(flags_of(group))
    pages = [ROOT / "README.md", *(page for page in DOCS.rglob("*.md") if "adr" not in page.parts)]
    pages.remove(DOCS / "how-to" / "run-tests.md")  # most of its flags are of test runners; ours are typed
    named = {flag for page in pages for flag in re.findall(r"`(--[a-z-]+)", page.read_text(encoding="utf-8"))}
    assert sorted(named - known - {"--security-opt", "--import-mode"}) == []  # of docker, of pytest


def flags_of(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            yield from parameter.opts
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from flags_of(below)


@pytest.mark.parametrize("check", DOCUMENT_ORDER)
def test_a_check_page_says_what_each_reason_means_and_costs(check: str) -> None:
    rows = re.findall(
        r"^\| `([a-z-]+\.[a-z_]+)` \| (.+) \| (\S+) \|$",
        (DOCS / "reference" / "checks" / f"{check}.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    expected = [
        (code, reason.meaning, EXIT_CODES[reason.weight])
        for code, reason in REASONS.items()
        if code.startswith(f"{check}.")
    ]
    assert sorted(rows) == sorted(expected)
