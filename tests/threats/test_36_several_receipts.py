"""Attack: several receipts, claims mixed from two, a file that is two formats, an empty directory, a hidden failure.
Answer: one payload satisfies everything; the worst file decides; a trusted failing receipt of the same output is said.
"""

import json
from typing import Any

import pytest

from testdata.receipts import generate
from tests.threats import keyless
from tests.threats.conftest import Desk

FAILED = generate.failed("the tests were red")


def beside(desk: Desk, *changes: generate.Change, signers: tuple[str, ...] = ("worker",)) -> list[str]:
    """A file of an honest receipt and, before and after it, one for each change."""

    def write(payload: bytes) -> str:
        others = []
        for change in changes:
            statement = json.loads(payload)
            change(statement, statement["predicate"])
            others.append(json.dumps(generate.envelope(generate.payload_of(statement), signers)))
        return "\n".join([*others[1:], json.dumps(generate.envelope(payload)), *others[:1]]) + "\n"

    return desk.lay(generate.Case(why="", write=write))


def test_threat_36_claims_of_two_do_not_add_up(desk: Desk) -> None:
    more = {"id": "fast", "statement": "fast", "evidence": []}
    first: generate.Change = lambda _s, p: p["claims"].append(more)  # noqa: E731
    second: generate.Change = lambda _s, p: p.update(  # noqa: E731
        claims=[{**p["claims"][0], "evidence": []}, {**more, "evidence": [generate.text_item()]}]
    )
    payloads = []
    for change in (first, second):
        statement = generate.base()
        change(statement, statement["predicate"])
        payloads.append(json.dumps(generate.envelope(generate.payload_of(statement))))
    seen = desk.verify(generate.Case(why="", write=lambda _payload: "\n".join(payloads) + "\n"))
    assert (seen.code, seen.result["assurance"]) == (12, "partially_rechecked")


def test_threat_36_signers_of_two_do_not_add_up(desk: Desk) -> None:
    def write(payload: bytes) -> str:
        other = payload.replace(b'"iterations":3', b'"iterations":4')
        return "\n".join(
            json.dumps(generate.envelope(part, (who,))) for part, who in ((payload, "worker"), (other, "second"))
        )

    trust = ["--trust", "trust.toml"]
    inputs = {"trust.toml": generate.THRESHOLD.format("second")}
    assert desk.verify(generate.Case(why="", write=write, trust=trust, inputs=inputs)).code == 10


@pytest.mark.parametrize("count", [1, 2, 25])
def test_threat_36_a_trusted_failure_of_the_same_output_is_a_warning(desk: Desk, count: int) -> None:
    others = [generate.both(FAILED, generate.update("run", iterations=n)) for n in range(count)]
    seen = desk.run("verify", *beside(desk, *others), "--json")
    assert (seen.code, seen.warnings) == (0, {"statement.coherent"})
    found = [f for check in seen.result["checks"] for f in check["findings"] if f["reason"] == "statement.contradicted"]
    assert len(found) == min(count, 21)
    assert "says that the work failed" in found[0]["message"]


def test_threat_36_a_refuted_receipt_of_the_same_output_is_one_too(desk: Desk) -> None:
    lying = generate.claims(generate.file_item(), generate.text_item("goodbye"))
    seen = desk.run("verify", *beside(desk, lying), "--json")
    assert (seen.code, seen.warnings, "statement.contradicted" in seen.reasons) == (0, {"statement.coherent"}, True)


@pytest.mark.parametrize(
    ("change", "signers"),
    [
        (FAILED, ("stranger",)),
        (generate.both(FAILED, lambda s, _p: s.update(subject=[generate.file("other.txt", "x")])), ("worker",)),
        (generate.both(FAILED, lambda s, _p: s.update(subject=[generate.file("greeting.txt", "x")])), ("worker",)),
        (generate.update("verdict", checked=False, passed=False), ("worker",)),
        (generate.both(FAILED, lambda s, _p: s.update(predicateType="https://example.com/x")), ("worker",)),
    ],
    ids=["a stranger's", "another output", "other bytes", "unchecked", "another type"],
)
def test_threat_36_no_false_alarm(desk: Desk, change: generate.Change, signers: tuple[str, ...]) -> None:
    seen = desk.run("verify", *beside(desk, change, signers=signers), "--json")
    assert (seen.code, seen.warnings) == (0, set())


def test_threat_36_recompute_and_admit_say_it_as_verify_does(desk: Desk) -> None:
    arguments = beside(desk, FAILED)
    assert desk.run("recompute", *arguments, "--out", "result.json").code == 0
    seen = desk.run("admit", "result.json", "--json")
    assert (seen.code, seen.warnings) == (0, {"statement.coherent"})


def test_threat_36_of_several_files_the_worst_decides(desk: Desk) -> None:
    arguments = desk.lay(generate.Case(why=""))
    failing = generate.base()
    FAILED(failing, failing["predicate"])
    desk.write("failing.json", generate.pretty(generate.envelope(generate.payload_of(failing))))
    desk.write("strange.json", generate.pretty(generate.envelope(generate.payload_of(failing), ("stranger",))))
    for others, code in ((["failing.json"], 12), (["failing.json", "strange.json"], 10), (["missing.json"], 3)):
        assert desk.run("verify", *others, *arguments).code == code


@pytest.mark.parametrize("place", ["empty", "workspace", "."])
def test_threat_36_a_directory_is_no_receipt(desk: Desk, place: str) -> None:
    arguments = desk.lay(generate.Case(why=""))
    (desk.folder / "empty").mkdir()
    assert desk.run("verify", place, *arguments[1:]).code == 3
    assert desk.run("verify", *arguments, place).code == 2 or desk.run("verify", place, *arguments).code == 3


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "{}\n", "[]", "null", '{"a":1}\n{"b":2}\n'],
    ids=["none", "blank", "object", "list", "null", "lines"],
)
def test_threat_36_nothing_to_verify_is_an_error(desk: Desk, text: str) -> None:
    assert desk.verify(generate.Case(why="", write=lambda _payload: text)).code == 3


@pytest.mark.parametrize("mark", ["dsseEnvelope", "messageSignature", "predicateType", "_type"])
def test_threat_36_two_formats_at_once_are_malformed(desk: Desk, mark: str) -> None:
    more = {mark: {} if "e" in mark[-1:] and mark.startswith("d") else "x", "subject": []}
    write = lambda payload: generate.pretty(generate.envelope(payload) | more)  # noqa: E731
    assert desk.verify(generate.Case(why="", write=write)).code == 3


OTHER = "other@example.org"
TWO_OF = "threshold = 2\n" + keyless.identity("dev") + keyless.identity("other", subject=OTHER)
THREE_OF = TWO_OF.replace("2", "3", 1) + keyless.WORKER


def of_another(write: keyless.Writer) -> keyless.Writer:
    """The same of a payload that differs in one number."""
    return lambda payload: write(payload.replace(b'"iterations":3', b'"iterations":4'))


@pytest.mark.parametrize("rekor", ["v1", "v2"])
def test_threat_36_bundles_of_one_payload_meet_a_threshold(desk: Desk, rekor: str) -> None:
    write = keyless.lines(keyless.bundle(), keyless.bundle(identity=OTHER, rekor=rekor))
    assert desk.verify(keyless.case(TWO_OF + keyless.ROOT, write)).code == 0


def test_threat_36_bundles_and_envelopes_meet_it_together(desk: Desk) -> None:
    parts = keyless.bundle(), keyless.plain(), keyless.bundle(identity=OTHER)
    seen = desk.verify(keyless.case(THREE_OF + keyless.ROOT, keyless.lines(*parts)))
    assert (seen.code, seen.result["attesterNames"]) == (0, ["dev", "other", "worker"])
    assert desk.verify(keyless.case(THREE_OF + keyless.ROOT, keyless.lines(*parts[:2]))).code == 10


@pytest.mark.parametrize("position", [0, 1, 2])
def test_threat_36_bundles_of_two_payloads_do_not(desk: Desk, position: int) -> None:
    parts = [keyless.bundle(), keyless.plain(), keyless.bundle(identity=OTHER)]
    parts[position] = of_another(parts[position])
    seen = desk.verify(keyless.case(THREE_OF + keyless.ROOT, keyless.lines(*parts)))
    assert (seen.code, "signature.threshold" in seen.reasons) == (10, True)


@pytest.mark.parametrize("payload", ["same", "another"])
def test_threat_36_conditions_hold_of_one_certificate(desk: Desk, payload: str) -> None:
    """The right identity with the wrong claim, and the wrong identity with the right claim."""
    text = keyless.identity("dev", more='claims = { buildTrigger = "push" }') + keyless.ROOT
    second = keyless.bundle(identity=OTHER, claims={"buildTrigger": "push"})
    parts = keyless.bundle(), second if payload == "same" else of_another(second)
    seen = desk.verify(keyless.case(text, keyless.lines(*parts)))
    assert (seen.code, "signature.claims" in seen.reasons) == (10, True)
    right = keyless.bundle(claims={"buildTrigger": "push"})
    assert desk.verify(keyless.case(text, keyless.lines(*parts, right))).code == 0


def test_threat_36_a_bundle_that_does_not_verify_takes_nothing_away(desk: Desk) -> None:
    liar = keyless.FORGE.with_stranger("authority")
    write = keyless.lines(keyless.bundle(), lambda payload: json.dumps(liar.bundle(payload, signer="liar")))
    assert desk.verify(keyless.case(keyless.identity("dev") + keyless.ROOT, write)).code == 0


def test_threat_36_a_bundle_is_one_format(desk: Desk) -> None:
    text = keyless.identity("dev") + keyless.ROOT
    others: list[dict[str, Any]] = [{"messageSignature": {}}, generate.envelope(b"{}"), {"_type": "x", "subject": []}]
    for other in others:
        write = lambda payload, other=other: json.dumps(keyless.FORGE.bundle(payload) | other)  # noqa: E731
        assert desk.verify(keyless.case(text, write)).code == 3
