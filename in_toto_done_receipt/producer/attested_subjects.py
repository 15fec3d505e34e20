"""What an attestation about a result is about: bytes that the verifier read, never what a receipt merely names.

Source: design, threat 17.
"""

from collections.abc import Iterator
from typing import Any, Final

from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.digests import ACCEPTED, digest_fault
from in_toto_done_receipt.wire.statement import Statement, Subject, read_statement

MANIFEST_NAME: Final = "OUTPUT_MANIFEST.json"
_POINTER: Final = "/subject/"


def attested_subjects(result: VerificationResult) -> list[dict[str, Any]]:
    """The subjects that were matched; without any, the tree that was examined; empty when nothing was read.

    The receipt itself is never one: whoever writes a receipt chooses its bytes. A subject keeps the digests that were
    compared and no others. Raises MalformedStatement for a result whose statement is none.
    """
    tree = result.untrusted.statement
    if tree is None:
        return []
    statement = read_statement(canonical(tree))
    matched = [_descriptor(subject, statement) for subject in _matched(result, statement)]
    return matched or list(_examined(result, statement))


def sealed_files(result: VerificationResult) -> list[dict[str, Any]]:
    """The sealed files, name and sha256, as far as the verifier found them so; empty unless the contract held."""
    if result.contract.state not in ("held", "held_as_reported") or result.untrusted.statement is None:
        return []
    predicate = read_statement(canonical(result.untrusted.statement)).predicate or {}
    contract = predicate.get("contract")
    sealed = contract.get("sealed") if isinstance(contract, dict) else None
    found = []
    for entry in sealed if isinstance(sealed, list) else ():
        name, sha256 = (entry.get("name"), _sha256_in(entry)) if isinstance(entry, dict) else (None, None)
        if isinstance(name, str) and sha256 is not None:
            found.append({"name": name, "digest": {"sha256": sha256}})
    return found


def _matched(result: VerificationResult, statement: Statement) -> Iterator[Subject]:
    own = {result.input.sha256, result.input.payload_sha256}
    by_place = {f"{_POINTER}{subject.index}": subject for subject in statement.subjects}
    for finding in _passed(result, "subjects", "subjects.matched"):
        subject = by_place.get(finding.pointer or "")
        if subject is not None and subject.name == (finding.path or None) and own.isdisjoint(subject.digest.values()):
            yield subject


def _descriptor(subject: Subject, statement: Statement) -> dict[str, Any]:
    # A manifest is matched by computing it again, which gives its sha256 and nothing else.
    computed = subject.digest.get("sha256") == _manifest(statement)
    compared = ("sha256",) if computed else ACCEPTED
    digest = {algorithm: subject.digest[algorithm] for algorithm in compared if algorithm in subject.digest}
    return ({} if subject.name is None else {"name": subject.name}) | {"digest": digest}


def _examined(result: VerificationResult, statement: Statement) -> Iterator[dict[str, Any]]:
    """The manifest of the tree that was examined, as the verifier computed it; else head's tree by its git id."""
    manifest = None
    if any(_passed(result, "output-manifest", "output-manifest.matched")):
        manifest = _manifest(statement)
    for finding in _findings(result, "output-manifest", "output-manifest.differs"):
        seen = finding.observed
        if isinstance(seen, str) and digest_fault("sha256", seen) is None:
            manifest = seen
    if manifest is not None:
        yield {"name": MANIFEST_NAME, "digest": {"sha256": manifest}}
    elif result.change is not None:
        yield {"name": result.change.head, "digest": {"gitTree": result.change.tree}}


def _manifest(statement: Statement) -> str | None:
    manifest = (statement.predicate or {}).get("manifest")
    return _sha256_in(manifest) if isinstance(manifest, dict) else None


def _sha256_in(descriptor: dict[str, Any]) -> str | None:
    digest = descriptor.get("digest")
    sha256 = digest.get("sha256") if isinstance(digest, dict) else None
    return sha256 if isinstance(sha256, str) and digest_fault("sha256", sha256) is None else None


def _passed(result: VerificationResult, check: str, reason: str) -> Iterator[Finding]:
    return (finding for finding in _findings(result, check, reason) if finding.status == "pass")


def _findings(result: VerificationResult, check: str, reason: str) -> Iterator[Finding]:
    found = result.check(check)
    findings = () if found is None else found.findings
    return (finding for finding in findings if finding.reason == reason)
