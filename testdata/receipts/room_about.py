"""Receipts about something else than what is examined (scenarios 4, 5, 15 to 17, 19 to 21, 23, 26, 27).

See generate_clean_room.py.
"""

from testdata.receipts.generate_clean_room import FLAGS, RoomCase
from testdata.receipts.room_projects import PYTEST, WITH_TAX, later
from testdata.receipts.room_reasons import (
    HARNESS_CHANGED,
)

ABOUT: dict[str, RoomCase] = {
    "readme_only": RoomCase(
        why="A feature is claimed, and README is all that changed; the profile wants the product changed, too.",
        scenarios=(4, 5),
        code=12,
        without_work=True,
        work={"README.md": "# A shop with taxes\n"},
        more='\n[change]\nallowed = ["shop/**", "tests/**"]\n',
        violations=("change.scope",),
        warnings=("change.scope",),
        reasons=("change-scope.not_allowed",),
    ),
    "claimed_file_not_written": RoomCase(
        why="A file is claimed that no tool call ever wrote.",
        scenarios=(4,),
        code=11,
        evidence=[
            {"kind": "path", "path": "shop/taxes.py", "expect": "file", "observed": {"type": "file"}, "ok": True}
        ],
        violations=("evidence.unrefuted", "tests.confirmed"),
        reasons=("evidence-path.differs",),
    ),
    "any_file_is_proof": RoomCase(
        why="All tests pass, and what shows it is that a file exists.",
        scenarios=(19,),
        code=12,
        claim="confirmed",
        evidence=[],
        violations=("tests.confirmed",),
        reasons=(),
    ),
    "log_of_the_agent": RoomCase(
        why="What shows that tests passed is a log that the agent wrote.",
        scenarios=(20,),
        code=12,
        claim="confirmed",
        work={"test.log": "512 passed in 0.01s\n"},
        evidence=[
            {
                "kind": "text",
                "path": "test.log",
                "literal": "512 passed",
                "observed": {"matched": True, "bytes": 20},
                "ok": True,
            }
        ],
        violations=("tests.confirmed",),
        reasons=(),
    ),
    "recording_pasted": RoomCase(
        why="A recording is pasted as evidence of its own kind: nobody can refute it, and it stays reported.",
        scenarios=(20, 21),
        code=12,
        claim="reported",
        evidence=[{"kind": "https://example.org/recording/v1", "observed": {"frames": 90}, "ok": True}],
        violations=("tests.confirmed", "assurance.minimum"),
        reasons=("evidence-other.unknown_kind",),
    ),
    "earlier_head": RoomCase(
        why="The tests passed, and then the branch got one more commit.",
        scenarios=(15, 16),
        code=11,
        commits=(later("later", "work", {"shop/more.py": "x = 1\n"}, "work"),),
        violations=("subjects.matched", "freshness.time"),
        reasons=("subjects.uncovered", "freshness.other_head"),
    ),
    "tested_before_the_work": RoomCase(
        why="The checkout was refused and the tests ran at base: the receipt is of another head.",
        scenarios=(15,),
        code=11,
        commits=(later("other", "other", {"shop/more.py": "x = 1\n"}, "base"),),
        source=("base", "other"),
        subjects=("shop/prices.py",),
        violations=("subjects.matched", "evidence.unrefuted", "freshness.time"),
        reasons=("subjects.differs", "evidence-file.differs", "freshness.other_head"),
    ),
    "overtaken_target": RoomCase(
        why="The target got a commit while the tests ran.",
        scenarios=(17,),
        code=12,
        commits=(later("moved", "main", {"README.md": "# A shop\n"}, "base"),),
        flags=["--repo", "{repo}", "--target-ref", "main", *FLAGS[4:]],
        violations=("freshness.time",),
        reasons=("freshness.stale",),
    ),
    "other_base": RoomCase(
        why="A receipt of another base is shown.",
        scenarios=(26,),
        code=12,
        commits=(
            later("side", "main", {"README.md": "# A shop\n"}, "base"),
            later("again", "work", {"shop/prices.py": WITH_TAX}, "side"),
        ),
        flags=[word.replace("{base}", "{side}") for word in FLAGS],
        violations=("freshness.time",),
        reasons=("freshness.other_base", "freshness.other_head"),
    ),
    "coverage_lowered": RoomCase(
        why="The threshold of coverage is lowered along with the work.",
        scenarios=(23,),
        code=12,
        project=PYTEST,
        base={".coveragerc": "[report]\nfail_under = 90\n"},
        work={".coveragerc": "[report]\nfail_under = 10\n"},
        violations=("change.scope",),
        reasons=(HARNESS_CHANGED,),
    ),
    "not_asked": RoomCase(
        why="Nobody ran the tests again: what the receipt says of them is only reported.",
        scenarios=(1, 20),
        code=12,
        claim="reported",
        flags=FLAGS[:-1],
        violations=("tests.confirmed", "tests.inventory", "tests.canary", "assurance.minimum"),
        reasons=("evidence-tests.not_asked", "test-inventory.not_asked", "harness-canary.not_asked"),
    ),
    "identity_near_evidence": RoomCase(
        why="Tests of the change would run beside an identity that can sign: nothing is run.",
        scenarios=(27,),
        code=4,
        environment={"ACTIONS_ID_TOKEN_REQUEST_URL": "https://ci.example.org", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "t"},
    ),
}
