"""Decisions: the embedded engine against OPA as a server and as a process; the same answers are asserted.

regorus 0.13.0 is no peer here: it stops at the aggregator of this policy ("not an object").
"""

import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.decide import decide, policy_input
from in_toto_done_receipt.admission.demands import demanded
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.sources import policy_folder, rego_files
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.results.model import VerificationResult
from tests.benchmarks.measure import Row, in_turn, warm
from tests.benchmarks.receipts import result_of

OPA = Path(__file__).parents[2] / ".tools" / "bin" / "opa"
_HEADERS = {"Content-Type": "application/json"}
DOCUMENT = Settings().policy_document()


def rows(scratch: Path, rounds: int) -> Iterator[Row]:
    """Warm decisions of three sizes, and the first decision of a cold process."""
    with _server() as connection:
        for what, items, subjects, target in (
            ("decision, 20 evidence items", 20, 1, None),
            ("decision, 200 evidence items", 200, 1, 1.25),
            ("decision, 10,000 subjects and findings", 20, 10_000, 0.4),
        ):
            result = result_of(scratch, items=items, subjects=subjects)
            yield from _warm(what, result, target, connection, rounds)
    yield from _cold(scratch, rounds)


def _warm(
    what: str,
    result: VerificationResult,
    target: float | None,
    connection: http.client.HTTPConnection,
    rounds: int,
) -> Iterator[Row]:
    codes = demanded(load_catalogue(), DOCUMENT)
    raw = policy_input(result, DOCUMENT, codes=codes, evaluated_at=result.evaluated_at)
    engine, catalogue = EmbeddedEngine(jit=True), load_catalogue()

    def ours() -> Any:
        return decide(
            result, DOCUMENT, engine=engine, evaluated_at=result.evaluated_at, seconds=60.0, catalogue=catalogue
        )

    def server() -> Any:
        body = b'{"input":' + raw + b"}"
        connection.request(
            "POST", "/v1/data/done_receipt/admission/decision", body, {"Content-Type": "application/json"}
        )
        return json.loads(connection.getresponse().read())["result"]

    assert ours().allow is server()["allow"] is True
    times = warm({"ours": ours, "OPA server": server}, rounds=rounds * 2)
    engine.close()
    yield Row(what=what, ours=times["ours"], peer="OPA server", theirs=times["OPA server"], target=target)


def _cold(scratch: Path, rounds: int) -> Iterator[Row]:
    result = result_of(scratch, items=20)
    raw = policy_input(result, DOCUMENT, codes=demanded(load_catalogue(), DOCUMENT), evaluated_at=result.evaluated_at)
    path = scratch / "input.json"
    path.write_bytes(raw)
    first = (
        "import sys;from in_toto_done_receipt.admission.embedded import EmbeddedEngine as E;"
        "e=E();e.decide(open(sys.argv[1],'rb').read(),30.0);e.close()"
    )
    evaluate = [OPA, "eval", "--data", policy_folder() / "done_receipt", "--input", path, "data.done_receipt.admission"]
    commands: dict[str, tuple[list[Any], int]] = {
        "ours": ([sys.executable, "-I", "-c", first, path], 0),
        "interpreter": ([sys.executable, "-I", "-c", "pass"], 0),
        "opa eval": (evaluate, 0),
    }
    costs = in_turn(commands, cwd=scratch, rounds=rounds)
    ours = costs["ours"].wall - costs["interpreter"].wall
    note = "target: 60 ms in all above the bare interpreter"
    yield Row(
        what="first decision of a cold process, 20 items",
        ours=ours,
        peer="opa eval",
        theirs=costs["opa eval"].wall,
        memory=costs["ours"].peak,
        note=note,
    )


@contextmanager
def _server() -> Iterator[http.client.HTTPConnection]:
    """OPA on a free port of loopback, with the policy; one kept connection."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    files = [str(path) for path in rego_files(policy_folder() / "done_receipt")]
    argv = [str(OPA), "run", "--server", "--log-level", "error", "--addr", f"127.0.0.1:{port}", *files]
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        for _ in range(200):
            try:
                connection.request("GET", "/health")
                connection.getresponse().read()
                break
            except OSError:
                connection.close()
                time.sleep(0.05)
        yield connection
    finally:
        connection.close()
        process.terminate()
        process.wait()
