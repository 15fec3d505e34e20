"""Attack: two keys of one person as two signers, one signature twice, a signer who claims another agent's name.
Answer: a threshold counts principals, one key stands once, and scopes bind signers to what they may speak for.
"""

import json

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from testdata.receipts import generate
from tests.threats import keyless
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


KEYLESS_SCOPES = [scope for name, scope in SCOPES.items() if name != "beginning"]
TWO_OF = "threshold = 2\n"
ALICE = keyless.identity("alice-oidc", principal="worker")  # the person who holds the key of `worker`


def threshold(desk: Desk, text: str, *writers: keyless.Writer) -> int:
    """The exit code; 10 always for want of signers."""
    seen = desk.verify(keyless.case(TWO_OF + text + keyless.THIRD + keyless.ROOT, keyless.lines(*writers)))
    assert ("signature.threshold" in seen.reasons) == (seen.code == 10)
    return seen.code


@pytest.mark.parametrize(("principal", "code"), [("worker", 10), ("Worker", 10), ("dev", 0)])
def test_threat_14_key_and_identity_of_one_person(desk: Desk, principal: str, code: int) -> None:
    text = keyless.WORKER + keyless.identity("oidc", principal=principal)
    assert threshold(desk, text, keyless.plain(), keyless.bundle()) == code


@pytest.mark.parametrize("rekor", ["v1", "v2"])
def test_threat_14_two_certificates_of_one_identity(desk: Desk, rekor: str) -> None:
    first, second = keyless.bundle(signer="first"), keyless.bundle(signer="second", rekor=rekor)
    assert threshold(desk, keyless.identity("dev") + keyless.WORKER, first, second) == 10


@pytest.mark.parametrize(
    ("other", "issuer"),
    [
        (keyless.MAIL, "https://other.example.org"),
        (keyless.MAIL.title(), keyless.ISSUER),
        (keyless.MAIL.replace("example", "EXAMPLE"), "https://other.example.org"),
    ],
    ids=["two issuers", "case", "both"],
)
def test_threat_14_one_mailbox_under_two_names(desk: Desk, other: str, issuer: str) -> None:
    text = keyless.identity("a") + keyless.identity("b", subject=other, issuer=issuer) + keyless.WORKER
    both = keyless.bundle(), keyless.bundle(signer="second", identity=other, issuer=issuer)
    assert threshold(desk, text, *both) == 10
    assert threshold(desk, text, *both, keyless.plain()) == 0


def test_threat_14_two_people_are_two(desk: Desk) -> None:
    text = keyless.identity("a") + keyless.identity("b", subject="other@example.org")
    assert threshold(desk, text, keyless.bundle(), keyless.bundle(identity="other@example.org")) == 0


def test_threat_14_one_key_certified_for_two_people(desk: Desk) -> None:
    text = keyless.identity("a") + keyless.identity("b", subject="other@example.org")
    both = keyless.bundle(signer="one"), keyless.bundle(signer="one", identity="other@example.org")
    assert threshold(desk, text, *both) == 10


def test_threat_14_a_key_and_a_certificate_for_it(desk: Desk) -> None:
    """One signature, once beside the key's hint and once beside a certificate."""
    pem = keyless.FORGE.key("one").public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    text = f"[[key]]\nname = 'one'\npem = '''{pem.decode()}'''\n" + keyless.identity("dev")
    managed: keyless.Writer = lambda p: json.dumps(keyless.FORGE.managed(p, keyless.FORGE.key("one")))  # noqa: E731
    assert threshold(desk, text, managed, keyless.bundle(signer="one")) == 10
    assert threshold(desk, text, managed, keyless.bundle(signer="another")) == 0


def test_threat_14_one_identity_cannot_be_two_principals(desk: Desk) -> None:
    claims = 'claims = { buildTrigger = "push" }'
    text = keyless.identity("a", more=claims) + keyless.identity("b") + keyless.WORKER
    assert threshold(desk, text, keyless.bundle(claims={"buildTrigger": "push"})) == 10
    arguments = desk.lay(keyless.case(TWO_OF + text.removesuffix(keyless.WORKER) + keyless.ROOT, keyless.bundle()))
    seen = desk.run("verify", *arguments)
    assert (seen.code, "threshold is 2, with 1 principal(s)" in seen.err) == (4, True)


@pytest.mark.parametrize("first", [True, False], ids=["named first", "expression first"])
def test_threat_14_who_is_named_is_nobody_else_by_a_wider_rule(desk: Desk, first: bool) -> None:
    anyone = keyless.identity("anyone", subject=r"~[a-z]+@example\.org")
    text = keyless.WORKER + (ALICE + anyone if first else anyone + ALICE)
    assert threshold(desk, text, keyless.plain(), keyless.bundle()) == 10
    assert threshold(desk, text, keyless.plain(), keyless.bundle(identity="other@example.org")) == 0


def test_threat_14_who_is_named_does_not_step_around_the_claims(desk: Desk) -> None:
    named = keyless.identity("named", more='claims = { runnerEnvironment = "github-hosted" }')
    wide = keyless.identity("wide", subject=r"~[a-z]+@example\.org")
    case = keyless.case(named + wide + keyless.ROOT, keyless.bundle(claims={"runnerEnvironment": "self-hosted"}))
    seen = desk.verify(case)
    assert (seen.code, "signature.claims" in seen.reasons) == (10, True)


def test_threat_14_people_whom_one_expression_fits_are_one_principal(desk: Desk) -> None:
    text = keyless.identity("anyone", subject=r"~[a-z]+@example\.org") + keyless.WORKER
    assert threshold(desk, text, keyless.bundle(), keyless.bundle(identity="other@example.org")) == 10


@pytest.mark.parametrize("scope", KEYLESS_SCOPES)
def test_threat_14_an_identity_speaks_for_its_scope_only(desk: Desk, scope: str) -> None:
    seen = desk.verify(keyless.case(keyless.identity("dev", more=scope) + keyless.ROOT, keyless.bundle()))
    assert (seen.code, "signature.out_of_scope" in seen.reasons) == (10, True)


def test_threat_14_an_identity_in_scope_counts_by_whichever_entry(desk: Desk) -> None:
    narrow = keyless.identity("narrow", principal="dev", more='agents = ["another"]\n')
    right = keyless.identity("right", principal="dev", more='agents = ["worker-agent"]\n')
    for text in (narrow + right, right + narrow):
        seen = desk.verify(keyless.case(text + keyless.ROOT, keyless.bundle()))
        assert (seen.code, [signer["name"] for signer in seen.result["signers"]]) == (0, ["right"])


def test_threat_14_an_identity_out_of_scope_does_not_count(desk: Desk) -> None:
    text = TWO_OF + keyless.WORKER + keyless.identity("dev", more='agents = ["another"]\n') + keyless.ROOT
    seen = desk.verify(keyless.case(text, keyless.lines(keyless.plain(), keyless.bundle())))
    assert (seen.code, "signature.out_of_scope" in seen.reasons) == (10, True)


def test_threat_14_scopes_do_not_split_a_person_in_two(desk: Desk) -> None:
    """The entry that shows that both signers are one person is out of scope; it shows that all the same."""
    here, elsewhere = 'agents = ["worker-agent"]\n', 'agents = ["another"]\n'
    text = (
        keyless.WORKER
        + here
        + keyless.identity("named", principal="worker", more=elsewhere)
        + keyless.identity("other name", principal="second", more=here)
        + keyless.THIRD
    )
    seen = desk.verify(keyless.case(TWO_OF + text + keyless.ROOT, keyless.lines(keyless.plain(), keyless.bundle())))
    assert seen.code == 10
