from datetime import UTC, datetime
from typing import Any

import pytest

from in_toto_done_receipt.trust.model import Scope, make_policy
from in_toto_done_receipt.trust.scope import in_scope, scope_faults
from in_toto_done_receipt.trust.verify import verify_group

SAYS: dict[str, Any] = {"agent": "a", "model": "m", "repository": "r", "predicate_type": "p"}


def verified(workshop: Any, *scopes: Scope, threshold: int = 1) -> Any:
    privates = [workshop.private_key("ed25519", copy) for copy in range(len(scopes))]
    keys = tuple(
        workshop.trusted(private, name, scope=scope)
        for private, name, scope in zip(privates, "xyz", scopes, strict=False)
    )
    policy = make_policy(keys=keys, identities=(), root=None, threshold=threshold)
    return verify_group(workshop.group(workshop.envelope(*privates)), policy, at=datetime.now(UTC))


def test_signer_without_scope_speaks_for_anything(workshop: Any) -> None:
    assert scope_faults(verified(workshop, Scope()), **SAYS) == ()


@pytest.mark.parametrize("name", ["agents", "models", "repositories", "predicate_types"])
def test_scope_is_exact(workshop: Any, name: str) -> None:
    value = {"agents": "a", "models": "m", "repositories": "r", "predicate_types": "p"}[name]
    assert scope_faults(verified(workshop, Scope(**{name: frozenset({value, "other"})})), **SAYS) == ()
    (fault,) = scope_faults(verified(workshop, Scope(**{name: frozenset({value + "x", value.upper()})})), **SAYS)
    assert fault.startswith('signer "x" may not speak for ')
    assert fault.endswith(f'"{value}"')


@pytest.mark.parametrize("name", ["agent", "model", "repository"])
def test_leaving_out_does_not_help(workshop: Any, name: str) -> None:
    plural = {"agent": "agents", "model": "models", "repository": "repositories"}[name]
    scoped = verified(workshop, Scope(**{plural: frozenset({"anything"})}))
    assert scope_faults(scoped, **SAYS | {name: None}) == (
        f'signer "x" may not speak for a receipt that names no {name}',
    )


def test_signer_out_of_scope_neither_counts_nor_harms(workshop: Any) -> None:
    narrow = Scope(agents=frozenset({"other"}))
    both = verified(workshop, narrow, Scope())
    assert scope_faults(both, **SAYS) == ()
    assert [signer.principal for signer in in_scope(both, **SAYS)] == ["y"]


def test_threshold_is_met_by_signers_in_scope_only(workshop: Any) -> None:
    narrow = Scope(agents=frozenset({"other"}))
    two = verified(workshop, narrow, Scope(), threshold=2)
    assert scope_faults(two, **SAYS) == ('signer "x" may not speak for agent "a"',)
