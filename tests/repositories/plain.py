"""A test runner without processes, for tests of what the clean room makes of a runner.

Tests stand in `tests/*.t`: a line `test NAME`, then one line for each statement: `fail`, `skip`, `xfail`, `needs WORD`
(of product.txt), `after NAME` (which must not have failed), `odd` (passes in runs of an odd number only), `even`, `ask
FIFO` (the gate), `gone` (base does not have it every time). Words of product.txt are what a product can do.
"""

from collections.abc import Collection
from pathlib import Path

from in_toto_done_receipt.observe.runners.judge import Event, judge
from in_toto_done_receipt.observe.runners.model import Planted, Site, Sources, TestRun, TestState
from in_toto_done_receipt.observe.runners.room import Room


class PlainRunner:
    """See `TestRunner`. `runs` counts; words of product.txt:

    `forge`     everything is reported passed, and nothing is entered
    `forge-ID`  so is this one test
    `reads-ID`  so is this one, unless the gate says that it is to fail
    `break`     the run ends without its end
    `drop`      tests that the verifier planted are not collected
    `no-gate`   a file with a gate in it cannot be read; `no-edit` the same for a file with `fail` in it
    """

    name = "plain"

    def __init__(self) -> None:
        self.runs = 0

    def run(self, room: Room, argv: tuple[str, ...], sources: Sources) -> TestRun:
        """All tests, in order of their names."""
        self.runs += 1
        product = (room.tree / "product.txt").read_text(encoding="utf-8").split()
        tests = [test for path in sorted((room.tree / "tests").glob("*.t")) for test in _tests(path, room.tree)]
        if "drop" in product:
            tests = [(id, body) for id, body in tests if "zq" not in id]
        tests = [(id, body) for id, body in tests if "gone" not in body or self.runs % 2]
        events: list[Event] = [("plan", [id for id, _ in tests])]
        done: dict[str, TestState] = {}
        for id, body in tests:
            done[id] = self._one(id, body, product, done)
            events += [("start", id), (done[id], id)]
        events += [] if "break" in product else [("end", "")]
        events += [("bad", "cannot be read") for _, body in tests if "no-gate" in product and "ask" in "".join(body)]
        red = any(state == "failed" for state in done.values())
        planned, states, faults = judge(events, int(red))
        return TestRun(planned=planned, states=states, exit_code=int(red), faults=faults, duration_ms=1)

    def plant(self, argv: tuple[str, ...], sources: Sources, token: str) -> Planted:
        """One that fails and one that passes."""
        path = f"tests/{token}.t"
        text = "test bad\nfail\ntest good\n"
        return Planted(
            files={path: text.encode()}, failing=frozenset({f"{path}:bad"}), passing=frozenset({f"{path}:good"})
        )

    def sites(self, argv: tuple[str, ...], sources: Sources, ids: Collection[str]) -> tuple[Site, ...]:
        """After each line `test NAME`."""
        found = []
        for path in sources.paths():
            data, at = sources.read(path), 0
            for line in data.splitlines(keepends=True):
                at += len(line)
                id = f"{path}:{line.removeprefix(b'test ').decode().strip()}"
                if path.endswith(".t") and line.startswith(b"test ") and id in ids:
                    gate = None if b"ungated" in line else b"ask {}\n"
                    found.append(Site(path=path, position=at, fail=b"fail\n", gate=gate, ids=frozenset({id})))
        return tuple(found)

    def _one(self, id: str, body: list[str], product: list[str], done: dict[str, TestState]) -> TestState:
        if "forge" in product or f"forge-{id}" in product:
            return "passed"
        if f"reads-{id}" in product:
            gates = [Path(statement.removeprefix("ask ")) for statement in body if statement.startswith("ask ")]
            return "failed" if any(gate.read_bytes() != b"o" for gate in gates) else "passed"
        name = id.rpartition(":")[0]
        for statement in body:
            word, _, rest = statement.partition(" ")
            if word == "ask" and Path(rest).read_bytes() != b"o":
                return "failed"
            if word in ("skip", "xfail"):
                return "skipped" if word == "skip" else "xfailed"
            if (
                word == "fail"
                or (word == "needs" and rest not in product)
                or (word == "after" and done.get(f"{name}:{rest}") == "failed")
                or (word == "odd" and self.runs % 2 == 0)
                or (word == "even" and self.runs % 2 == 1)
            ):
                return "failed"
        return "passed"


def _tests(path: Path, root: Path) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("test "):
            found.append((f"{path.relative_to(root)}:{line.removeprefix('test ').strip()}", []))
        elif found:
            found[-1][1].append(line.strip())
    return found
