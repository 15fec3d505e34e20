"""The tables of docs/reference/scenarios.md, made from the cases: python -m tests.conformance.scenario_tables.

The last one takes the verdicts of agent-countercheck from running it.
"""

import json
import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from tests.repositories.countercheck import can_be_asked, verdict_on
from tests.repositories.rooms import CASES

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "scenarios.md"
PRACTICE: Final = (24, 28, 29, 30)
NAMES: Final = sorted(path.parent.name for path in CASES.glob("*/expected.json"))

# What was reported, and where first or best.
REPORTED: Final[Mapping[int, tuple[str, str]]] = MappingProxyType(
    {
        1: ("results of tests and edits that never were", "anthropics/claude-code#1501"),
        2: ("a run failed, and is told as passed", "microsoft/vscode-copilot-release#8616"),
        3: ("it does not build, and all tests passed", "myshell-ai/AIlice#43"),
        4: ("success without a write; a claimed file was never written", "amd/gaia#3983"),
        5: ("only README changed", "chrismcdermut/proletariat#827"),
        6: ("tests rewritten, the choice of tests narrowed", "anthropics/claude-code#319"),
        7: ("failing tests are skipped", "anthropics/claude-code#45550"),
        8: ("what tests start from is changed", "anthropics/claude-code#45041"),
        9: ("tests that take the error for what is right", "anthropics/claude-code#33781"),
        10: ("rows written by hand do the work of the code", "anthropics/claude-code#94170"),
        11: ("what is expected is made by the product", "anthropics/claude-code#70231"),
        12: ("golden files regenerated in the run that they gate", "nao1215/atago#541"),
        13: ("a test file is emptied, and all is green", "sipyourdrink-ltd/bernstein#4834"),
        14: ("zero tests are green", "NousResearch/hermes-agent#71227"),
        15: ("a sweep deletes tests; tests ran at another commit", "SauersML/gam#2818"),
        16: ("a result is kept for later commits", "mengsig/dockmaster#185"),
        17: ("a push during verification", "prathamdby/pr-agent#536"),
        18: ("counts that do not add up", "Extra-Chill/homeboy#11286"),
        19: ("any file that is not empty is proof", "code-yeongyu/lazycodex#114"),
        20: ("artefacts and logs that the agent can write are evidence", "juspay/kolu#1583"),
        21: ("a test is cited that the commit does not have", "apexcloudwise/personaspeak#117"),
        22: ("files that steer the runner are slipped in", "SprocketLab/slop-code-bench#15"),
        23: ("thresholds and gates are lowered", "Alex1990/tiny-oss#75"),
        25: ("the process of the tests is turned against them", "arXiv 2511.18397, arXiv 2511.21654"),
        26: ("a receipt of something else is accepted", "agent-receipts/obsigna#477"),
        27: ("code of a change runs beside secrets", "openlit/openlit#1017"),
    }
)


def expected(name: str) -> dict[str, Any]:
    """The expected.json of a case."""
    tree: dict[str, Any] = json.loads((CASES / name / "expected.json").read_bytes())
    return tree


def why(name: str) -> str:
    """What a case is about."""
    return (CASES / name / "README.md").read_text(encoding="utf-8").strip()


def scenarios() -> list[str]:
    """A row for each scenario that has cases: checks, reason codes, cases."""
    rows = ["| # | reported | check: reason code | cases |", "|---|---|---|---|"]
    for number, (what, where) in REPORTED.items():
        names = [name for name in NAMES if number in expected(name).get("scenarios", ())]
        reasons = sorted({reason for name in names for reason in _reasons(name)})
        rows.append(f"| {number} | {what} ({where}) | {_by_check(reasons)} | {_listed(names)} |")
    return rows


def honest() -> list[str]:
    """A row for each honest change."""
    rows = ["| case | what changes | warnings |", "|---|---|---|"]
    for name in NAMES:
        if not name.endswith("_fail"):
            remarks = sorted(set(expected(name)["remarks"]))
            rows.append(f"| `{name}` | {why(name)} | {', '.join(f'`{one}`' for one in remarks) or 'none'} |")
    return rows


def countercheck(verdicts: Mapping[str, str]) -> list[str]:
    """A row for each case that both can be asked about."""
    rows = ["| case | done-receipt | agent-countercheck |", "|---|---|---|"]
    return rows + [f"| `{name}` | {_ours(name)} | {verdict} |" for name, verdict in sorted(verdicts.items())]


def askable() -> list[str]:
    """The cases of the last table."""
    return [name for name in NAMES if can_be_asked(name)]


def shown(table: str) -> list[str]:
    """The lines of a table as the page has it."""
    found = _pattern(table).search(PAGE.read_text(encoding="utf-8"))
    return [] if found is None else found[2].splitlines()


def _pattern(table: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- table: {table} -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)


def _reasons(name: str) -> list[str]:
    """What the case is refused for: findings, else rules that miss one, else a configuration."""
    tree = expected(name)
    if tree["exitCode"] == 4:
        return ["exit code 4"]
    found: list[str] = tree["reasons"]
    return found or [f"no finding, so rule.{code}" for code in tree["violations"]]


def _by_check(reasons: Iterable[str]) -> str:
    groups: dict[str, list[str]] = {}
    for reason in reasons:
        check, dot, code = reason.partition(".")
        groups.setdefault(check, []).extend([f"`{code}`"] if dot else [])
    return "; ".join(f"{check}: {', '.join(codes)}" if codes else check for check, codes in groups.items())


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _ours(name: str) -> str:
    code = expected(name)["exitCode"]
    return {0: "admitted", 11: "refuted", 12: "denied"}[code]


def write() -> None:
    """Write all tables into the page."""
    verdicts = {}
    for name in askable():
        with tempfile.TemporaryDirectory() as folder:
            verdicts[name] = verdict_on(name, Path(folder))
    tables = {"scenarios": scenarios(), "honest": honest(), "countercheck": countercheck(verdicts)}
    text = PAGE.read_text(encoding="utf-8")
    for table, rows in tables.items():
        before, begin, rest = text.partition(f"<!-- table: {table} -->\n")
        text = before + begin + "\n".join(rows) + "\n<!-- end -->" + rest.partition("<!-- end -->")[2]
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
