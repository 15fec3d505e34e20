"""Statements about a result that was decided on: VSA, SVR, test-result. Built from plain values; nothing is run.

Sources: SLSA 1.2 "Verification Summary Attestation"; in-toto spec/predicates svr (v0.2) and test-result (v0.1). Only
fields of those texts are written. Plain JSON: the protocol buffers of `in-toto-attestation` have no SVR, and one string
for all levels of a VSA.
"""

import shlex
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal, get_args

from in_toto_done_receipt.errors import ProducerError
from in_toto_done_receipt.producer.attested_levels import FAILED_LEVELS, levels, properties, refusal
from in_toto_done_receipt.producer.attested_subjects import attested_subjects, sealed_files
from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.model import RESULT_SCHEMA, ClaimResult, EvidenceResult, VerificationResult
from in_toto_done_receipt.version import VERSION
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.record import to_tree
from in_toto_done_receipt.wire.rfc3339 import format_time
from in_toto_done_receipt.wire.statement import STATEMENT_V1
from in_toto_done_receipt.wire.value import Value

Kind = Literal["vsa", "svr", "test-result"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
PREDICATE_TYPES: Final[Mapping[Kind, str]] = {
    "vsa": "https://slsa.dev/verification_summary/v1",
    "svr": "https://in-toto.io/attestation/svr/v0.2",
    "test-result": "https://in-toto.io/attestation/test-result/v0.1",
}
POLICY_URI: Final = "https://w3id.org/done-receipt/judged-by/v0.1"
_BASE: Final = "https://w3id.org/done-receipt/"
_RUN: Final = ("command", "tests")  # kinds of evidence that are shown by running something


class Judged(Value, kw_only=True):
    """A result and what was decided on it.

    `settings` is the `profile` member of the policy input that the decision was made of; `sha256` is of the file that
    the result was read from. `verifier_id`, `resource_uri` and `policy_uri` are the verifier's own names.
    """

    result: VerificationResult
    decision: Decision
    settings: Mapping[str, Any]
    sha256: str
    verifier_id: str
    policy_uri: str = POLICY_URI
    resource_uri: str | None = None


def attestation(kind: Kind, judged: Judged, *, now: datetime) -> bytes:
    """The statement's bytes, canonical. `now` is when it is made.

    Raises ProducerError when nothing may be said: a result that is unsigned, imported or relaxed, one without any
    subject that the verifier read, an SVR about a denial, a test-result where nothing was run again. Does not check
    the result or the decision: they have to be the verifier's own.
    """
    why = refusal(judged.result, judged.settings)
    if why is not None:
        raise ProducerError(f"nothing can be attested: {why}")
    subjects = attested_subjects(judged.result)
    if not subjects:
        raise ProducerError(
            "nothing can be attested: no subject was read and found right, so it would be about nothing",
            hint="recompute with --root, --repo or --artifact",
        )
    predicate = {"vsa": _vsa, "svr": _svr, "test-result": _test_result}[kind](judged, now)
    return canonical(
        {
            "_type": STATEMENT_V1,
            "subject": subjects,
            "predicateType": PREDICATE_TYPES[kind],
            "predicate": predicate,
        }
    )


def judged_by(judged: Judged) -> bytes:
    """Everything that decided, by digest or as it is; its sha256 is the policy digest of every attestation.

    Policy, profile, trust, the settings in force with exceptions and overrides, and the commands that could run.
    """
    result, digests = judged.result, judged.decision.digests
    return canonical(
        {
            "schema": POLICY_URI,
            "policy": digests.policy,
            "profile": digests.profile,
            "trust": result.trust.digest,
            "settings": dict(judged.settings),
            "allowedCommands": [to_tree(command) for command in result.allowed_commands],
        }
    )


def _vsa(judged: Judged, _now: datetime) -> dict[str, Any]:
    if judged.resource_uri is None:
        raise ProducerError("a VSA wants the URI of what was verified", hint="--resource-uri URI")
    result, decision = judged.result, judged.decision
    passed = decision.allow
    return {
        "verifier": {
            "id": judged.verifier_id,
            "version": {
                "in-toto-done-receipt": VERSION,
                f"policy engine {decision.engine.name}": decision.engine.version,
            },
        },
        "timeVerified": result.evaluated_at,  # when the work was looked at, not when somebody decided on that
        "resourceUri": judged.resource_uri,
        "policy": _policy(judged),
        "inputAttestations": [
            _named("receipt-payload/v0.1", result.input.payload_sha256),
            _named("receipt-file/v0.1", result.input.sha256),
            {"uri": RESULT_SCHEMA, "digest": {"sha256": judged.sha256}},
        ],
        "verificationResult": "PASSED" if passed else "FAILED",
        "verifiedLevels": list(levels(result, decision, judged.settings) if passed else FAILED_LEVELS),
    }


def _svr(judged: Judged, now: datetime) -> dict[str, Any]:
    if not judged.decision.allow:
        raise ProducerError("an SVR has no way to say that something failed", hint="--type vsa says FAILED")
    digests = judged.decision.digests
    policies = [
        _policy(judged),
        _named("policy/v0.1", digests.policy),
        _named("trust/v0.1", judged.result.trust.digest),
    ]
    if digests.profile is not None:
        policies.append(_named("profile/v0.1", digests.profile))
    return {
        "verifier": {"id": judged.verifier_id, "policies": policies},
        "timeCreated": format_time(now),
        "properties": list(properties(judged.result, judged.decision, judged.settings)),
    }


def _test_result(judged: Judged, _now: datetime) -> dict[str, Any]:
    """What was run again by the verifier, and nothing that a receipt only reports.

    PASSED takes all of the receipt's commands and tests; one that nobody could run again is a warning.
    """
    result = judged.result
    outcomes: dict[str, list[str]] = {"passed": [], "warned": [], "failed": []}
    items = [(claim, item) for claim in result.claims for item in claim.evidence if item.kind in _RUN]
    for claim, item in items:
        outcomes[_outcome(item)].append(_test_name(claim, item))
    if result.tests is not None:
        outcomes[_clean_room(result)].append(f"clean-room {shlex.join(result.tests.argv)}")
        outcomes["failed"] += result.tests.red.ids
    if result.tests is None and not any(item.state in ("confirmed", "refuted") for _, item in items):
        raise ProducerError(
            "no test was run again: a test-result would repeat what the receipt says",
            hint="recompute with --recheck-commands and an allowed command",
        )
    word = "FAILED" if outcomes["failed"] else "WARNED" if outcomes["warned"] else "PASSED"
    lists = {f"{outcome}Tests": names for outcome, names in outcomes.items()}
    return {"result": word, "configuration": [_policy(judged), *sealed_files(result)]} | lists


def _clean_room(result: VerificationResult) -> str:
    """Base's tests on the change, and whether their report was believed."""
    statuses = {check.status for check in result.checks if check.id in ("test-inventory", "harness-canary")}
    if "fail" in statuses:
        return "failed"
    return "passed" if statuses == {"pass"} else "warned"


def _outcome(item: EvidenceResult) -> str:
    if item.state == "confirmed":
        return "passed" if item.ok else "failed"
    if item.state == "refuted" and item.ok:
        return "failed"
    return "warned"  # nobody could run it again, or it passes now and did not for the agent


def _test_name(claim: ClaimResult, item: EvidenceResult) -> str:
    return f"{claim.id}[{item.index}] {shlex.join(item.argv or (item.kind,))}"


def _policy(judged: Judged) -> dict[str, Any]:
    return {"uri": judged.policy_uri, "digest": {"sha256": sha256_hex(judged_by(judged))}}


def _named(name: str, sha256: str) -> dict[str, Any]:
    return {"uri": _BASE + name, "digest": {"sha256": sha256.removeprefix("sha256:")}}
