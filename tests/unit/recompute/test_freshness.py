"""The repository that the profile demands, against the receipt and the certificates that signed it."""

import json

import pytest

from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.case import Case
from in_toto_done_receipt.recompute.checks import freshness
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.wire.rfc3339 import parse_time
from in_toto_done_receipt.wire.statement import read_statement
from testdata.receipts import generate

OURS = "https://github.com/example/work"
REVISION = {"digest": {"gitCommit": "a" * 40}}


def reasons(said: str | None, wanted: str | None, *, signed_for: tuple[str, ...] = ()) -> list[str]:
    tree = generate.base()
    if said is not None:
        tree["predicate"]["source"] = {"repository": said, "base": REVISION, "head": REVISION}
    statement = read_statement(json.dumps(tree).encode())
    context = RecomputeContext(
        evaluated_at=parse_time(generate.NOW), settings=Settings(repository=wanted), signed_for=signed_for
    )
    case = Case(statement=statement, receipt=read_predicate(statement), context=context)
    return [finding.reason for finding in freshness.run(case)]


def test_no_repository_is_asked_for_unless_one_is_demanded() -> None:
    assert reasons("https://github.com/other/work", None) == ["freshness.fresh"]


@pytest.mark.parametrize("claimed", [OURS, OURS.upper(), "https://github.com/example/work/"])
@pytest.mark.parametrize("said", [OURS, f"git+{OURS}", f"{OURS}.git"])
def test_a_certificate_of_the_named_repository_passes_without_a_demand(said: str, claimed: str) -> None:
    assert reasons(said, None, signed_for=(claimed,)) == ["freshness.fresh"]


def test_a_certificate_is_not_compared_with_what_a_receipt_does_not_say() -> None:
    assert reasons(None, None, signed_for=(OURS,)) == ["freshness.fresh"]


def test_a_certificate_of_another_repository_fails_without_a_demand() -> None:
    found = reasons(OURS, None, signed_for=(OURS, "https://github.com/other/work"))
    assert found == ["freshness.fresh", "freshness.other_repository"]


def test_the_demanded_repository_passes() -> None:
    assert reasons(OURS, OURS) == ["freshness.fresh", "freshness.same_repository"]
    assert reasons(OURS, OURS, signed_for=(OURS,)) == ["freshness.fresh", "freshness.same_repository"]


@pytest.mark.parametrize(
    ("said", "signed_for"),
    [
        (None, ()),
        (None, (OURS,)),
        ("https://github.com/other/work", ()),
        (f"{OURS}/", ()),
        (f"{OURS}.git", ()),
        ("https://github.com/Example/work", ()),
        (OURS, ("https://github.com/other/work",)),
        (OURS, (OURS, "https://github.com/other/work")),
    ],
)
def test_another_repository_fails(said: str | None, signed_for: tuple[str, ...]) -> None:
    assert reasons(said, OURS, signed_for=signed_for) == ["freshness.fresh", "freshness.other_repository"]
