"""The closed list of reason codes: `<check>.<snake_case>`, one line of meaning, and what a failure of it amounts to.

`weight` is what a finding with this reason and status `fail` makes of the exit code: `untrusted` (10), `refuted` (11)
or `denied` (12, policy decides). Reasons of findings that never fail are `neutral`; a `malformed` one (3) is no
finding's but an error's: nothing of the file is looked at.
"""

from typing import Final, Literal, NamedTuple

Weight = Literal["malformed", "untrusted", "refuted", "denied", "neutral"]


class Reason(NamedTuple):
    """What a code means."""

    meaning: str
    weight: Weight


_MALFORMED: Final[dict[str, str]] = {
    "statement.stricter_than_original": "the old receipt is intact by its own digest, but this reader is stricter",
}
_UNTRUSTED: Final[dict[str, str]] = {
    "signature.no_trusted_key": "no trusted key made any of the signatures",
    "signature.no_certificate": "an identity is trusted, and the receipt has no Sigstore bundle with a certificate",
    "signature.no_trusted_identity": "the receipt is signed with a certificate, and only keys are trusted",
    "signature.key_not_valid": "a trusted key signed outside its validity window",
    "signature.identity_not_valid": "a trusted identity signed outside its validity window",
    "signature.no_transparency": "a log entry is demanded, and the signature has none that is verified",
    "signature.no_timestamp": "a timestamp is demanded, and the signature has none that is verified",
    "signature.root_too_old": "the trusted root is older than the trust file allows",
    "signature.threshold": "fewer distinct principals signed than the verifier demands",
    "signature.identity": "the certificate's identity is not the one the verifier trusts",
    "signature.issuer": "the certificate's issuer is not the one the verifier trusts",
    "signature.claims": "a claim of the certificate differs from what the verifier demands",
    "signature.shared_builder": "the identity is a shared builder's and no source repository is demanded",
    "signature.sigstore": "the Sigstore bundle does not verify against the trusted root",
    "signature.unsupported": "the bundle is of a kind that cannot be verified here",
    "signature.out_of_scope": "the signer is trusted, but not for this agent, model, repository or predicate type",
}
_REFUTED: Final[dict[str, str]] = {
    "statement.payload_digest": "the payload is not the one the verifier expected",
    "statement.content_digest": "the old receipt's content digest is not the digest of its content",
    "statement.overall_ok": "the old receipt's overall_ok is not what its evidence items come to",
    "statement.digest_conflict": "the old receipt has two digests for one file",
    "statement.passed": "passed contradicts checked, reason, breach, outcome or an evidence item",
    "statement.unchecked": "nobody checked, yet it says passed or gives a reason",
    "statement.failed_without_reason": "checked and not passed, without a reason or a breach",
    "statement.outcome": "the run did not complete, yet it is not a failure with a reason",
    "statement.breach": "the contract was breached, yet it says passed",
    "statement.evidence_ok": "an evidence item's ok does not follow from what it observed",
    "statement.output_subject": "an output item names no subject of the statement",
    "statement.times": "startedOn is after finishedOn",
    "statement.task_digest": "the task's digest is not the digest of its description",
    "context.missing": "the verifier demands a context and the receipt has none",
    "context.differs": "the receipt was made for another packet, input or output manifest",
    "subjects.missing": "a subject is not there",
    "subjects.differs": "a subject has another content",
    "subjects.not_a_file": "a subject's name is a link, a directory or a special file",
    "subjects.artifact_unmatched": "an artifact of the verifier's is no subject of the receipt",
    "output-manifest.differs": "the files are not the ones in the manifest",
    "output-manifest.refused": "the tree holds something a manifest cannot say",
    "output-manifest.other_file": "the manifest file given is not the one the receipt names",
    "contract-seals.modified": "a sealed file was modified",
    "contract-seals.created": "a path sealed as absent exists",
    "contract-seals.deleted": "a sealed file is gone",
    "contract-seals.not_a_file": "a sealed path is a link, a directory or a special file",
    "contract-seals.other_contract": "the receipt's seals are not those of the verifier's contract",
    "audit-log.missing": "the verifier gave an audit log and the receipt names none",
    "audit-log.not_pinned": "the receipt pins neither the audit log's last record nor how many there are",
    "audit-log.empty": "the audit log holds no record",
    "audit-log.malformed": "a line of the audit log is no record",
    "audit-log.unknown_member": "a line of the audit log holds something that no hash covers",
    "audit-log.torn": "the last line of the audit log is cut off",
    "audit-log.sequence": "a record does not have the number of its place: one was left out, put in or moved",
    "audit-log.link": "a record does not name the hash of the one before it",
    "audit-log.edited": "a record's hash is not what its bytes give",
    "audit-log.count": "the audit log has more or fewer records than the receipt pins",
    "audit-log.head": "the audit log's last record is not the one that the receipt pins",
    "audit-log.request": "the audit log has no record of the receipt's request, or the receipt names none",
    "audit-log.tokens": "the tokens in the audit log do not add up to the receipt's",
    "audit-log.tool_calls": "the audit log has more or fewer tool calls than the receipt says",
    "audit-log.acceptance": "the acceptance in the audit log is not the receipt's verdict",
    "audit-log.breach": "only one of audit log and receipt says that the contract was breached",
    "evidence-path.differs": "the path is not of the type the receipt observed",
    "evidence-file.differs": "the file's digest or size is not the observed one",
    "evidence-file.expectation": "the observed digest agrees, the expected one does not, yet the item says ok",
    "evidence-file.not_a_file": "the path is a link, a directory or a special file",
    "evidence-file.missing": "the file is gone",
    "evidence-file.now_readable": "the receipt could not read it, and it can be read",
    "evidence-text.differs": "the text is found now and was not, or the other way round, or the size differs",
    "evidence-text.not_a_file": "the path is a link, a directory or a special file",
    "evidence-text.missing": "the file is gone",
    "evidence-text.now_readable": "the receipt could not read it, and it can be read",
    "evidence-command.differs": "the command succeeds now and did not, or the other way round",
    "evidence-output.differs": "the artifact is not a subject with these digests",
}
_DENIED: Final[dict[str, str]] = {
    "statement.type_not_allowed": "the verifier does not allow this predicate type",
    "evidence-file.stale": "the receipt's own manifest confirms it, the place the verifier pointed at does not",
    "evidence-text.stale": "the receipt's own manifest confirms the file, the place the verifier pointed at does not",
    "statement.path_spelling": "a path is spelled otherwise than it is, as in a//b, and the verifier refuses that",
    "freshness.in_future": "the run finished after the signature or after now, beyond the tolerance",
    "freshness.too_old": "the run finished longer ago than the profile allows",
    "freshness.other_repository": "the receipt or a certificate does not name the repository that the profile demands",
}
_NEUTRAL: Final[dict[str, str]] = {
    "signature.verified": "enough trusted principals signed these bytes",
    "signature.unsigned": "the verifier asked for no signature",
    "statement.coherent": "what the receipt says agrees with itself",
    "statement.no_handler": "no handler is registered for the predicate type",
    "statement.not_examined": "the signature was not trusted, so the statement was not read",
    "statement.twin_names": "two sealed names differ only by case or normalisation",
    "statement.old_version": "the statement is of version 0.1, which some tools still write; it means the same",
    "statement.imported": "the statement was imported from an old format; whoever signed it did not see the run",
    "statement.contradicted": "another trusted receipt in the file says of the same outputs that they failed",
    "statement.counters_zero": "the run did not complete, and all its counters are zero",
    "context.equal": "the receipt was made for exactly this packet, input and output manifest",
    "context.not_demanded": "the verifier demands no context",
    "subjects.matched": "every subject has the content the receipt says",
    "subjects.artifacts_matched": "every artifact of the verifier's is a subject of the receipt",
    "subjects.nothing_given": "the verifier gave neither artifacts nor a workspace",
    "subjects.unmatched": "a subject that no given artifact matched",
    "subjects.unreadable": "a subject could not be read",
    "output-manifest.matched": "the recomputed manifest is the receipt's",
    "output-manifest.not_claimed": "the receipt names no manifest",
    "output-manifest.no_workspace": "the verifier gave no workspace",
    "output-manifest.unreadable": "the tree could not be scanned",
    "contract-seals.held": "every sealed path is as the verifier's contract or base has it",
    "contract-seals.held_as_reported": "every sealed path is as the receipt's own list has it",
    "contract-seals.nothing_sealed": "neither the receipt nor the verifier's contract seals anything",
    "contract-seals.null_seal": "a path sealed as null by an old format, which does not say whether it was absent",
    "contract-seals.no_workspace": "the verifier gave no workspace",
    "contract-seals.unreadable": "a sealed path could not be read",
    "audit-log.consistent": "the audit log is unbroken and agrees with the receipt; it proves no more than that",
    "audit-log.not_demanded": "the verifier gave no audit log",
    "audit-log.unreadable": "the audit log could not be read",
    "audit-log.cannot_pin": "the old format cannot pin the log: records cut off at its end go unseen",
    "audit-log.no_counters": "the run did not complete and its counters are zero, so they were not compared",
    "evidence-path.confirmed": "the path is of the type the receipt observed",
    "evidence-path.no_workspace": "the verifier gave no workspace",
    "evidence-path.unreadable": "the path could not be looked at",
    "evidence-file.confirmed": "digest, size and expectation agree",
    "evidence-file.no_workspace": "the verifier gave no workspace",
    "evidence-file.unreadable": "the file could not be read",
    "evidence-text.confirmed": "the text is found, or not found, as the receipt observed, in a file of the same size",
    "evidence-text.no_workspace": "the verifier gave no workspace",
    "evidence-text.unreadable": "the file could not be read as UTF-8 text",
    "evidence-command.confirmed": "the command ran again and ended as the receipt observed",
    "evidence-command.no_workspace": "the verifier gave no workspace",
    "evidence-command.not_asked": "the verifier did not ask for commands to be run again",
    "evidence-command.not_allowed": "the verifier allows no such command",
    "evidence-command.relative_executable": "the executable's path is not absolute",
    "evidence-command.untrusted_executable": "the executable lies in the examined tree or others can write to it",
    "evidence-command.sandbox": "the sandbox is below the demanded level",
    "evidence-command.unsealed_script": "a file of the tree decides how the command ends, and it is not sealed",
    "evidence-command.not_run": "the command could not be started or ended",
    "evidence-tests.not_rerun": "evidence of kind tests is not run again by this version",
    "evidence-output.confirmed": "the artifact is a subject whose bytes the verifier read",
    "evidence-output.subject_not_read": "the artifact is a subject, but the verifier did not read its bytes",
    "evidence-other.unknown_kind": "no check is registered for this kind of evidence",
    "freshness.fresh": "the run's times fit the clock the verifier trusts",
    "freshness.same_repository": "the receipt and every certificate name the repository that the profile demands",
}

_BY_WEIGHT: Final[tuple[tuple[Weight, dict[str, str]], ...]] = (
    ("malformed", _MALFORMED),
    ("untrusted", _UNTRUSTED),
    ("refuted", _REFUTED),
    ("denied", _DENIED),
    ("neutral", _NEUTRAL),
)

REASONS: Final[dict[str, Reason]] = {
    code: Reason(meaning, weight) for weight, codes in _BY_WEIGHT for code, meaning in codes.items()
}
