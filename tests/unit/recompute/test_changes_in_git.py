"""The checks of a change, on small repositories: change-scope, contract-coverage, contract-seals, freshness."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.errors import ConfigurationError, RepositoryRefused
from in_toto_done_receipt.observe.git.change import Asked, open_change
from in_toto_done_receipt.observe.git.process import Git, find_git
from in_toto_done_receipt.observe.git.repository import open_repository
from in_toto_done_receipt.observe.git.workspace import GitWorkspace
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.case import Case
from in_toto_done_receipt.recompute.checks import change_scope, contract_coverage, contract_seals, freshness, subjects
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.rfc3339 import parse_time
from in_toto_done_receipt.wire.statement import read_statement
from testdata.receipts import generate_changes
from testdata.receipts.generate import NOW, payload_of
from testdata.receipts.generate_changes import TEST, WORK
from tests.repositories.build import Repo
from tests.repositories.history import build_history

Examine = Callable[..., Case]
MAKEFILE = "test:\n\tpytest\n"


@pytest.fixture(scope="module")
def git() -> Git:
    return find_git()


@pytest.fixture
def examine(tmp_path: Path, git: Git) -> Iterator[Examine]:
    """A case as the checks get it; `damage` changes the repository before it is opened and says what head is then."""
    with ExitStack() as stack:

        def examined(
            settings: Settings | None = None,
            *,
            asked: dict[str, str] | None = None,
            damage: Callable[[Repo, dict[str, str]], str] | None = None,
            **members: Any,
        ) -> Case:
            case = generate_changes.Case(why="", **members)
            repo, ids = build_history(case.told(), tmp_path)
            statement = read_statement(payload_of(case.statement(repo, ids)))
            wanted = {"base": ids["base"], "head": "work", **(asked or {})}
            if damage is not None:
                wanted["head"] = damage(repo, ids)
            opened = stack.enter_context(open_repository(repo.path, git=git))
            change = open_change(opened, Asked(**wanted))
            base = None if change.base_tree is None else GitWorkspace(opened, change.base_tree)
            context = RecomputeContext(
                evaluated_at=parse_time(NOW),
                settings=settings or Settings(),
                workspace=GitWorkspace(opened, change.tree),
                change=change,
                base=base,
                tip_of=opened.tip_of,
            )
            return Case(statement=statement, receipt=read_predicate(statement), context=context)

        yield examined


def found(check: ModuleType, case: Case) -> tuple[Finding, ...]:
    return tuple(check.run(case))


def by_reason(check: ModuleType, case: Case) -> dict[str, set[str | None]]:
    rows: dict[str, set[str | None]] = {}
    for one in found(check, case):
        rows.setdefault(one.reason.partition(".")[2], set()).add(one.path)
    return rows


# --- change-scope ----------------------------------------------------------------------------------------------------


def test_scope_of_a_plain_change(examine: Examine) -> None:
    assert by_reason(change_scope, examine()) == {"within": {None}}


def test_scope_of_a_harness_file_that_is_renamed(examine: Examine) -> None:
    case = examine(base={"Makefile": MAKEFILE}, work={**WORK, "Makefile": None, "GNUmakefile": MAKEFILE})
    rows = by_reason(change_scope, case)
    assert (rows["harness_added"], rows["harness_changed"]) == ({"GNUmakefile"}, {"Makefile"})


def test_scope_of_a_harness_file_whose_mode_only_changed(examine: Examine) -> None:
    case = examine(base={"Makefile": MAKEFILE}, executable=("Makefile",))
    assert by_reason(change_scope, case) == {"mode": {"Makefile"}, "within": {None}}


def test_scope_of_a_sealed_harness_file_that_changed(examine: Examine) -> None:
    """Its bytes are the business of contract-seals."""
    sealed = ("Makefile", "tests/test_greet.py")
    case = examine(base={"Makefile": MAKEFILE}, work={"Makefile": "test:\n"}, sealed=sealed)
    assert by_reason(change_scope, case) == {"within": {None}}
    assert by_reason(contract_seals, case) == {"modified": {"Makefile"}}


def test_scope_of_a_harness_file_that_becomes_a_link(examine: Examine) -> None:
    case = examine(base={"go.mod": "module m\n", "go.sum": "x\n"}, links={"go.sum": "src/greet.py"})
    assert by_reason(change_scope, case)["harness_changed"] == {"go.sum"}


def test_scope_of_a_manifest_that_is_new_and_steers_nothing(examine: Examine) -> None:
    case = examine(work={**WORK, "pyproject.toml": "[tool.ruff]\n", "src/pyproject.toml": "[tool.pytest]\nx = 1\n"})
    rows = by_reason(change_scope, case)
    assert (rows["manifest_changed"], rows["harness_added"]) == ({"pyproject.toml"}, {"src/pyproject.toml"})


def test_scope_of_a_manifest_that_is_gone(examine: Examine) -> None:
    base = {"pyproject.toml": "[tool.ruff]\n", "src/pyproject.toml": "[tool.pytest]\nx = 1\n"}
    case = examine(base=base, work={**WORK, **dict.fromkeys(base)})
    rows = by_reason(change_scope, case)
    assert (rows["manifest_changed"], rows["harness_changed"]) == ({"pyproject.toml"}, {"src/pyproject.toml"})


def test_scope_of_a_manifest_that_is_no_text(examine: Examine) -> None:
    def head(repo: Repo, ids: dict[str, str]) -> str:
        repo.git("checkout", "-q", "work")
        return repo.commit({"pyproject.toml": b"\xff\xfe"})

    case = examine(base={"pyproject.toml": "[project]\n"}, damage=head)
    (message,) = [one.message for one in found(change_scope, case) if one.reason == "change-scope.harness_changed"]
    assert "(cannot be read)" in message


def test_scope_of_a_great_many_counts_the_rest(examine: Examine) -> None:
    many = {f"src/{number}/conftest.py": "x\n" for number in range(150)}
    rows = [one for one in found(change_scope, examine(work=many)) if one.reason == "change-scope.harness_added"]
    assert (len(rows), rows[-1].message, rows[-1].status) == (101, "and 50 more path(s)", "fail")


def test_scope_allowed_and_protected(examine: Examine) -> None:
    settings = Settings(change_allowed=("src/**", "old"), change_protected=("src/vault/**",))
    work = {**WORK, "src/vault/key": "x\n", "tools/x": "x\n", "old": None}
    rows = by_reason(change_scope, examine(settings, base={"old": "x\n"}, work=work))
    assert (rows["protected"], rows["not_allowed"]) == ({"src/vault/key"}, {"tools/x"})


@pytest.mark.parametrize("name", [".GIT/x", "src/con.py", "src/a.", "src/a:b", "src/a\\b", "-x", "src/\u200bx"])
def test_scope_of_a_name_that_is_another_elsewhere(examine: Examine, name: str) -> None:
    def head(repo: Repo, ids: dict[str, str]) -> str:
        blob = repo.git("rev-parse", "work:README.md")
        *folders, last = name.encode().split(b"/")
        id, mode, part = blob, "100644", last
        for folder in reversed(folders):
            id, mode, part = repo.loose_tree([(mode, part, id)]), "40000", folder
        return repo.loose_commit(repo.loose_tree([(mode, part, id)]), (ids["base"],))

    rows = by_reason(change_scope, examine(damage=head))
    assert {path for path in rows["name"] if path and name.startswith(path)} != set()


def test_scope_of_an_old_name_that_the_change_does_not_touch(examine: Examine) -> None:
    assert by_reason(change_scope, examine(base={"old:name": "x\n"})) == {"within": {None}}


# --- contract-coverage -----------------------------------------------------------------------------------------------


def test_coverage_of_what_the_built_in_sets_name(examine: Examine) -> None:
    base = {"Makefile": MAKEFILE, "conftest.py": "", "pyproject.toml": "[project]\n", ".github/workflows/a.yml": "x\n"}
    rows = by_reason(contract_coverage, examine(base=base))
    assert rows == {"not_sealed": {"Makefile", "conftest.py", ".github/workflows/a.yml"}}


def test_coverage_of_a_tests_own_manifest(examine: Examine) -> None:
    """A fixture is a test file, whatever it is called."""
    rows = by_reason(contract_coverage, examine(base={"tests/data/package.json": "{}\n"}))
    assert rows == {"not_sealed": {"tests/data/package.json"}}


def test_coverage_of_what_the_profile_wants(examine: Examine) -> None:
    settings = Settings(contract_sealed=("src/*.sql", "tests/**"), contract_protected=("tools/**",))
    rows = by_reason(contract_coverage, examine(settings, base={"src/a.sql": "x\n", "tools/x": "x\n"}))
    assert rows == {"not_sealed": {"src/a.sql", "tools/x"}}


def test_coverage_of_a_pattern_that_matches_nothing(examine: Examine) -> None:
    with pytest.raises(ConfigurationError, match=r"contract.sealed: spec/\*\* matches nothing at base"):
        found(contract_coverage, examine(Settings(contract_sealed=("spec/**",))))


def test_coverage_of_tests_that_only_head_has(examine: Examine) -> None:
    rows = by_reason(contract_coverage, examine(work={**WORK, "tests/test_new.py": TEST}))
    assert rows == {"covered": {None}}


def test_coverage_of_tests_that_the_target_gained(examine: Examine) -> None:
    moved = {"name": "moved", "branch": "main", "from": "base", "files": {"tests/test_new.py": TEST}}
    rows = by_reason(contract_coverage, examine(commits=(moved,), asked={"onto": "main"}))
    assert rows == {"covered": {None}}


def test_coverage_of_a_base_without_tests(examine: Examine) -> None:
    rows = by_reason(contract_coverage, examine(base={"tests/test_greet.py": None}, sealed=()))
    assert rows == {"nothing_to_seal": {None}}


def test_coverage_of_product_that_looks_like_the_standard_library(examine: Examine) -> None:
    rows = by_reason(
        contract_coverage, examine(base={"calendar.py": "x = 1\n", "queue/__init__.py": "", "src/testing.py": ""})
    )
    assert rows == {"covered": {None}}


# --- contract-seals --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({}, "held"),
        ({"work": {**WORK, "tests/test_greet.py": ""}}, "modified"),
        ({"work": {**WORK, "tests/test_greet.py": None}}, "deleted"),
        ({"links": {"tests/test_greet.py": "../src/greet.py"}}, "not_a_file"),
        ({"work": {**WORK, "tests/test_greet.py": ""}, "sealed_at": "work"}, "not_at_base"),
    ],
    ids=["held", "modified", "deleted", "a link", "sealed late"],
)
def test_seals_at_base_and_head(examine: Examine, members: dict[str, Any], reason: str) -> None:
    assert reason in by_reason(contract_seals, examine(**members))


def test_seals_that_only_the_mode_of_changed(examine: Examine) -> None:
    assert by_reason(contract_seals, examine(executable=("tests/test_greet.py",))) == {"held": {None}}


def test_seals_without_a_base_are_held_as_reported(examine: Examine) -> None:
    case = examine()
    case = replace(case, context=replace(case.context, base=None))
    assert by_reason(contract_seals, case) == {"held_as_reported": {None}}


# --- subjects --------------------------------------------------------------------------------------------------------


def test_subjects_of_a_link_and_of_a_mode(examine: Examine) -> None:
    """A link has no bytes of its own; a file that became executable was changed."""
    case = examine(links={"src/again.py": "greet.py"}, executable=("README.md",))
    assert by_reason(subjects, case)["uncovered"] == {"README.md"}


# --- freshness -------------------------------------------------------------------------------------------------------


def tip(case: Case, answer: Callable[[str], str | None]) -> dict[str, set[str | None]]:
    return by_reason(freshness, replace(case, context=replace(case.context, tip_of=answer)))


def test_bound_to_the_tip(examine: Examine) -> None:
    assert {"source_equal", "head_is_tip"} <= by_reason(freshness, examine()).keys()


def test_bound_to_a_tip_that_moved(examine: Examine) -> None:
    assert "head_moved" in tip(examine(), lambda _: "1" * 40)


def test_bound_to_a_tip_that_is_gone(examine: Examine) -> None:
    assert "head_moved" in tip(examine(), lambda _: None)


def test_bound_to_a_tip_that_cannot_be_read(examine: Examine) -> None:
    def refuse(_: str) -> str:
        raise RepositoryRefused("ref is a pipe", kind="revision")

    rows = [one.message for one in found(freshness, replace_tip(examine(), refuse)) if "head_moved" in one.reason]
    assert rows == ["refs/heads/work cannot be read any more: ref is a pipe"]


def replace_tip(case: Case, answer: Callable[[str], str | None]) -> Case:
    return replace(case, context=replace(case.context, tip_of=answer))


def test_bound_to_a_branch_that_was_packed_meanwhile(examine: Examine, tmp_path: Path) -> None:
    case = examine()
    Repo(tmp_path / "repo").git("pack-refs", "--all")
    assert "head_is_tip" in by_reason(freshness, case)


def test_bound_to_a_packed_branch_that_moves_and_is_packed_again(examine: Examine, tmp_path: Path) -> None:
    def pack(repo: Repo, ids: dict[str, str]) -> str:
        repo.git("pack-refs", "--all")
        return "work"

    case = examine(damage=pack)
    assert "head_is_tip" in by_reason(freshness, case)
    Repo(tmp_path / "repo").git("update-ref", "refs/heads/work", "refs/heads/main")
    Repo(tmp_path / "repo").git("pack-refs", "--all")
    assert "head_moved" in by_reason(freshness, case)


def test_bound_to_an_id_only(examine: Examine) -> None:
    case = examine(damage=lambda _repo, ids: ids["work"])
    assert "head_not_named" in by_reason(freshness, case)


def test_bound_to_trees_when_the_receipt_names_no_commits(examine: Examine) -> None:
    case = examine()
    source = case.receipt.source
    assert source is not None
    head = replace(source.head, digest=replace(source.head.digest, git_commit=None, git_tree="1" * 40))
    case = replace(case, receipt=replace(case.receipt, source=replace(source, head=head)))
    assert "other_head" in by_reason(freshness, case)


def test_bound_to_a_target_that_moved(examine: Examine) -> None:
    moved = {"name": "moved", "branch": "main", "from": "base", "files": {"README.md": "x\n"}}
    assert "stale" in by_reason(freshness, examine(commits=(moved,), asked={"target_ref": "main"}))
