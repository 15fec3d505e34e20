"""The rules for a done receipt that types cannot say, in two lists; together with the types they are the reader.

`SCHEMA_RULES` stand in `v0.1.schema.json` too. `EXTRA_RULES` are those that JSON Schema cannot say (normal forms, byte
lengths, order, uniqueness, sums, the rest of the statement); one more, that integers are written without fraction or
exponent, is kept by the types. Each rule gives the faults it finds, in document order.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, Final

from in_toto_done_receipt.predicates.done_receipt import model
from in_toto_done_receipt.predicates.done_receipt.faults import Fault, fault
from in_toto_done_receipt.wire.digests import digests_match
from in_toto_done_receipt.wire.paths import check_path, twin_key
from in_toto_done_receipt.wire.pointer import join, quote
from in_toto_done_receipt.wire.statement import Statement

MAX_CLAIMS: Final = 100
MAX_EVIDENCE_OF_A_CLAIM: Final = 20
MAX_EVIDENCE: Final = 200
MAX_BREACH_BYTES: Final = 2**20

# Anything before an `@` in the authority of an http(s) address; elsewhere a user alone (ssh://git@...) is no secret.
CREDENTIALS: Final = (
    r"^ *(?:[^/?#:@]*\+)?[hH][tT][tT][pP][sS]?:[/\\]*[^/\\?#]*@",
    r"^[^/?#:]*://[^/?#@:]*:[^/?#@]*@",
)
JUNIT: Final = "{junit}"

Rule = Callable[[model.DoneReceipt, Statement], Iterator[Fault]]


def count_faults(tree: dict[str, Any]) -> Iterator[Fault]:
    """Too many claims or evidence items: counted on the tree, before anything that costs time.

    What is not an array is left to the types.
    """
    claims = tree.get("claims")
    if not isinstance(claims, list):
        return
    if len(claims) > MAX_CLAIMS:
        yield fault("statement.count", "/predicate/claims", f"limit claims is {MAX_CLAIMS}, got {len(claims)}")
    total = 0
    for index, claim in enumerate(claims):
        evidence = claim.get("evidence") if isinstance(claim, dict) else None
        count = len(evidence) if isinstance(evidence, list) else 0
        total += count
        if count > MAX_EVIDENCE_OF_A_CLAIM:
            place = join("/predicate/claims", index, "evidence")
            yield fault("statement.count", place, f"expected at most {MAX_EVIDENCE_OF_A_CLAIM} items, got {count}")
    if total > MAX_EVIDENCE:
        yield fault("statement.count", "/predicate/claims", f"limit evidence is {MAX_EVIDENCE}, got {total}")


def evidence_of(receipt: model.DoneReceipt) -> Iterator[tuple[str, model.Evidence]]:
    """Every evidence item with its JSON pointer."""
    for index, claim in enumerate(receipt.claims):
        for number, item in enumerate(claim.evidence):
            yield join("/predicate/claims", index, "evidence", number), item


def _harness(receipt: model.DoneReceipt, _: Statement) -> Iterator[Fault]:
    harness = receipt.agent.harness
    if harness is not None and harness.uri is None and harness.digest is None:
        yield fault("statement.harness", "/predicate/agent/harness", "expected uri or digest, got neither")


def _audit_log(receipt: model.DoneReceipt, _: Statement) -> Iterator[Fault]:
    log = receipt.run.audit_log
    if log is None:
        return
    if (log.records is None) != (log.head is None):
        there = "head" if log.records is None else "records"
        yield fault("statement.audit_log", "/predicate/run/auditLog", f"expected records and head, got only {there}")
    elif log.records is None and log.request_id is None:
        fact = "expected requestId, or records and head, got neither"
        yield fault("statement.audit_log", "/predicate/run/auditLog", fact)


def _credentials(receipt: model.DoneReceipt, _: Statement) -> Iterator[Fault]:
    repository = receipt.source.repository if receipt.source else None
    if repository and any(re.search(pattern, repository) for pattern in CREDENTIALS):
        # The address is not repeated: whoever reads the message need not learn the secret.
        fact = "expected an address without user name or password, got one with"
        yield fault("statement.credentials", "/predicate/source/repository", fact)


def _stdout_matched(receipt: model.DoneReceipt, _: Statement) -> Iterator[Fault]:
    for place, item in evidence_of(receipt):
        if not isinstance(item, model.CommandEvidence) or isinstance(item.observed, model.ErrorForm):
            continue
        asked = item.expected is not None and item.expected.stdout_contains is not None
        if asked and item.observed.stdout_matched is None:
            fact = "expected stdoutMatched, as stdoutContains is given, got none"
            yield fault("statement.stdout_matched", join(place, "observed"), fact)
        if not asked and item.observed.stdout_matched is not None:
            fact = "expected no stdoutMatched without stdoutContains, got one"
            yield fault("statement.stdout_matched", join(place, "observed", "stdoutMatched"), fact)


def _junit(receipt: model.DoneReceipt, _: Statement) -> Iterator[Fault]:
    for place, item in evidence_of(receipt):
        if isinstance(item, model.TestsEvidence):
            count = sum(JUNIT in argument for argument in item.argv)
            if count != 1:
                yield fault(
                    "statement.junit", join(place, "argv"), f"expected {JUNIT} in one argument, got it in {count}"
                )


def _paths(receipt: model.DoneReceipt, _: Statement) -> Iterator[Fault]:
    for place, path in _all_paths(receipt):
        if wrong := check_path(path):
            yield fault("statement.format", place, wrong)


def _all_paths(receipt: model.DoneReceipt) -> Iterator[tuple[str, str]]:
    if receipt.manifest:
        yield "/predicate/manifest/name", receipt.manifest.name
    for index, file in enumerate(receipt.contract.sealed):
        yield join("/predicate/contract/sealed", index, "name"), file.name
    for index, path in enumerate(receipt.contract.absent):
        yield join("/predicate/contract/absent", index), path
    for place, item in evidence_of(receipt):
        if isinstance(item, model.PathEvidence | model.FileEvidence | model.TextEvidence):
            yield join(place, "path"), item.path
        elif isinstance(item, model.OutputEvidence):
            yield join(place, "artifact", "name"), item.artifact.name


def _repeated(names: Iterable[str], seen: set[str], *place: str | int) -> Iterator[Fault]:
    """The names that stand in `seen` or twice; in `place`, the path below the predicate, `*` is the index."""
    for index, name in enumerate(names):
        if name in seen:
            pointer = join("/predicate", *(index if part == "*" else part for part in place))
            yield fault("statement.duplicate", pointer, f"expected another name than before, got {quote(name)} again")
        seen.add(name)


def _claim_ids(receipt: model.DoneReceipt, _: Statement) -> Iterator[Fault]:
    return _repeated((claim.id for claim in receipt.claims), set(), "claims", "*", "id")


def _cited(receipt: model.DoneReceipt, _: Statement) -> Iterator[Fault]:
    for index, claim in enumerate(receipt.claims):
        for number, item in enumerate(claim.evidence):
            if isinstance(item, model.TestsEvidence):
                yield from _repeated(item.cited or (), set(), "claims", index, "evidence", number, "cited", "*")


def _contract_names(receipt: model.DoneReceipt, _: Statement) -> Iterator[Fault]:
    sealed, absent = [file.name for file in receipt.contract.sealed], receipt.contract.absent
    seen: set[str] = set()
    yield from _repeated(sealed, seen, "contract", "sealed", "*", "name")
    yield from _repeated(absent, seen, "contract", "absent", "*")
    for names, place in ((sealed, ("sealed", "*", "name")), (absent, ("absent", "*"))):
        for index, (first, second) in enumerate(pairwise(names), 1):
            if first.encode() > second.encode():
                pointer = join("/predicate/contract", *(index if part == "*" else part for part in place))
                fact = f"expected names in the order of their bytes, got {quote(second)} after {quote(first)}"
                yield fault("statement.order", pointer, fact)


def _breach_size(receipt: model.DoneReceipt, _: Statement) -> Iterator[Fault]:
    size = len((receipt.contract.breach or "").encode())
    if size > MAX_BREACH_BYTES:
        fact = f"expected at most {MAX_BREACH_BYTES} bytes of UTF-8, got {size}"
        yield fault("statement.range", "/predicate/contract/breach", fact)


def _manifest(receipt: model.DoneReceipt, statement: Statement) -> Iterator[Fault]:
    if receipt.manifest is None:
        return
    digest, place = receipt.manifest.digest, "/predicate/manifest/digest"
    if not any(digests_match(digest.as_map(), subject.digest) for subject in statement.subjects):
        yield fault("statement.manifest", place, f"expected the digest of a subject, got sha256 {digest.sha256}")
    context = receipt.context
    if context and context.output_manifest.digest.sha256 != digest.sha256:
        fact = f"expected the context's output manifest {context.output_manifest.digest.sha256}, got {digest.sha256}"
        yield fault("statement.manifest", join(place, "sha256"), fact)


def _subjects(_: model.DoneReceipt, statement: Statement) -> Iterator[Fault]:
    twins: dict[str, str] = {}
    for subject in statement.subjects:
        place = join("/subject", subject.index)
        if subject.name is None:
            yield fault("statement.subject_name", join(place, "name"), "required member is missing")
        elif wrong := check_path(subject.name):
            yield fault("statement.subject_name", join(place, "name"), wrong)
        else:
            other = twins.setdefault(twin_key(subject.name), subject.name)
            if other is not subject.name:
                fact = f"expected a name of its own, got {quote(subject.name)} beside {quote(other)}"
                yield fault("statement.subject_twins", join(place, "name"), fact)
        if "sha256" not in subject.digest:
            yield fault("statement.subject_digest", join(place, "digest", "sha256"), "required member is missing")


SCHEMA_RULES: Final[tuple[Rule, ...]] = (_harness, _audit_log, _credentials, _stdout_matched, _junit)
EXTRA_RULES: Final[tuple[Rule, ...]] = (
    _paths,
    _claim_ids,
    _cited,
    _contract_names,
    _breach_size,
    _manifest,
    _subjects,
)
