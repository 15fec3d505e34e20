"""Writes the cases of the clean room: python testdata/receipts/generate_clean_room.py [FOLDER].

clean_room/<case>[_fail]/ has history.json (a repository, see generate_changes.py), statement.json (what is signed when
the case runs), acceptance.toml (the verifier's profile), perhaps overlay/ (the verifier's hidden tests), expected.json
and README.md. Profile and statement name tools of the machine as {python}, {go}, {node}, {cargo}; paths that a case
needs besides stand in `provides`, and tests/repositories/rooms.py makes them. What is expected is written here by
hand, never by running:

`scenarios`: which of docs/reference/scenarios.md it shows. `claim`: the state of the one claim, where it matters.
`reasons`: all that some finding has that did not pass. `remarks`: all that a finding of the three checks of the clean
room has that passed, less the usual ones.
"""

import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from in_toto_done_receipt.profile.harness import Harness, in_use  # noqa: E402
from testdata.receipts.generate import NOW, pretty  # noqa: E402  (found by the line above)
from testdata.receipts.generate_changes import TRUST, Case  # noqa: E402
from testdata.receipts.room_projects import UNITTEST, Files, Project  # noqa: E402
from testdata.receipts.room_reasons import NOT_SEALED, OTHER_COMMAND, excepted  # noqa: E402
from tests.repositories.ids import commits_of  # noqa: E402

Json = dict[str, Any]

FLAGS = ["--repo", "{repo}", "--base", "{base}", "--head", "work", "--profile", "{profile}", "--recheck-commands"]


@dataclass(kw_only=True)
class RoomCase(Case):
    """One change whose tests run. `base` and `work` are files beside the project's, None leaves one out.

    `passed`, `skipped` and `cited` are what the receipt says of its own run, `claimed` the command it says it ran.
    `tests` are more keys of the profile's [tests], `more` is what stands after it. `evidence` is in the place of the
    item of kind tests.

    Tests and harness of base are sealed, unless the change touches one: then the profile leaves the tests to the clean
    room. With `agreed` it seals the others, and excepts the one that is touched. That a confirmed item ran another
    command than the verifier's is a remark that follows from `claimed`.
    """

    project: Project = UNITTEST
    scenarios: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()
    work: Files = field(default_factory=dict)
    claimed: tuple[str, ...] | None = None
    passed: int | None = None
    skipped: int = 0
    cited: tuple[str, ...] = ()
    argv: tuple[str, ...] | None = None
    tests: str = ""
    free: bool = False
    more: str = ""
    sealed: tuple[str, ...] = ()
    agreed: bool = False
    observed: Json = field(default_factory=dict)
    evidence: list[Json] | None = None
    predicate: Json = field(default_factory=dict)
    overlay: Files = field(default_factory=dict)
    provides: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    without_work: bool = False
    flags: list[str] = field(default_factory=lambda: list(FLAGS))
    claim: str = ""
    protected: str = ""

    def __post_init__(self) -> None:
        """The project's files, with those of the case."""
        self.work = self.work if self.without_work else {**self.project.work, **self.work}
        harness = Harness(in_use(self.stands))
        judging = [path for path in self.stands if harness.is_test(path) or (harness.why(path) and not _is_both(path))]
        touched = [path for path in judging if self.work.get(path, self.stands[path]) != self.stands[path]]
        self.free = bool(touched) and not self.agreed
        kept = [] if self.free else [path for path in judging if path not in touched]
        self.sealed = self.sealed or tuple(sorted(["SPEC.md", *kept]))
        if touched:
            self.reasons += (NOT_SEALED,)
        if self.agreed:
            self.more += "".join(excepted("contract.coverage", path) for path in touched)
        if self.confirmed and (self.claimed or self.project.claimed) != (self.argv or self.project.argv):
            self.remarks += (OTHER_COMMAND,)
            self.warnings = tuple(sorted({*self.warnings, "tests.confirmed"}))

    @property
    def confirmed(self) -> bool:
        """Whether the item of kind tests is confirmed: nothing of its own is against it."""
        own = ("evidence-tests", "statement")
        return self.evidence is None and not any(reason.startswith(own) for reason in self.reasons)

    @property
    def stands(self) -> dict[str, str]:
        """The files of the base revision."""
        return {path: text for path, text in {**self.project.files, **self.base}.items() if text is not None}

    def told(self) -> Json:
        """The history as it stands in history.json."""
        first: Json = {"name": "base", "branch": "main", "files": self.stands}
        second: Json = {"name": "work", "branch": "work", "from": "base", "files": self.work}
        second |= {"links": self.links} if self.links else {}
        return {**self.history, "commits": [first, second, *self.commits]}

    def statement(self, repo: Any, ids: dict[str, str]) -> Json:
        """The receipt: what the change is about, and that the tests ran."""
        statement = super().statement(repo, ids)
        predicate = statement["predicate"]
        predicate["task"]["description"] = "Prices can have a tax."
        (claim,) = predicate["claims"]
        claim |= {"id": "tested", "statement": "there is a tax, and all tests pass"}
        claim["evidence"] += [self.ran()] if self.evidence is None else self.evidence
        for member, value in self.predicate.items():
            predicate[member] = predicate[member] | value if isinstance(value, dict) else value
        return statement

    def ran(self) -> Json:
        """The evidence that tests ran, as the agent reports it."""
        counts = {"passed": self.project.passed if self.passed is None else self.passed, "skipped": self.skipped}
        observed = {"exitCode": 0, "report": {"sha256": "5" * 64, "bytes": 512}, "failed": 0, "errored": 0, **counts}
        observed |= self.observed
        item: Json = {"kind": "tests", "argv": list(self.claimed or self.project.claimed)}
        item |= {"cited": list(self.cited)} if self.cited else {}
        return item | {"observed": observed, "ok": True}

    def acceptance(self) -> str:
        """The verifier's profile."""
        argv = ", ".join(f'"{word}"' for word in self.argv or self.project.argv)
        free = 'exclude = ["contract.coverage"]\n' if self.free else ""
        sealed = f'\n[contract]\nsealed = ["SPEC.md"]\n{self.protected}'
        demanded = f'\n[tests]\nrunner = "{self.project.runner}"\nargv = [{argv}]\n{self.project.tests}{self.tests}'
        return f'version = 1\ncollection = "ci"\n{free}{sealed}{demanded}{self.more}'

    def files(self) -> dict[str, str]:
        """Name in the case directory -> text."""
        told = self.told()
        statement = pretty(self.statement(*commits_of(told)))
        expected: Json = {"arguments": ["{receipt}", *TRUST, "--at", NOW, *self.flags], "exitCode": self.code}
        expected |= {"scenarios": list(self.scenarios)} if self.scenarios else {}
        expected |= {"claim": self.claim} if self.claim else {}
        expected |= {"provides": list(self.provides)} if self.provides else {}
        expected |= {"environment": self.environment} if self.environment else {}
        if self.code not in (2, 3, 4):
            expected |= {"violations": list(self.violations), "warnings": list(self.warnings)}
            expected |= {"reasons": sorted(self.reasons), "remarks": sorted(self.remarks)}
        return {
            "README.md": self.why + "\n",
            "history.json": pretty(told),
            "statement.json": statement,
            "acceptance.toml": self.acceptance(),
            "expected.json": pretty(expected),
            **{f"overlay/{path}": text for path, text in self.overlay.items() if text is not None},
        }


def _is_both(path: str) -> bool:
    """A manifest that is product and harness at once need not be sealed."""
    return path.rpartition("/")[2] in ("pyproject.toml", "package.json", "Cargo.toml", "go.mod", "setup.cfg")


def write_cases(folder: Path) -> None:
    """Write everything below this folder, replacing what a former run left there."""
    from testdata.receipts.room_about import ABOUT  # they are made of what stands here
    from testdata.receipts.room_attacks import ATTACKS
    from testdata.receipts.room_gone import GONE
    from testdata.receipts.room_honest import HONEST
    from testdata.receipts.room_machine import MACHINES
    from testdata.receipts.room_oracles import ORACLES
    from testdata.receipts.room_reported import REPORTED
    from testdata.receipts.room_skipped import SKIPPED
    from testdata.receipts.room_usual import USUAL

    shutil.rmtree(folder / "clean_room", ignore_errors=True)
    refused = {f"{name}_fail": case for name, case in (REPORTED | SKIPPED | GONE | ORACLES | ABOUT | ATTACKS).items()}
    for name, case in (HONEST | USUAL | MACHINES | refused).items():
        for path, text in case.files().items():
            place = folder / "clean_room" / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    sys.modules["testdata.receipts.generate_clean_room"] = sys.modules["__main__"]
    write_cases(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
