"""Attack: an old valid receipt, presented for later work or for another task.
Answer: bytes, context, payload digest and age are the verifier's to demand (source against git: the clean room).
"""

import pytest

from testdata.receipts import generate
from testdata.receipts.generate_changes import FLAGS, PROFILE, WORK, Case
from tests.threats.conftest import Desk, profile


@pytest.mark.parametrize("work", [{"greeting.txt": "hello again\n"}, {"tests/check.sh": "exit 0\n"}])
def test_threat_12_later_work_has_other_bytes(desk: Desk, work: dict[str, str]) -> None:
    assert desk.verify(generate.Case(why="", work=work)).code == 11


@pytest.mark.parametrize("position", [1, 3, 5])
def test_threat_12_another_handoff_is_another_context(desk: Desk, position: int) -> None:
    flags = list(generate.CONTEXT_FLAGS)
    flags[position] = "e" * len(flags[position])
    seen = desk.verify(generate.Case(why="", change=generate.context(), flags=flags))
    assert (seen.code, seen.violations) == (11, {"context.equal"})


def test_threat_12_another_payload_is_not_the_expected_one(desk: Desk) -> None:
    expected = generate.sha256(generate.payload_of(generate.base()).decode())
    later = generate.update("run", finishedOn="2026-11-30T12:30:00Z")
    assert desk.verify(generate.Case(why="", flags=["--expected-digest", expected])).code == 0
    assert desk.verify(generate.Case(why="", change=later, flags=["--expected-digest", expected])).code == 11


def test_threat_12_too_old_is_denied(desk: Desk) -> None:
    seen = desk.verify(generate.Case(why="", **profile("[freshness]\nmaxAge = 60\n")))
    assert (seen.code, seen.violations) == (12, {"freshness.time"})


def test_threat_12_the_age_counts_from_the_verifiers_clock(desk: Desk) -> None:
    case = generate.Case(why="", **profile("[freshness]\nmaxAge = 7200\n"))
    assert desk.verify(case).code == 0
    assert desk.verify(case, "--at", "2026-12-01T12:00:00Z").code == 12


OURS = "https://github.com/example/work"
SOURCE = {"base": {"digest": {"gitCommit": "a" * 40}}, "head": {"digest": {"gitCommit": "b" * 40}}}


def of(repository: str) -> generate.Change:
    return generate.update(source=SOURCE | {"repository": repository})


def test_threat_12_a_receipt_of_another_repository_is_denied(desk: Desk) -> None:
    ours = profile(f'[source]\nrepository = "{OURS}"\n')
    assert desk.verify(generate.Case(why="", change=of(OURS), **ours)).code == 0
    for other in (of("https://github.com/other/work"), generate.update()):
        seen = desk.verify(generate.Case(why="", change=other, **ours))
        assert (seen.code, seen.violations) == (12, {"freshness.repository"})
        assert "freshness.other_repository" in seen.reasons


def test_threat_12_a_repository_that_only_admit_demands_was_not_compared(desk: Desk) -> None:
    desk.lay(generate.Case(why="", change=of(OURS)))
    trusted = ["--trusted-key", "worker=../trust/worker.pub"]
    seen = desk.run("recompute", "receipt.json", *trusted, "--root", "workspace", "--out", "result.json")
    assert seen.code == 0
    assert desk.run("admit", "result.json").code == 0
    assert desk.run("admit", "result.json", "--repository", OURS).code == 12


def after(name: str, start: str, branch: str = "work") -> dict[str, object]:
    return {"name": name, "branch": branch, "from": start, "files": {"src/more.py": f"{name} = 1\n"}}


def test_threat_12_a_later_head(desk: Desk) -> None:
    seen = desk.verify_change(Case(why="", commits=(after("later", "work"),)))
    assert (seen.code, {"freshness.other_head", "subjects.uncovered"} <= seen.reasons) == (11, True)


def test_threat_12_another_branch_with_the_same_files(desk: Desk) -> None:
    """The same tree, reached by another commit: the receipt is of another commit."""
    flags = [word.replace("work", "other") for word in FLAGS]
    commit = {"name": "other", "branch": "other", "from": "base", "files": dict(WORK)}
    seen = desk.verify_change(Case(why="", commits=(commit,), flags=flags))
    assert (seen.code, seen.violations, "freshness.other_head" in seen.reasons) == (12, {"freshness.time"}, True)


def test_threat_12_another_base(desk: Desk) -> None:
    """Half of the change was verified before: the receipt is about the whole."""
    both = ("src/greet.py", "src/more.py")
    laid = desk.lay_change(Case(why="", commits=(after("later", "work"),), source=("base", "later"), subjects=both))
    flags = ["--repo", "{repo}", "--base", "{work}", "--head", "work", "--profile", "base:acceptance.toml"]
    seen = desk.run("verify", *laid.with_flags(flags), "--json")
    assert (seen.code, "freshness.other_base" in seen.reasons) == (12, True)


def test_threat_12_a_fork_has_the_same_commits(desk: Desk) -> None:
    seen = desk.verify_change(Case(why="", profile=PROFILE + f'\n[source]\nrepository = "{OURS}"\n'))
    assert (seen.code, "freshness.other_repository" in seen.reasons) == (12, True)


def test_threat_12_an_annotated_tag_is_its_commit(desk: Desk) -> None:
    laid = desk.lay_change(Case(why=""))
    laid.repo.git("tag", "-a", "-m", "done", "done", laid.ids["work"])
    flags = ["done" if word == "work" else word for word in FLAGS]
    seen = desk.run("verify", *laid.with_flags(flags), "--json")
    assert (seen.code, "freshness.head_is_tip" in seen.reasons) == (0, True)
