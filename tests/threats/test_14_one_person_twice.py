"""Attack: two keys of one person as two signers, one signature twice, a signer who claims another agent's name.
Answer: a threshold counts principals, one key stands once, and scopes bind signers to what they may speak for.
"""

import json

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk

TWO_SIGNERS = lambda payload: generate.pretty(generate.envelope(payload, ("worker", "second")))  # noqa: E731
STRANGER = generate.STRANGER
SCOPES = {
    "agent": 'agents = ["another"]\n',
    "model": 'models = ["model-2"]\n',
    "repository": 'repositories = ["https://example.com/r"]\n',
    "type": 'predicateTypes = ["https://example.com/other"]\n',
    "beginning": 'agents = ["worker"]\n',
    "case": 'agents = ["Worker-agent"]\n',
    "expression": 'agents = ["worker-.*"]\n',
}


def trust(text: str) -> dict[str, object]:
    return {"inputs": {"trust.toml": text}, "trust": ["--trust", "trust.toml"]}


def doubled(payload: bytes) -> str:
    tree = generate.envelope(payload)
    tree["signatures"] *= 2
    return generate.pretty(tree)


def lines(payload: bytes) -> str:
    return "\n".join([json.dumps(generate.envelope(payload))] * 3) + "\n"


def test_threat_14_two_principals_meet_a_threshold_of_two(desk: Desk) -> None:
    case = generate.Case(why="", write=TWO_SIGNERS, **trust(generate.THRESHOLD.format("second")))  # type: ignore[arg-type]
    assert desk.verify(case).code == 0


@pytest.mark.parametrize("write", [TWO_SIGNERS, doubled, lines], ids=["two keys", "doubled", "lines"])
def test_threat_14_one_principal_is_one_signer(desk: Desk, write: object) -> None:
    text = generate.THRESHOLD.format("worker") + STRANGER
    seen = desk.verify(generate.Case(why="", write=write, **trust(text)))  # type: ignore[arg-type]
    assert (seen.code, "signature.threshold" in seen.reasons) == (10, True)


def test_threat_14_one_key_cannot_be_two_principals(desk: Desk) -> None:
    text = generate.THRESHOLD.format("second").replace("second.pub", "worker.pub")
    case = generate.Case(why="", write=TWO_SIGNERS, **trust(text))  # type: ignore[arg-type]
    seen = desk.run("verify", *desk.lay(case))
    assert (seen.code, "are the same key" in seen.err) == (4, True)


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_threat_14_a_signer_speaks_for_its_scope_only(desk: Desk, scope: str) -> None:
    seen = desk.verify(generate.Case(why="", **trust(generate.SCOPED + scope)))  # type: ignore[arg-type]
    assert (seen.code, "signature.out_of_scope" in seen.reasons) == (10, True)


def test_threat_14_leaving_the_model_out_is_out_of_every_scope(desk: Desk) -> None:
    change: generate.Change = lambda _statement, predicate: predicate["agent"].pop("model")  # noqa: E731
    text = generate.SCOPED + 'models = ["model-1"]\n'
    assert desk.verify(generate.Case(why="", **trust(text))).code == 0  # type: ignore[arg-type]
    assert desk.verify(generate.Case(why="", change=change, **trust(text))).code == 10  # type: ignore[arg-type]


def test_threat_14_a_signer_out_of_scope_does_not_count_for_the_threshold(desk: Desk) -> None:
    text = generate.THRESHOLD.format("second") + 'agents = ["another"]\n'
    assert desk.verify(generate.Case(why="", write=TWO_SIGNERS, **trust(text))).code == 10  # type: ignore[arg-type]
