"""Both forms of the embedded engine, and OPA on the sources, decide alike, to the byte after sorting."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.custom.tools import whole_bundle
from in_toto_done_receipt.admission.decide import decide
from in_toto_done_receipt.admission.demands import demanded
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.engines import PolicyEngine, close_engine, open_engine
from in_toto_done_receipt.admission.opa import OpaEngine
from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.results.findings import Finding, worst
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.results.states import ITEM_STATES, assurance, claim_state, coverage
from in_toto_done_receipt.wire.record import convert, to_tree
from tests.running_opa import running_opa

INPUT = Path(__file__).parents[2] / "testdata" / "policy-input" / "admitted.json"
ADMITTED: dict[str, Any] = json.loads(INPUT.read_bytes())
AT = ADMITTED["evaluatedAt"]
TEXTS = ("a.txt", "naïve ☃.txt", "e\u0301", "😀/<b>&amp;", 'quo"te\\', "::error::x", "tab\there", "x" * 300, "\u2028")
REASONS = {
    "signature": ("signature.verified", "signature.unsigned", "signature.out_of_scope", "signature.threshold"),
    "statement": ("statement.coherent", "statement.no_handler", "statement.passed", "statement.twin_names"),
    "context": ("context.equal", "context.not_demanded", "context.differs"),
    "subjects": ("subjects.matched", "subjects.unmatched", "subjects.nothing_given", "subjects.differs"),
    "output-manifest": ("output-manifest.matched", "output-manifest.not_claimed", "output-manifest.differs"),
    "contract-seals": ("contract-seals.held", "contract-seals.modified", "contract-seals.other_contract"),
    "audit-log": ("audit-log.consistent", "audit-log.not_demanded", "audit-log.count", "audit-log.cannot_pin"),
    "freshness": ("freshness.fresh", "freshness.too_old", "freshness.in_future", "freshness.other_repository"),
    "evidence-other": ("evidence-other.unknown_kind",),
}
Case = tuple[VerificationResult, dict[str, Any]]


def finding(pick: random.Random, check: str) -> dict[str, Any]:
    made = {
        "check": check,
        "status": pick.choice(("pass", "pass", "not_checked", "fail", "error")),
        "reason": pick.choice(REASONS[check]),
        "message": pick.choice(TEXTS),
    }
    return {**made, "path": pick.choice(TEXTS)} if pick.random() < 0.5 else made


def vary_checks(pick: random.Random, result: dict[str, Any]) -> None:
    for check in result["checks"]:
        if check["id"] in REASONS and pick.random() < 0.4:
            check["findings"] = [finding(pick, check["id"]) for _ in range(pick.randint(1, 4))]
    if pick.random() < 0.2:
        result["checks"].append({"id": "evidence-other", "findings": [finding(pick, "evidence-other")]})
    if pick.random() < 0.1:
        result["checks"].pop(pick.randrange(len(result["checks"])))
    for check in result["checks"]:
        check["status"] = worst(convert(check["findings"], tuple[Finding, ...], what="findings"))


def vary_claims(pick: random.Random, result: dict[str, Any]) -> None:
    for number in range(pick.randint(0, 3)):
        items = [
            {
                "index": index,
                "kind": pick.choice(("path", "file", "text", "command", "tests", "output", "https://example.com/k")),
                "ok": pick.random() < 0.8,
                "state": pick.choice(("confirmed", *ITEM_STATES)),
                "reason": "evidence-file.confirmed",
                "message": pick.choice(TEXTS),
                "path": pick.choice(TEXTS),
            }
            for index in range(pick.randint(0, 4))
        ]
        name = f"{pick.choice(TEXTS)}{number}"
        result["claims"].append({"id": name, "statement": pick.choice(TEXTS), "state": "reported", "evidence": items})


def settle(result: dict[str, Any]) -> VerificationResult:
    """States, coverage and assurance as the recompute engine would compute them."""
    first = convert(result, VerificationResult, what="generated")
    items = [claim.evidence for claim in first.claims]
    for claim, evidence in zip(result["claims"], items, strict=True):
        claim["state"] = claim_state(evidence)
    result["coverage"], result["assurance"] = to_tree(coverage(items)), assurance(items)
    made: VerificationResult = convert(result, VerificationResult, what="generated")
    return made


def vary_profile(pick: random.Random, profile: dict[str, Any], result: dict[str, Any]) -> None:
    profile["minimumAssurance"] = pick.choice(("reported", "partially_rechecked", "fully_rechecked"))
    profile["unsigned"] = pick.random() < 0.2
    profile["sandbox"]["required"] = pick.choice(("rlimits", "landlock", "bubblewrap"))
    for key in ("agent", "usage"):
        if pick.random() < 0.3:
            del profile[key]
    if "usage" in profile:
        profile["usage"] = {key: pick.choice((0, 9, 2**53 - 1)) for key in profile["usage"] if pick.random() < 0.7}
        if not profile["usage"]:
            del profile["usage"]
    profile["collection"] = pick.choice(("minimal", "minimal", "minimal", "ci", "protected-branch", "release"))
    profile["overrides"] = pick.choice(([], [], ["limits", "command"]))
    profile["backdated"] = pick.random() < 0.2
    if pick.random() < 0.3:
        profile["include"] = pick.sample(("tests", "change.scope:a.txt", "@ci", "signature.unsigned"), 2)
    if pick.random() < 0.3:
        excluded = ("evidence", "subjects.matched:a.txt", "verdict.passed", "assurance", "tests", "freshness.time:x")
        profile["exclude"] = pick.sample(excluded, 2)
    if pick.random() < 0.4:
        profile["exceptions"] = [exception(pick) for _ in range(pick.randint(1, 4))]
    if pick.random() < 0.5:
        profile["evidence"] = profile["evidence"][: pick.randint(0, 1)]
    for claim in result["claims"]:
        if pick.random() < 0.3:
            profile["evidence"].append(
                {"claim": claim["id"], "kind": "file", "argv": [], "paths": [pick.choice(TEXTS)]}
            )


def exception(pick: random.Random) -> dict[str, Any]:
    codes = (
        "verdict.passed",
        "assurance.minimum",
        "contract.held",
        "subjects.matched",
        "sandbox.level",
        "signature.scope",
    )
    made = {
        "code": pick.choice(codes),
        "reason": pick.choice(TEXTS),
        "approver": "a@example.com",
        "expires": pick.choice(("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", "2027-01-01T00:00:00.5Z")),
    }
    made |= {"term": pick.choice(TEXTS)} if pick.random() < 0.3 else {}
    return made | ({"subject": pick.choice(("src/app.py", "OUTPUT_MANIFEST.json"))} if pick.random() < 0.3 else {})


def case(seed: int) -> Case:
    """One generated result and settings; the first is the admitted one."""
    pick = random.Random(seed)  # noqa: S311 - a fixed sequence is wanted
    document = copy.deepcopy(ADMITTED)
    result, profile = document["result"], document["profile"]
    if seed:
        vary_checks(pick, result)
        vary_claims(pick, result)
        vary_profile(pick, profile, result)
        result["examined"] = pick.random() < 0.9
        states = ("held", "held", "held_as_reported", "moved", "nothing_sealed", "not_checked")
        result["contract"] = {"state": pick.choice(states), "sealed": 1, "absent": 0}
        if result["contract"]["state"] == "moved":
            changes = ("modified", "created", "deleted", "not_a_file")
            result["contract"]["moved"] = [
                {"path": text, "change": pick.choice(changes)} for text in pick.sample(TEXTS, 3)
            ]
        if pick.random() < 0.2:
            result["contract"]["breach"] = pick.choice(TEXTS)
        if pick.random() < 0.2:
            result["verdict"] |= {"passed": pick.random() < 0.5, "checked": pick.random() < 0.5}
        for field in ("model", "inputTokens", "toolCalls"):
            if pick.random() < 0.2:
                del result["run"][field]
        result["sandbox"]["level"] = pick.choice(("none", "rlimits", "landlock", "bubblewrap", "bubblewrap"))
        result["predicateType"] = pick.choice((result["predicateType"], "https://slsa.dev/provenance/v1", None))
        if pick.random() < 0.2:
            result["signers"], result["attesterNames"] = [], []
    return settle(result), profile


CASES = [case(seed) for seed in range(220)]


def decided(engine: PolicyEngine, which: Case) -> bytes:
    """The whole decision but for the engine's name, as bytes."""
    tree = to_tree(decide(*which, engine=engine, evaluated_at=AT, seconds=60.0, catalogue=CATALOGUE))
    del tree["engine"]
    return json.dumps(tree, sort_keys=True).encode()


CATALOGUE = load_catalogue()


@pytest.fixture(scope="module")
def pulley() -> Iterator[EmbeddedEngine]:
    engine = EmbeddedEngine()
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def native() -> Iterator[EmbeddedEngine]:
    engine = EmbeddedEngine(jit=True)
    yield engine
    engine.close()


def test_the_cases_are_worth_comparing(native: EmbeddedEngine) -> None:
    decisions = [json.loads(decided(native, which)) for which in CASES]
    codes = {violation["code"] for decision in decisions for violation in decision["violations"]}
    rules = {rule.code for rule in CATALOGUE.rules if rule.severity == "error"}
    assert rules <= codes
    assert {code for code in codes if code.startswith("engine.")} == set()
    assert decisions[0]["allow"] is True
    warnings = {warning["code"] for decision in decisions for warning in decision["warnings"]}
    assert warnings >= {"signature.unsigned", "profile.overrides", "profile.backdated", "profile.exceptions"}
    assert any(decision["exceptions"] for decision in decisions)
    assert any(decision.get("waiting") for decision in decisions)


def test_a_demand_is_met_or_the_decision_says_why_not(native: EmbeddedEngine) -> None:
    for decision in (json.loads(decided(native, which)) for which in CASES):
        said = {violation["code"] for violation in decision["violations"]}
        said |= {waived["code"] for waived in decision["exceptions"]}
        waiting = {one["code"] for one in decision.get("waiting", ())}
        unmet = set(decision["demanded"]) - set(decision["satisfied"]) - waiting
        assert {code for code in unmet if code.partition(":")[0] not in said} == set()


def test_pulley_and_cranelift_agree(pulley: EmbeddedEngine, native: EmbeddedEngine) -> None:
    assert [seed for seed, which in enumerate(CASES) if decided(pulley, which) != decided(native, which)] == []


def test_eight_threads_agree(pulley: EmbeddedEngine) -> None:
    alone = [decided(pulley, which) for which in CASES[:40]]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda which: decided(pulley, which), CASES[:40])) == alone


def differing(ours: list[bytes], engine: PolicyEngine, cases: list[Case]) -> list[int]:
    """The seeds on which the engine decides otherwise."""
    with ThreadPoolExecutor(4) as pool:
        theirs = list(pool.map(lambda which: decided(engine, which), cases))
    close_engine(engine)
    return [seed for seed, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b]


@pytest.fixture(scope="module")
def thousand() -> list[Case]:
    return [case(seed) for seed in range(1000)]


@pytest.fixture(scope="module")
def thousand_decisions(native: EmbeddedEngine, thousand: list[Case]) -> list[bytes]:
    return [decided(native, which) for which in thousand]


@pytest.mark.integration
@pytest.mark.loopback
def test_a_server_agrees_on_a_thousand(
    thousand: list[Case], thousand_decisions: list[bytes], tool: Callable[[str], Path]
) -> None:
    with running_opa(tool("opa"), whole_bundle(policy_folder())) as url:
        assert differing(thousand_decisions, open_engine(f"opa-server={url}"), thousand) == []


@pytest.mark.integration
def test_opa_on_the_sources_agrees_on_a_thousand(
    thousand: list[Case], thousand_decisions: list[bytes], tool: Callable[[str], Path]
) -> None:
    assert differing(thousand_decisions, open_engine("opa", opa=tool("opa")), thousand) == []


@pytest.mark.integration
def test_the_portable_form_agrees_on_a_thousand(
    pulley: EmbeddedEngine, thousand: list[Case], thousand_decisions: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("in_toto_done_receipt.admission.embedded.MANY", 10_000)
    assert [decided(pulley, which) for which in thousand] == thousand_decisions


@pytest.mark.integration
def test_opa_denies_garbage_too(tool: Callable[[str], Path], pulley: EmbeddedEngine) -> None:
    opa = OpaEngine(tool("opa"))
    raws: list[Any] = [
        None,
        [],
        "x",
        1,
        {},
        {"result": []},
        {"result": {"checks": "x"}, "demanded": "x", "profile": []},
    ]
    for place in ("signers", "checks", "claims", "coverage", "contract", "verdict", "run", "sandbox", "trust"):
        raws += [{**ADMITTED, "result": {**ADMITTED["result"], place: value}} for value in ("x", [1], {"a": 1}, 3)]
    for raw in raws:
        for engine in (opa, pulley):
            assert engine.decide(json.dumps(raw).encode(), 60.0)["allow"] is False


def test_a_demand_of_the_profile_is_among_the_cases() -> None:
    codes = {code for _, settings in CASES for code in demanded(CATALOGUE, settings)}
    assert any(code.startswith("profile.evidence:") for code in codes)
