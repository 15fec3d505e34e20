"""`verify --repo`: what decides is read at base or outside, what is examined comes from objects alone."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.cli import main
from in_toto_done_receipt.observe.sandbox.probe import probe
from testdata.receipts.generate import envelope, payload_of, pretty, public_pem
from testdata.receipts.generate_changes import FLAGS, PROFILE, WORK, Case
from tests.repositories.changes import Laid

KEY = public_pem("worker")
TRUST = """version = 1

[[key]]
name = "worker"
path = "keys/worker.pub"
"""


class Bench:
    """A folder of its own, and the command line run in it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def lay(self, case: Case | None = None) -> Laid:
        return Laid(case or Case(why=""), self.folder)

    def run(self, *words: str | Path) -> tuple[int, str, str]:
        code = main.run([str(word) for word in words])
        captured = self._capsys.readouterr()
        assert "Traceback" not in captured.err
        return code, captured.out, captured.err

    def verify(self, words: list[str], *more: str | Path) -> tuple[int, Any]:
        code, out, _ = self.run("verify", *words, *more, "--json")
        return code, json.loads(out)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bench:
    place = tmp_path / "elsewhere"
    place.mkdir()
    monkeypatch.chdir(place)
    return Bench(tmp_path, capsys)


def flags(*more: str, **replaced: str) -> list[str]:
    """The usual flags, with the value of some replaced."""
    words = list(FLAGS)
    for name, value in replaced.items():
        words[words.index(f"--{name}") + 1] = value
    return [*words, *more]


def reasons(document: Any) -> set[str]:
    return {finding["reason"] for check in document["result"]["checks"] for finding in check["findings"]}


# --- base:PATH -------------------------------------------------------------------------------------------------------


def at_base(bench: Bench, laid: Laid, *more: str, **replaced: str) -> tuple[int, Any]:
    return bench.verify(laid.with_flags(flags(*more, **replaced)))


def with_trust(laid: Laid) -> list[str]:
    """The usual words, with a trust file of the base revision in the place of the key."""
    first, *rest = laid.words("--trust", "base:policy/trust.toml")
    return [first, *rest[2:]]


def test_trust_at_base_with_a_key_beside_it(bench: Bench) -> None:
    base: dict[str, str | None] = {"policy/trust.toml": TRUST, "policy/keys/worker.pub": KEY}
    laid = bench.lay(Case(why="", base=base))
    code, document = bench.verify(with_trust(laid))
    assert (code, [signer["principal"] for signer in document["result"]["signers"]]) == (0, ["worker"])


@pytest.mark.parametrize("path", ["../../../../etc/passwd", "/etc/passwd", "keys/absent.pub"])
def test_trust_at_base_with_a_key_that_is_not_there(bench: Bench, path: str) -> None:
    laid = bench.lay(Case(why="", base={"policy/trust.toml": TRUST.replace("keys/worker.pub", path)}))
    code, document = bench.verify(with_trust(laid))
    assert (code, document["error"]["exitCode"]) == (4, 4)


def test_profile_at_base_in_a_folder(bench: Bench) -> None:
    laid = bench.lay(Case(why="", base={"a b/é.toml": PROFILE}))
    assert at_base(bench, laid, profile="base:a b/é.toml")[0] == 0


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("base:absent.toml", "no such file at base"),
        ("base:", "no such file at base"),
        ("base:/acceptance.toml", "is not a relative path"),
        ("base:../acceptance.toml", "is not a relative path"),
        ("base:acceptance.toml/x", "no such file at base"),
        ("base:src", "is a directory"),
    ],
)
def test_profile_at_base_that_is_none(bench: Bench, name: str, fact: str) -> None:
    code, document = at_base(bench, bench.lay(), profile=name)
    message = document["error"]["message"]
    assert (code, fact in message, "--profile" in message) == (4, True, True), message


def test_contract_at_base(bench: Bench) -> None:
    laid = bench.lay()
    sealed = bench.run("seal", "--root", laid.repo.path, "--path", "tests/**", "--out", bench.folder / "contract.json")
    assert sealed[0] == 0
    text = (bench.folder / "contract.json").read_text()
    shutil.rmtree(laid.repo.path)
    laid = bench.lay(Case(why="", base={"contract.json": text}))
    code, document = at_base(bench, laid, "--contract", "base:contract.json")
    assert (code, document["result"]["contract"]["state"]) == (0, "held")


def test_an_error_names_the_file_as_the_verifier_did(bench: Bench) -> None:
    laid = bench.lay(Case(why="", profile=PROFILE.replace("[contract]", "[contrakt]")))
    code, document = at_base(bench, laid)
    message = document["error"]["message"]
    assert (code, message.startswith("base:acceptance.toml"), "done-receipt-" in message) == (4, True, False), message


def test_a_policy_folder_at_base_is_found(bench: Bench) -> None:
    """No OPA is named: that it is Rego is what was read."""
    laid = bench.lay(Case(why="", base={"rules/never/never.rego": "package done_receipt.custom.never\n"}))
    code, document = at_base(bench, laid, "--policy", "base:rules")
    message = document["error"]["message"]
    assert (code, "base:rules: is Rego, and no OPA was named" in message) == (4, True), message


def test_policy_at_base_that_is_none(bench: Bench) -> None:
    code, document = at_base(bench, bench.lay(), "--policy", "base:rules")
    assert (code, "--policy: base:rules: no such file at base" in document["error"]["message"]) == (4, True)


def test_base_without_a_base(bench: Bench) -> None:
    laid = bench.lay()
    words = ["--repo", "{repo}", "--head", "work", "--profile", "base:acceptance.toml"]
    code, document = bench.verify(laid.with_flags(words))
    assert (code, "needs --base or --target-ref" in document["error"]["message"]) == (4, True)


def test_base_without_a_repository(bench: Bench) -> None:
    laid = bench.lay()
    code, document = bench.verify(laid.with_flags(["--root", "{repo}", "--profile", "base:acceptance.toml"]))
    assert (code, "there is no --repo" in document["error"]["message"]) == (2, True)


# --- flags that go together ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (["--repo", "{repo}"], "--repo needs --head"),
        (["--repo", "{repo}", "--root", "{repo}", "--head", "work"], "exclude each other"),
        (["--head", "work"], "--head needs --repo"),
        (["--base", "{base}"], "--base needs --repo"),
        (["--target-ref", "main"], "--target-ref needs --repo"),
        (["--merge-onto", "main"], "--merge-onto needs --repo"),
        (["--object-dir", "x"], "--object-dir needs --repo"),
        (["--inside-only"], "--inside-only needs --repo"),
    ],
)
def test_flags_that_do_not_go_together(bench: Bench, words: list[str], fact: str) -> None:
    code, document = bench.verify(bench.lay().with_flags(words))
    assert (code, fact in document["error"]["message"]) == (2, True), document


# --- where objects come from -----------------------------------------------------------------------------------------


def borrowed(bench: Bench) -> Laid:
    """A repository whose objects are all in another one."""
    laid = bench.lay()
    store = bench.folder / "store"
    shutil.move(laid.repo.git_dir / "objects", store)
    (laid.repo.git_dir / "objects" / "info").mkdir(parents=True)
    (laid.repo.git_dir / "objects" / "info" / "alternates").write_text(f"{store}\n")
    return laid


def test_objects_borrowed_from_elsewhere_are_listed(bench: Bench) -> None:
    code, document = bench.verify(borrowed(bench).words())
    assert (code, document["result"]["change"]["stores"]) == (0, [str(bench.folder / "store")])


def test_inside_only_refuses_borrowed_objects(bench: Bench) -> None:
    code, document = bench.verify(borrowed(bench).words("--inside-only"))
    message = document["error"]["message"]
    assert (code, "outside the repository" in message, str(bench.folder / "store") in message) == (4, True, True)


def test_inside_only_takes_an_object_folder_that_the_verifier_names(bench: Bench) -> None:
    laid = borrowed(bench)
    (laid.repo.git_dir / "objects" / "info" / "alternates").unlink()
    code, _ = bench.verify(laid.words("--inside-only", "--object-dir", str(bench.folder / "store")))
    assert code == 0


def test_inside_only_takes_an_ordinary_repository(bench: Bench) -> None:
    code, document = bench.verify(bench.lay().words("--inside-only"))
    assert (code, "stores" in document["result"]["change"]) == (0, False)


@pytest.mark.parametrize("place", ["absent", "receipt.json"])
def test_a_repository_that_is_none(bench: Bench, place: str) -> None:
    laid = bench.lay()
    code, document = bench.verify(laid.with_flags(flags(repo=str(bench.folder / place))))
    assert (code, place in document["error"]["message"]) == (4, True)


# --- nothing but objects ---------------------------------------------------------------------------------------------


def dirty(laid: Laid) -> None:
    """Everything in the work tree and its index is something else now."""
    tree = laid.repo.path
    for path in [path for path in tree.rglob("*") if ".git" not in path.parts and path.is_file()]:
        path.write_text("evil\n")
    (tree / "tests" / "test_greet.py").unlink()
    (tree / "conftest.py").write_text("evil\n")
    (tree / ".gitattributes").write_text("* filter=evil\n")
    laid.repo.git("add", "-A", "--force")
    (laid.repo.git_dir / "MERGE_HEAD").write_text("evil\n")


@pytest.mark.parametrize("manifest", [False, True])
def test_a_dirty_work_tree_changes_nothing(bench: Bench, manifest: bool) -> None:
    laid = bench.lay(Case(why="", manifest=manifest))
    clean = bench.verify(laid.words())
    dirty(laid)
    assert bench.verify(laid.words()) == clean
    assert clean[0] == 0


def test_the_work_tree_and_the_index_are_left_as_they_are(bench: Bench) -> None:
    laid = bench.lay()
    dirty(laid)
    before = {path: path.lstat().st_mtime_ns for path in laid.repo.path.rglob("*")}
    bench.verify(laid.words("--merge-onto", "main"))
    assert {path: path.lstat().st_mtime_ns for path in laid.repo.path.rglob("*")} == before


def test_a_repository_without_a_work_tree(bench: Bench) -> None:
    laid = bench.lay()
    bare = bench.folder / "bare.git"
    shutil.move(laid.repo.git_dir, bare)
    code, document = bench.verify(laid.with_flags(flags(repo=str(bare))))
    assert (code, document["result"]["workspace"]["kind"]) == (0, "git-tree")


# --- the result ------------------------------------------------------------------------------------------------------


def test_the_result_says_what_was_examined(bench: Bench) -> None:
    moved = {"name": "moved", "branch": "main", "from": "base", "files": {"README.md": "# moved\n"}}
    work: dict[str, str | None] = {**WORK, "old.py": None, "new.py": "x = 1\n", "gone.py": None, "more.py": "y\n"}
    base: dict[str, str | None] = {"old.py": "x = 1\n", "gone.py": "z\n"}
    target = ["--repo", "{repo}", "--target-ref", "main", "--head", "work", "--merge-onto", "main"]
    case = Case(why="", base=base, work=work, commits=(moved,), flags=[*target, "--profile", "base:acceptance.toml"])
    laid = bench.lay(case)
    code, document = bench.verify(laid.words())
    laid.repo.git("checkout", "-q", "main")
    laid.repo.git("merge", "-q", "-m", "merge", "work")
    change = document["result"]["change"]
    assert code == 0
    assert change == {
        "head": laid.ids["work"],
        "tree": laid.repo.tree(),
        "base": laid.ids["base"],
        "onto": laid.ids["moved"],
        "headRef": "refs/heads/work",
        "targetRef": "refs/heads/main",
        "added": change["added"],
        "changed": 1,
        "deleted": change["deleted"],
        "renamed": 1,
        "confined": change["confined"],
    }
    assert (change["added"], change["deleted"]) in ((1, 1), (2, 2))


def test_head_given_as_an_id_names_no_ref(bench: Bench) -> None:
    laid = bench.lay()
    code, document = bench.verify(laid.with_flags(flags(head="{work}")))
    assert (code, "headRef" in document["result"]["change"]) == (0, False)
    assert "freshness.head_not_named" in reasons(document)


# --- commands --------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(probe().level != "bubblewrap", reason="commands are run again in bubblewrap only")
def test_commands_run_on_the_written_tree(bench: Bench, tmp_path: Path) -> None:
    """It sees head's bytes and nothing of the work tree, and what it writes is gone."""
    check = "grep -q 'hello, world' src/greet.py && test ! -e .git && test ! -e dirt && test -x run.sh && touch here\n"
    argv = ["/bin/sh", "tests/check.sh"]
    profile = PROFILE + '\n[[command]]\nargv = ["/bin/sh", "tests/check.sh"]\n'
    base: dict[str, str | None] = {"tests/check.sh": check, "run.sh": "true\n"}
    sealed = ("tests/check.sh", "tests/test_greet.py")
    subjects = ("src/greet.py", "run.sh")
    case = Case(why="", base=base, sealed=sealed, profile=profile, executable=("run.sh",), subjects=subjects)
    laid = bench.lay(case)
    statement = case.statement(laid.repo, laid.ids)
    empty = {"sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "bytes": 0}
    observed = {"exitCode": 0, "stdout": empty, "stderr": empty}
    item = {"kind": "command", "argv": argv, "observed": observed, "ok": True}
    statement["predicate"]["claims"].append({"id": "checked", "statement": "it is checked", "evidence": [item]})
    receipt = bench.folder / "receipt.json"
    receipt.write_text(pretty(envelope(payload_of(statement))))
    (laid.repo.path / "dirt").write_text("x")
    code, document = bench.verify(laid.words("--recheck-commands"))
    assert (code, {claim["id"]: claim["state"] for claim in document["result"]["claims"]}) == (
        0,
        {"greets": "confirmed", "checked": "confirmed"},
    ), document["decision"]
    assert not (laid.repo.path / "here").exists()


@pytest.mark.skipif(probe().level != "bubblewrap", reason="commands are run again in bubblewrap only")
def test_an_executable_of_the_repository_is_not_run(bench: Bench) -> None:
    laid = bench.lay()
    tool = laid.repo.path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    case = Case(why="")
    statement = case.statement(laid.repo, laid.ids)
    empty = {"sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "bytes": 0}
    observed = {"exitCode": 0, "stdout": empty, "stderr": empty}
    item = {"kind": "command", "argv": [str(tool)], "observed": observed, "ok": True}
    statement["predicate"]["claims"][0]["evidence"].append(item)
    (bench.folder / "receipt.json").write_text(pretty(envelope(payload_of(statement))))
    _, document = bench.verify(laid.words("--recheck-commands", "--allow-command", str(tool), "--override", "command"))
    assert "evidence-command.untrusted_executable" in reasons(document)
