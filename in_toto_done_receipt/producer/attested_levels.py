"""How much an attestation about a result may say: nothing for some results, and a name for whatever was loosened.

Source: design, threat 17; SLSA VSA 1.2, `verifiedLevels`: names of one's own do not begin with `SLSA_`.
"""

from collections.abc import Mapping
from typing import Any, Final

from in_toto_done_receipt.profile.load import COLLECTIONS
from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.results.reasons import REASONS

PREFIX: Final = "DONE_RECEIPT_"
FAILED_LEVELS: Final = ("FAILED",)
_OWN_FORMATS: Final = ("application/vnd.dsse.", "application/vnd.dev.sigstore.")
# `contract-seals` passes too when nothing is sealed; the contract's state says which.
_CHECKS: Final = frozenset(code.partition(".")[0] for code in REASONS) - {"contract-seals"}


def refusal(result: VerificationResult, settings: Mapping[str, Any]) -> str | None:
    """Why nothing may be signed about this result, whatever was decided; None when something may.

    `settings` is the `profile` member of the policy input.
    """
    if result.trust.mode != "signed" or settings["unsigned"] is not False:
        return "nobody's signature was asked for"
    if not result.signers or not result.examined:
        return "nobody who is trusted signed the receipt"
    if any(finding.reason == "statement.imported" for finding in _all(result)):
        return "the receipt was imported from an old format; whoever signed it did not see the run"
    if result.predicate_type is None or not result.input.media_type.startswith(_OWN_FORMATS):
        return f"the receipt is of an old format, {result.input.media_type}"
    if settings["minimumAssurance"] == "reported":
        return "no evidence had to be looked at again (minimumAssurance is reported)"
    if result.backdated or settings["backdated"] is not False:
        return f"the receipt was judged as of a time that had passed, {result.evaluated_at}"
    return None


def levels(result: VerificationResult, decision: Decision, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The levels of a result that was admitted: assurance, collection and the weaker ones in it, sandbox.

    What was loosened is in every one of them (`…_WITH_EXCEPTIONS`): whoever asks for a level by its plain name gets
    only results that reached it without.
    """
    names: list[str] = [] if result.assurance == "reported" else [result.assurance]
    names += [f"collection_{name}" for name in COLLECTIONS[: COLLECTIONS.index(decision.collection) + 1]]
    if result.sandbox.level != "none":
        names.append(f"sandbox_{result.sandbox.level}")
    loosened = _loosened(result, decision, settings)
    suffix = f"_with_{'_and_'.join(loosened)}" if loosened else ""
    return tuple(PREFIX + _shouted(name + suffix) for name in names)


def properties(result: VerificationResult, decision: Decision, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What was found true of a result that was admitted: its levels, the checks that passed, the layers of canaries
    that were there, the contract's state. A check that had nothing to look at is none of them, nor is a plug-in's.
    """
    passed = [f"CHECK_{check.id}" for check in result.checks if check.status == "pass" and check.id in _CHECKS]
    canaries = result.check("harness-canary")
    if result.tests is not None and canaries is not None and canaries.status == "pass":
        passed += [f"CANARY_{layer}" for layer in result.tests.layers]
    if result.contract.state in ("held", "held_as_reported"):
        passed.append(f"CONTRACT_{result.contract.state}")
    return levels(result, decision, settings) + tuple(PREFIX + _shouted(name) for name in passed)


def _loosened(result: VerificationResult, decision: Decision, settings: Mapping[str, Any]) -> list[str]:
    loosenings = {
        "exceptions": decision.exceptions,
        "exclusions": settings["exclude"],
        "lower_assurance": result.assurance != "fully_rechecked",
        "overrides": decision.overrides or result.overrides,
    }
    return [name for name, there in loosenings.items() if there]


def _shouted(name: str) -> str:
    return name.replace("-", "_").upper()


def _all(result: VerificationResult) -> list[Finding]:
    return [finding for check in result.checks for finding in check.findings]
