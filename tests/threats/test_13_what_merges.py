"""Attack: the head that was verified is not what will be merged.
Answer: `--merge-onto REV` examines the merge tree; result and decision say base, head and tree.
"""

from testdata.receipts.generate_changes import FLAGS, GREET, WORK, Case
from tests.threats.conftest import Desk

ONTO = [*FLAGS, "--merge-onto", "main"]


def moved(files: dict[str, str | None], **members: object) -> Case:
    commit = {"name": "moved", "branch": "main", "from": "base", "files": files}
    return Case(why="", commits=(commit,), flags=ONTO, **members)  # type: ignore[arg-type]


def test_threat_13_the_merge_tree_is_examined(desk: Desk) -> None:
    laid = desk.lay_change(moved({"README.md": "# moved on\n"}))
    seen = desk.look(laid)
    laid.repo.git("checkout", "-q", "main")
    laid.repo.git("merge", "-q", "--no-ff", "-m", "merge", "work")
    assert (seen.code, seen.change["tree"]) == (0, laid.repo.tree())
    assert (seen.change["base"], seen.change["head"], seen.change["onto"]) == tuple(
        laid.ids[name] for name in ("base", "work", "moved")
    )


def test_threat_13_what_the_target_brings_to_the_same_file_is_seen(desk: Desk) -> None:
    """Each side is right by itself: nothing is refuted; what was shown of head is stale for the merge."""
    base = {"src/words.py": "\n".join(f"w{number} = 1" for number in range(20)) + "\n"}
    work = {"src/words.py": base["src/words.py"].replace("w0 = 1", "w0 = 2")}
    target = {"src/words.py": base["src/words.py"].replace("w19 = 1", "w19 = 3")}
    seen = desk.verify_change(moved(dict(target), base=base, work=work))
    assert (seen.code, "evidence-file.stale" in seen.reasons) == (12, True)
    assert "its merge with the target has another one" in seen.out


def test_threat_13_a_conflict_is_a_refusal_that_names_the_file(desk: Desk) -> None:
    seen = desk.verify_change(moved({"src/greet.py": GREET.replace("hello", "good day")}))
    assert (seen.code, "the merge conflicts in src/greet.py" in seen.out) == (4, True)


def test_threat_13_several_merge_bases_are_a_refusal(desk: Desk) -> None:
    laid = desk.lay_change(moved({"README.md": "# moved on\n"}))
    ids, repo = laid.ids, laid.repo
    one = repo.loose_commit(repo.tree(ids["moved"]), (ids["moved"], ids["work"]))
    other = repo.loose_commit(repo.tree(ids["work"]), (ids["work"], ids["moved"]), date=1_780_009_999)
    flags = [word.replace("work", other) if word == "work" else word for word in FLAGS]
    seen = desk.run("verify", *laid.with_flags([*flags, "--merge-onto", one]), "--json")
    assert (seen.code, "have 2 merge bases" in seen.out) == (4, True), seen.out


def test_threat_13_a_test_that_the_target_gained_need_not_be_sealed(desk: Desk) -> None:
    seen = desk.verify_change(moved({"tests/test_later.py": "def test_later():\n    assert True\n"}, work=dict(WORK)))
    assert (seen.code, seen.violations) == (0, set())
