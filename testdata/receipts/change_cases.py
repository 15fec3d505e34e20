"""The cases of a change in git, by name; what each is about stands in its `why`. See generate_changes.py."""

from testdata.receipts.generate_changes import FLAGS, GREET, PROFILE, TEST, WORK, Case

SCOPED = PROFILE + '\n[change]\nallowed = ["src/**"]\nprotected = ["src/vault/**"]\n'
TARGET = ["--repo", "{repo}", "--target-ref", "main", "--head", "work", "--profile", "base:acceptance.toml"]
ONTO = [*FLAGS, "--merge-onto", "main"]
TIP = PROFILE.replace('"change.base"', '"freshness.tip", "change.base"')
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <dependencies><dependency><artifactId>junit</artifactId><version>4.13.1</version></dependency></dependencies>
  <build><plugins/></build>
</project>
"""
LINES = "# first\n" + GREET + "\n" * 5 + "# last\n"
OTHER_TEST = TEST + "\n\ndef test_again():\n    assert greet()\n"
PYPROJECT = '[project]\nname = "greet"\ndependencies = ["click==8.1.0"]\n\n[tool.pytest.ini_options]\naddopts = "-q"\n'
PACKAGE = '{"name": "greet", "dependencies": {"left": "1.0.0"}, "scripts": {"test": "node --test"}}\n'


def later(name: str, branch: str, files: dict[str, str | None], start: str = "base") -> dict[str, object]:
    """One more commit."""
    return {"name": name, "branch": branch, "from": start, "files": files}


HONEST: dict[str, Case] = {
    "honest": Case(why="One file changed, the tests are sealed at base and stand at head."),
    "refactoring": Case(
        why="Code moved into a new file, the old one got shorter.",
        work={
            "src/greet.py": "from src.words import HELLO\n\n\ndef greet():\n    return HELLO\n",
            "src/words.py": "HELLO = 1\n",
        },
    ),
    "deleted_obsolete": Case(
        why="An obsolete file is gone.", base={"src/old.py": "x = 1\n"}, work={**WORK, "src/old.py": None}
    ),
    "renamed": Case(
        why="A file has another name and the same content.",
        base={"src/old_name.py": "x = 1\n"},
        work={**WORK, "src/old_name.py": None, "src/new_name.py": "x = 1\n"},
        reasons=("change-scope.renamed",),
    ),
    "dependency_bump": Case(
        why="A dependency's version in pyproject.toml; what steers pytest there is as before.",
        base={"pyproject.toml": PYPROJECT},
        work={**WORK, "pyproject.toml": PYPROJECT.replace("8.1.0", "8.2.0")},
        reasons=("change-scope.manifest_changed",),
    ),
    "dependency_bump_node": Case(
        why="A dependency's version in package.json; its scripts are as before.",
        base={"package.json": PACKAGE},
        work={**WORK, "package.json": PACKAGE.replace("1.0.0", "1.1.0")},
        reasons=("change-scope.manifest_changed",),
    ),
    "dependency_bump_maven": Case(
        why="A dependency's version in pom.xml; the build, its plug-ins and profiles are as before.",
        base={"pom.xml": POM},
        work={**WORK, "pom.xml": POM.replace("4.13.1", "4.13.2")},
        reasons=("change-scope.manifest_changed",),
    ),
    "documentation_beside_code": Case(
        why="Code and its documentation.", work={**WORK, "README.md": "# greet the world\n", "docs/use.md": "use it\n"}
    ),
    "documentation_only": Case(
        why="Nothing but documentation: said, and no fault.",
        work={"README.md": "# greet the world\n"},
        warnings=("change.scope",),
        reasons=("change-scope.documentation_only",),
    ),
    "nfd_name": Case(
        why="A name in decomposed form, as macOS writes them: no subject can have it, the manifest covers it.",
        work={**WORK, "src/cafe\u0301.py": "x = 1\n"},
        subjects=("src/greet.py",),
        manifest=True,
    ),
    "accents": Case(why="Names that are not ASCII.", work={**WORK, "src/caf\u00e9 \u4e16.py": "x = 1\n"}),
    "link_inside": Case(
        why="A symbolic link that stays in the tree: said, and no fault.",
        links={"src/again.py": "greet.py"},
        warnings=("change.scope",),
        reasons=("change-scope.symlink",),
    ),
    "new_test_beside_code": Case(
        why="A new test comes with the work; base has none of that name.",
        work={**WORK, "tests/test_world.py": OTHER_TEST},
    ),
    "sha256_repository": Case(why="A repository of SHA-256 ids.", history={"algorithm": "sha256"}),
    "linked_worktree": Case(
        why="The agent worked in a linked work tree, whose objects are another folder's.",
        history={"worktree": "work"},
        flags=[word.replace("{repo}", "{linked}") for word in FLAGS],
    ),
    "target_ref": Case(why="The base is the merge base with the target, which has not moved.", flags=TARGET),
    "tip": Case(
        why="Head is the tip of its branch, and that is demanded.",
        profile=TIP,
        reasons=("freshness.head_is_tip", "freshness.source_equal"),
    ),
    "merge_onto_moved_target": Case(
        why="The target moved on; the merge of both is examined, and what the target changed is not the change's.",
        commits=(later("moved", "main", {"README.md": "# moved on\n"}),),
        flags=ONTO,
    ),
    "merge_onto_target_with_other_tests": Case(
        why="The target changed a sealed test itself: the contract is the target's to change.",
        commits=(later("moved", "main", {"tests/test_greet.py": OTHER_TEST}),),
        flags=ONTO,
        warnings=("contract.held",),
        reasons=("contract-seals.changed_by_target",),
    ),
    "merge_onto_moved_target_with_manifest": Case(
        why="The target moved on: the receipt's manifest is that of head, and head has it.",
        commits=(later("moved", "main", {"README.md": "# moved on\n"}),),
        flags=ONTO,
        manifest=True,
    ),
    "merge_of_a_file_that_both_changed": Case(
        why="Head and target changed different lines of one file: the subject is head's file, which the merge is not.",
        base={"src/greet.py": LINES},
        work={**WORK, "src/other.py": "x = 1\n", "src/greet.py": LINES.replace("first", "1st")},
        commits=(later("moved", "main", {"src/greet.py": LINES.replace("last", "ultimate")}),),
        subjects=("src/other.py", "src/greet.py"),
        flags=ONTO,
    ),
}

REFUSED: dict[str, Case] = {
    "merge_of_the_evidence": Case(
        why="Evidence is about a file that head and target both changed: true of head, not of the merge (stale).",
        code=12,
        base={"src/greet.py": LINES},
        work={**WORK, "src/greet.py": LINES.replace("first", "1st")},
        commits=(later("moved", "main", {"src/greet.py": LINES.replace("last", "ultimate")}),),
        flags=ONTO,
        violations=("evidence.current",),
        reasons=("evidence-file.stale",),
    ),
    "test_edited": Case(
        why="A sealed test was rewritten (scenarios 6 to 8).",
        code=11,
        work={**WORK, "tests/test_greet.py": TEST.replace("assert greet()", "assert True")},
        violations=("contract.held",),
        reasons=("contract-seals.modified",),
        contract="moved",
    ),
    "test_emptied": Case(
        why="A sealed test file is empty now (13).",
        code=11,
        work={**WORK, "tests/test_greet.py": ""},
        violations=("contract.held",),
        reasons=("contract-seals.modified",),
        contract="moved",
    ),
    "test_deleted": Case(
        why="A sealed test is gone (15).",
        code=11,
        work={**WORK, "tests/test_greet.py": None},
        violations=("contract.held",),
        reasons=("contract-seals.deleted",),
        contract="moved",
    ),
    "golden_regenerated": Case(
        why="A golden file was written again to fit the product (12).",
        code=11,
        base={"tests/golden.txt": "hello\n"},
        work={**WORK, "tests/golden.txt": "hello, world\n"},
        sealed=("tests/golden.txt", "tests/test_greet.py"),
        violations=("contract.held",),
        reasons=("contract-seals.modified",),
        contract="moved",
    ),
    "edited_then_sealed": Case(
        why="The test was edited first and sealed then: base shows it (threat 7).",
        code=11,
        work={**WORK, "tests/test_greet.py": TEST.replace("assert greet()", "assert True")},
        sealed_at="work",
        violations=("contract.held",),
        reasons=("contract-seals.not_at_base",),
        contract="moved",
    ),
    "not_sealed": Case(
        why="A test of the base revision is not sealed, so it could be changed unseen.",
        code=12,
        base={"tests/test_b.py": TEST},
        violations=("contract.coverage",),
        reasons=("contract-coverage.not_sealed",),
    ),
    "nothing_sealed": Case(
        why="Nothing is sealed at all.",
        code=12,
        sealed=(),
        violations=("contract.verified", "contract.coverage"),
        warnings=("contract.held",),
        reasons=("contract-coverage.not_sealed",),
        contract="nothing_sealed",
    ),
    "makefile_narrowed": Case(
        why="The Makefile, which nobody sealed, runs less than before (6).",
        code=12,
        base={"Makefile": "test:\n\tpytest tests\n"},
        work={**WORK, "Makefile": "test:\n\ttrue\n"},
        violations=("change.scope", "contract.coverage"),
        reasons=("change-scope.harness_changed", "contract-coverage.not_sealed"),
    ),
    "harness_added": Case(
        why="A GNUmakefile is slipped in, which wins over the sealed Makefile (threat 8).",
        code=12,
        base={"Makefile": "test:\n\tpytest tests\n"},
        sealed=("Makefile", "tests/test_greet.py"),
        work={**WORK, "GNUmakefile": "test:\n\ttrue\n"},
        violations=("change.scope",),
        reasons=("change-scope.harness_added",),
    ),
    "pytest_ini_added": Case(
        why="A pytest.ini wins over pyproject.toml and deselects tests (22).",
        code=12,
        work={**WORK, "pytest.ini": "[pytest]\naddopts = --deselect tests/test_greet.py\n"},
        violations=("change.scope",),
        reasons=("change-scope.harness_added",),
    ),
    "conftest_added": Case(
        why="A conftest.py that rewrites results is slipped in (22).",
        code=12,
        work={**WORK, "conftest.py": "def pytest_collection_modifyitems(items):\n    items.clear()\n"},
        violations=("change.scope",),
        reasons=("change-scope.harness_added",),
    ),
    "sitecustomize_added": Case(
        why="A sitecustomize.py, which Python runs at every start (22).",
        code=12,
        work={**WORK, "src/sitecustomize.py": "raise SystemExit(0)\n"},
        violations=("change.scope",),
        reasons=("change-scope.harness_added",),
    ),
    "pytest_settings_changed": Case(
        why="pyproject.toml's settings of pytest were changed along with a dependency.",
        code=12,
        base={"pyproject.toml": PYPROJECT},
        work={**WORK, "pyproject.toml": PYPROJECT.replace('"-q"', '"-k nothing"')},
        violations=("change.scope",),
        reasons=("change-scope.harness_changed",),
    ),
    "package_scripts_changed": Case(
        why="package.json's test script does nothing any more (6).",
        code=12,
        base={"package.json": PACKAGE},
        work={**WORK, "package.json": PACKAGE.replace("node --test", "true")},
        violations=("change.scope",),
        reasons=("change-scope.harness_changed",),
    ),
    "workflow_weakened": Case(
        why="A workflow of the forge was weakened (23).",
        code=12,
        base={".github/workflows/ci.yml": "jobs: {test: {}}\n"},
        work={**WORK, ".github/workflows/ci.yml": "jobs: {}\n"},
        violations=("change.scope", "contract.coverage"),
        reasons=("change-scope.harness_changed",),
    ),
    "uncovered": Case(
        why="The receipt covers one file of a change of three (19, threat 11).",
        code=11,
        work={**WORK, "src/extra.py": "x = 1\n", "src/more.py": "x = 2\n"},
        subjects=("src/greet.py",),
        violations=("subjects.matched",),
        reasons=("subjects.uncovered",),
    ),
    "not_allowed": Case(
        why="The change touches a path that the profile does not allow.",
        code=12,
        profile=SCOPED,
        work={**WORK, "tools/deploy.sh": "echo\n"},
        violations=("change.scope",),
        reasons=("change-scope.not_allowed",),
    ),
    "protected": Case(
        why="The change touches a path that the profile protects.",
        code=12,
        profile=SCOPED,
        work={**WORK, "src/vault/key.py": "x = 1\n"},
        violations=("change.scope",),
        reasons=("change-scope.protected",),
    ),
    "link_out": Case(
        why="A symbolic link leads out of the tree (threat 22).",
        code=12,
        links={"src/elsewhere": "../../../etc"},
        violations=("change.scope",),
        warnings=("change.scope",),
        reasons=("change-scope.link_out",),
    ),
    "twins": Case(
        why="Two names that are one where case does not count.",
        code=12,
        base={"src/words.py": "x = 2\n"},
        work={**WORK, "src/Words.py": "x = 1\n"},
        violations=("change.scope",),
        reasons=("change-scope.name",),
    ),
    "empty": Case(
        why="The head commit changes nothing (4, 5).",
        code=12,
        work={},
        subjects=("src/greet.py",),
        violations=("change.scope",),
        reasons=("change-scope.empty",),
    ),
    "kept_for_later_commits": Case(
        why="A receipt kept for a later head (16, threat 12).",
        code=11,
        commits=(later("later", "work", {"src/more.py": "x = 1\n"}, "work"),),
        violations=("subjects.matched", "freshness.time"),
        reasons=("freshness.other_head",),
    ),
    "other_base": Case(
        why="A receipt that was made from another base (26).",
        code=12,
        commits=(later("side", "main", {"README.md": "# side\n"}), later("again", "work", WORK, "side")),
        source=("base", "work"),
        flags=[word.replace("{base}", "{side}") for word in FLAGS],
        violations=("freshness.time",),
        reasons=("freshness.other_base", "freshness.other_head"),
    ),
    "no_source": Case(
        why="The receipt does not say what it was made for; leaving it out does not help (threat 3).",
        code=12,
        source=None,
        violations=("freshness.time",),
        reasons=("freshness.no_source",),
    ),
    "stale": Case(
        why="The target gained commits since base (17, threat 47): stale, and no breach.",
        code=12,
        commits=(later("moved", "main", {"README.md": "# moved on\n"}),),
        flags=TARGET,
        violations=("freshness.time",),
        reasons=("freshness.stale", "freshness.source_equal"),
    ),
    "base_is_head": Case(
        why="Base and head are one commit (threat 6).",
        code=4,
        flags=[word.replace("work", "main") for word in FLAGS],
    ),
    "base_is_no_ancestor": Case(
        why="The base is no ancestor of head (threat 6).",
        code=4,
        commits=(later("side", "side", {"README.md": "# side\n"}),),
        flags=[word.replace("{base}", "{side}") for word in FLAGS],
    ),
    "base_is_a_ref": Case(
        why="The base is named by a ref, which whoever pushes can move (threat 6).",
        code=4,
        flags=[word.replace("{base}", "main") for word in FLAGS],
    ),
    "conflict": Case(
        why="The change does not merge onto the target (threat 13).",
        code=4,
        commits=(later("moved", "main", {"src/greet.py": GREET.replace("hello", "good day")}),),
        flags=ONTO,
    ),
    "profile_from_the_change": Case(
        why="The profile of the examined work tree is none of the verifier's (threat 25).",
        code=4,
        flags=[word.replace("base:acceptance.toml", "{repo}/acceptance.toml") for word in FLAGS],
    ),
    "pattern_matches_nothing": Case(
        why="The profile wants something sealed that base does not have: it would protect nothing.",
        code=4,
        profile=PROFILE.replace("tests/**", "spec/**"),
    ),
}
