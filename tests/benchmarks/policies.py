"""Decisions: the embedded engine against OPA as a server and as a process; the same decisions are asserted.

All rules are on: the strictest collection, and the sections of the profile that demand more. A server is asked for its
answer alone, ours are whole decisions, with the input written and the answer checked. Where a target is a time, the
peer is a multiple of what the bare interpreter takes to start, which design takes for 10 ms. regorus 0.13.0 is no peer
here: it stops at the aggregator of this policy ("not an object").
"""

import http.client
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.custom.tools import whole_bundle
from in_toto_done_receipt.admission.decide import decide, policy_input
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.engines import PolicyEngine, close_engine, open_engine
from in_toto_done_receipt.admission.sources import ENTRYPOINT, policy_folder
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.wire.record import to_tree
from tests.benchmarks.measure import Row, in_turn, warm
from tests.benchmarks.receipts import result_of
from tests.running_opa import running_opa

OPA: Final = Path(__file__).parents[2] / ".tools" / "bin" / "opa"
_PATH: Final = f"/v1/data/{ENTRYPOINT}?strict-builtin-errors=true"
_MEBIBYTE: Final = 2**20
_IMPORT: Final = "import sys;from in_toto_done_receipt.admission.embedded import EmbeddedEngine as E;e=E();"
_DECIDE: Final = "e.decide(open(sys.argv[1],'rb').read(),30.0);e.close()"


def _document() -> dict[str, Any]:
    """The strictest settings there are."""
    collections = load_catalogue().collections
    strictest = max(collections, key=lambda name: len(collections[name]))
    more = {"agent": {"models": ["model-1"]}, "usage": {"maxIterations": 1000}}
    return {**Settings().policy_document(), "collection": strictest, **more}


DOCUMENT: Final = _document()


def rows(scratch: Path, rounds: int) -> Iterator[Row]:
    """Warm decisions of four sizes, the first decision of a cold process, memory, and the policy's own tests."""
    with running_opa(OPA, whole_bundle(policy_folder())) as url:
        for what, items, subjects, target in (
            ("decision, 20 evidence items", 20, 1, None),
            ("decision, 200 evidence items", 200, 1, 1.25),
            ("decision, 5,000 subjects and findings", 20, 5_000, None),
            ("decision, 10,000 subjects and findings", 20, 10_000, 0.4),
        ):
            result = result_of(scratch, items=items, subjects=subjects)
            yield _warm(what, result, target, url, rounds)
    yield from _cold(scratch, rounds)
    yield _memory(scratch)
    yield _suite(rounds)


def _decided(engine: PolicyEngine, result: VerificationResult) -> Decision:
    at = result.evaluated_at
    return decide(result, DOCUMENT, engine=engine, evaluated_at=at, seconds=60.0, catalogue=load_catalogue())


def _input(result: VerificationResult, decision: Decision) -> bytes:
    return policy_input(result, DOCUMENT, codes=decision.demanded, evaluated_at=result.evaluated_at)


def _warm(what: str, result: VerificationResult, target: float | None, url: str, rounds: int) -> Row:
    engine, server = EmbeddedEngine(jit=True), open_engine(f"opa-server={url}")
    decision, theirs = _decided(engine, result), _decided(server, result)
    assert {**to_tree(decision), "engine": None} == {**to_tree(theirs), "engine": None}
    body = b'{"input":' + _input(result, decision) + b"}"
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)

    def ask() -> Any:
        connection.request("POST", _PATH, body, {"Content-Type": "application/json"})
        return json.loads(connection.getresponse().read())["result"]

    times = warm({"ours": lambda: _decided(engine, result), "OPA server": ask}, rounds=rounds * 2)
    connection.close()
    for each in (engine, server):
        close_engine(each)
    return Row(what=what, ours=times["ours"], peer="OPA server", theirs=times["OPA server"], target=target)


def _cold(scratch: Path, rounds: int) -> Iterator[Row]:
    result = result_of(scratch, items=20)
    engine = EmbeddedEngine()
    path = scratch / "input.json"
    path.write_bytes(_input(result, _decided(engine, result)))
    engine.close()
    files = ["--data", str(policy_folder() / "done_receipt")]
    commands: dict[str, tuple[list[Any], int]] = {
        "ready": ([sys.executable, "-I", "-c", _IMPORT, path], 0),
        "decided": ([sys.executable, "-I", "-c", _IMPORT + _DECIDE, path], 0),
        "interpreter": ([sys.executable, "-I", "-c", "pass"], 0),
        "opa eval": ([OPA, "eval", *files, "--input", path, f"data.{ENTRYPOINT.replace('/', '.')}"], 0),
    }
    costs = in_turn(commands, cwd=scratch, rounds=rounds * 2)
    bare = costs["interpreter"].cpu  # one thread computes; the wall clock would measure what else the machine does
    ready, decided = costs["ready"].cpu - bare, costs["decided"].cpu - bare
    yield Row(what="cold process, ready to decide", ours=ready, peer="4 bare interpreters", theirs=4 * bare, target=1.0)
    yield Row(
        what="first decision of a cold process, 20 items",
        ours=decided,
        peer="6 bare interpreters",
        theirs=6 * bare,
        target=1.0,
        memory=costs["decided"].peak,
    )
    wall = costs["decided"].wall
    yield Row(what="the same, with the interpreter", ours=wall, peer="opa eval", theirs=costs["opa eval"].wall)


def _memory(scratch: Path) -> Row:
    """A thousand decisions in this process: what it holds must not grow with their number."""
    result = result_of(scratch, items=200)
    engine = EmbeddedEngine()
    for _ in range(200):  # the first ones compile, and fill what is kept
        _decided(engine, result)
    before, begin = _resident(), time.perf_counter()
    for _ in range(1_000):
        _decided(engine, result)
    spent, grown = time.perf_counter() - begin, _resident() - before
    engine.close()
    assert grown < 8 * _MEBIBYTE, f"1,000 decisions hold {grown} bytes more"
    return Row(
        what="1,000 decisions in one process",
        ours=spent,
        peer="none",
        theirs=None,
        memory=grown / _MEBIBYTE,
        note="MiB: what it holds more after the last than before the first",
    )


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _suite(rounds: int) -> Row:
    """`opa test` of the whole policy."""
    spent = []
    for _ in range(min(rounds, 3)):
        begin = time.perf_counter()
        subprocess.run([OPA, "test", policy_folder() / "done_receipt"], check=True, capture_output=True)
        spent.append(time.perf_counter() - begin)
    return Row(what="opa test of the whole policy", ours=min(spent), peer="5 s", theirs=5.0, target=1.0)
