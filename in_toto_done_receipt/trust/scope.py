"""What a trusted signer may speak for: agents, models, repositories, predicate types (design, verification step 3)."""

from msgspec.structs import replace

from in_toto_done_receipt.results.model import Signer
from in_toto_done_receipt.trust.model import Scope, VerifiedStatement
from in_toto_done_receipt.trust.principals import count
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.rfc3339 import parse_time


def in_scope(
    verified: VerifiedStatement,
    *,
    agent: str | None,
    model: str | None,
    repository: str | None,
    predicate_type: str,
) -> tuple[Signer, ...]:
    """The signers whose scope covers what the receipt says. What it does not say is covered by no scope that asks."""
    says = (agent, model, repository, predicate_type)
    return tuple(signer for signer, scope in verified.scopes if not _faults(scope, *says))


def scope_faults(
    verified: VerifiedStatement,
    *,
    agent: str | None,
    model: str | None,
    repository: str | None,
    predicate_type: str,
) -> tuple[str, ...]:
    """Why too few signers may speak for this; empty when the threshold is met by signers in scope.

    A signer out of scope does not count, and does no harm either: otherwise anybody with a trusted but narrow key
    could have a good receipt refused by signing it too.
    """
    covering = in_scope(verified, agent=agent, model=model, repository=repository, predicate_type=predicate_type)
    if count(covering, verified.signers) >= verified.trust.threshold:
        return ()
    says = (agent, model, repository, predicate_type)
    faults = [(signer, fault) for signer, scope in verified.scopes for fault in _faults(scope, *says)]
    return tuple(f"signer {quote(signer.principal)} may not speak for {fault}" for signer, fault in faults)


def only_in_scope(verified: VerifiedStatement, covering: tuple[Signer, ...]) -> VerifiedStatement:
    """The same statement with these of its signers alone, as `in_scope` gave them."""
    times = [parse_time(time.time) for signer in covering for time in signer.times]
    return replace(
        verified,
        signers=covering,
        scopes=tuple((signer, scope) for signer, scope in verified.scopes if signer in covering),
        signed_times=min(times, default=None),
    )


def _faults(
    scope: Scope, agent: str | None, model: str | None, repository: str | None, predicate_type: str
) -> tuple[str, ...]:
    rules = (
        ("agent", scope.agents, agent),
        ("model", scope.models, model),
        ("repository", scope.repositories, repository),
        ("predicate type", scope.predicate_types, predicate_type),
    )
    return tuple(
        f"a receipt that names no {name}" if value is None else f"{name} {quote(value)}"
        for name, allowed, value in rules
        if allowed is not None and value not in allowed
    )
