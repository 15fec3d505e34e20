"""Earlier results asked again: the policy input that a decision was made of, as far as flags and the file say it."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from in_toto_done_receipt.admission.catalogue import Catalogue
from in_toto_done_receipt.admission.decide import policy_input
from in_toto_done_receipt.admission.demands import demanded
from in_toto_done_receipt.cli.options import read_document
from in_toto_done_receipt.pipeline import policy_document
from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.results.past import Past, read_past
from in_toto_done_receipt.wire.value import Value


class Asked(Value, kw_only=True):
    """What an engine gets for an earlier result.

    `exact`: these are the very bytes that the recorded decision was made of, or there is no recorded decision.
    """

    document: dict[str, Any]
    raw: bytes
    exact: bool


def read_pasts(path: Path) -> tuple[Past, ...]:
    """The verifications in this file; `-` is standard input. Raises InputError."""
    limit = LIMITS["manifest-bytes"].default
    return read_past(read_document(path, what="result", limit=limit, limit_name="result-bytes"), what=str(path))


def settings_for(past: Past, settings: Settings) -> dict[str, Any]:
    """The `profile` member of the policy input: the file's own, else what profiles and flags say.

    A result for which no signature was asked is judged as one.
    """
    if past.settings is not None:
        return past.settings
    return policy_document(past.result, settings) | {"unsigned": past.result.trust.mode == "unsigned"}


def asked(past: Past, settings: Settings, catalogue: Catalogue, *, at: str | None = None) -> Asked:
    """The policy input of the recorded decision, where profiles and flags are those of then; else what they give."""
    found: list[Asked] = []
    for document in _candidates(past, settings):
        when = past.evaluated_at if at is None else at
        codes = demanded(catalogue, document, evaluated_at=when)
        raw = policy_input(past.result, document, codes=codes, evaluated_at=when)
        exact = past.decision is None or sha256(raw).hexdigest() == past.decision.digests.input
        found.append(Asked(document=document, raw=raw, exact=exact))
        if exact:
            return found[-1]
    return found[0]


def _candidates(past: Past, settings: Settings) -> Iterator[dict[str, Any]]:
    """As the flags say; then as the decision and its result say of overrides, signatures and time."""
    if past.settings is not None:
        yield past.settings
        return
    yield policy_document(past.result, settings)
    if past.decision is not None:
        recorded = settings_for(past, settings) | {"overrides": list(past.decision.overrides)}
        yield recorded
        yield recorded | {"backdated": True}
