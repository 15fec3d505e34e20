"""Attack: leave out what fails: `usage`, `model`, `context`, the manifest, a seal, a subject, an item.
Answer: a demand makes the field required. Any subset of members: tests/property/test_hostile_receipts.py.
"""

import json
from typing import Any

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk, profile

USED = generate.update("run", usage={"inputTokens": 10, "outputTokens": 5})
DEMANDS = profile(
    '[agent]\nmodels = ["model-1"]\n'
    "[usage]\nmaxInputTokens = 10\nmaxOutputTokens = 5\nmaxIterations = 3\nmaxToolCalls = 5\n"
)
Path = tuple[str, ...]


def without(*path: str) -> generate.Change:
    def change(_statement: generate.Json, predicate: generate.Json) -> None:
        for step in path[:-1]:
            predicate = predicate[step]
        del predicate[path[-1]]

    return change


def test_threat_03_with_everything_there_it_is_admitted(desk: Desk) -> None:
    assert desk.verify(generate.Case(why="", change=USED, **DEMANDS)).code == 0


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (("agent", "model"), "agent.model"),
        (("run", "usage"), "usage.limits"),
        (("run", "iterations"), "usage.limits"),
        (("run", "toolCalls"), "usage.limits"),
    ],
)
def test_threat_03_what_a_profile_demands_cannot_be_left_out(desk: Desk, path: Path, rule: str) -> None:
    seen = desk.verify(generate.Case(why="", change=generate.both(USED, without(*path)), **DEMANDS))
    assert (seen.code, seen.violations) == (12, {rule})


@pytest.mark.parametrize("part", ["packet", "input", "outputManifest"])
def test_threat_03_part_of_a_context_is_malformed_and_none_of_it_refuted(desk: Desk, part: str) -> None:
    flags = generate.CONTEXT_FLAGS
    some = generate.both(generate.context(), without("context", part))
    assert desk.verify(generate.Case(why="", change=some, flags=flags)).code == 3
    assert desk.verify(generate.Case(why="", flags=flags)).violations == {"context.equal"}


def test_threat_03_a_seal_of_the_verifiers_cannot_be_left_out(desk: Desk) -> None:
    case = generate.Case(
        why="",
        change=generate.update("contract", sealed=[]),
        inputs=generate.CONTRACT,
        flags=["--contract", "contract.json"],
    )
    assert (desk.verify(case).code, desk.verify(case).violations) == (11, {"contract.held"})


def test_threat_03_an_audit_log_makes_its_pin_in_the_receipt_required(desk: Desk) -> None:
    case = generate.Case(why="", inputs=generate.audit_file(generate.chain()), flags=["--audit-log", "audit.jsonl"])
    seen = desk.verify(case)
    assert (seen.code, seen.violations) == (11, {"audit.log"})


def test_threat_03_a_flag_that_cannot_be_followed_is_refused_not_forgotten(desk: Desk) -> None:
    seen = desk.run("verify", *desk.lay(generate.Case(why="")), "--overlay", "hidden")
    assert seen.code == 2
    assert "--overlay needs --repo" in seen.err


@pytest.mark.parametrize(
    ("flags", "text", "code"),
    [
        (["--repository", "https://example.com/r"], "", "freshness.repository"),
        ([], '[source]\nrepository = "https://example.com/r"\n', "freshness.repository"),
        ([], '[contract]\nsealed = ["tests/**"]\n', "contract.coverage"),
        ([], '[change]\nallowed = ["src/**"]\n', "change.scope"),
        ([], '[tests]\nrunner = "go"\nargv = ["/usr/bin/go", "test", "./..."]\n', "tests.inventory"),
    ],
)
def test_threat_03_a_demand_that_nobody_checked_denies(desk: Desk, flags: list[str], text: str, code: str) -> None:
    members: dict[str, Any] = profile(text) if text else {}
    seen = desk.run("verify", *desk.lay(generate.Case(why="", **members)), *flags, "--json")
    assert seen.code == 12
    decision = json.loads(seen.out)["decision"]
    assert code in decision["demanded"]
    assert code in {said for violation in decision["violations"] for said in (violation["code"], violation.get("term"))}
