"""Each subject's bytes, read by the verifier: under its own name in the workspace, or among the given artifacts."""

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.look import hash_file
from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.recompute.context import Artifact
from in_toto_done_receipt.recompute.lost_file import NOT_A_FILE
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.digests import ACCEPTED, digests_match
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.statement import Subject

_FILES = ("100644", "100755")
_MAX_NAMED = 100  # uncovered paths that get a finding each; the last one counts the rest


def run(case: Case) -> tuple[Finding, ...]:
    """One finding a subject and one an artifact; unmatched subjects beside artifacts alone are no failure."""
    if case.context.workspace is None and not case.context.artifacts:
        message = "the verifier gave neither artifacts nor a workspace"
        return (finding("not_checked", "subjects.nothing_given", message),)
    found = [_artifact(case, artifact) for artifact in case.context.artifacts]
    if case.context.workspace is not None:
        found += [_in_workspace(case, subject) for subject in case.statement.subjects]
        found += _uncovered(case)
    else:
        found += [_among_artifacts(case, subject) for subject in case.statement.subjects]
    return tuple(found)


def _uncovered(case: Case) -> tuple[Finding, ...]:
    """Paths that the change added or changed and that the receipt says nothing of: neither subjects nor in a manifest
    that was computed again and is one."""
    change, manifest = case.context.change, case.receipt.manifest
    if change is None:
        return ()
    subjects = {subject.digest.get("sha256") for subject in case.statement.subjects}
    if manifest is not None and case.found("output-manifest.matched") and manifest.digest.sha256 in subjects:
        return ()
    named = {subject.name for subject in case.statement.subjects}
    # Links and submodules have no bytes that a subject could have; `change-scope` speaks of them.
    files = [one.path for one in change.changes if one.new is not None and one.new.mode in _FILES]
    paths = [path.decode("utf-8", "surrogateescape") for path in files]
    missing = [path for path in paths if path not in named]
    found = [
        finding("fail", "subjects.uncovered", f"{escape(path)} changed and is no subject", path=path)
        for path in missing[:_MAX_NAMED]
    ]
    if len(missing) > _MAX_NAMED:
        message = f"and {len(missing) - _MAX_NAMED} more path(s) changed and are no subjects"
        found.append(finding("fail", "subjects.uncovered", message))
    return tuple(found)


def read_subjects(case: Case) -> frozenset[str]:
    """Names of the subjects whose bytes the verifier read and found right; for checks that run after this one."""
    return frozenset(found.path for found in case.found("subjects.matched") if found.path is not None)


def _artifact(case: Case, artifact: Artifact) -> Finding:
    matches = any(digests_match(subject.digest, artifact.digests) for subject in case.statement.subjects)
    if matches:
        return finding("pass", "subjects.artifacts_matched", f"{escape(artifact.name)} is a subject")
    message = f"{escape(artifact.name)} has sha256 {artifact.digests['sha256']}, no subject has"
    return finding("fail", "subjects.artifact_unmatched", message, observed=artifact.digests["sha256"])


def _among_artifacts(case: Case, subject: Subject) -> Finding:
    name = subject.name or ""
    pointer = f"/subject/{subject.index}"
    if any(digests_match(subject.digest, artifact.digests) for artifact in case.context.artifacts):
        return finding(
            "pass", "subjects.matched", f"{escape(name)} is one of the artifacts", path=name, pointer=pointer
        )
    # Not a failure: the verifier asked about its own artifacts, and each of those has to match.
    return finding("pass", "subjects.unmatched", f"no artifact is {escape(name)}", path=name, pointer=pointer)


def _in_workspace(case: Case, subject: Subject) -> Finding:
    name = subject.name or ""
    pointer = f"/subject/{subject.index}"
    if _is_own_file(case, subject):
        message = f"{escape(name)} is the receipt's own file, which was read"
        return finding("pass", "subjects.matched", message, path=name, pointer=pointer)
    manifest = case.receipt.manifest
    if manifest is not None and subject.digest.get("sha256") == manifest.digest.sha256:
        return _manifest_subject(case, name, pointer)
    case.time_left()
    assert case.context.finished is not None  # noqa: S101 - run() looked
    try:
        facts = hash_file(case.context.finished, name, algorithms=[a for a in ACCEPTED if a in subject.digest])
    except ObservationError as error:
        return _unreadable(error, name, pointer)
    if digests_match(subject.digest, facts.digests):
        message = f"{escape(name)} has the content{_merged(case, name)}"
        return finding("pass", "subjects.matched", message, path=name, pointer=pointer)
    algorithm = next(a for a in facts.digests if facts.digests[a] != subject.digest[a])
    expected, observed = subject.digest[algorithm], facts.digests[algorithm]
    message = f"{escape(name)} has {algorithm} {observed}, receipt says {expected}"
    return finding(
        "fail", "subjects.differs", message, path=name, pointer=pointer, expected=expected, observed=observed
    )


def _merged(case: Case, name: str) -> str:
    """What to say of a subject that is head's file where the merge that is examined has another one."""
    context, raw = case.context, name.encode("utf-8", "surrogateescape")
    if context.head is None or context.change is None:
        return ""
    same = context.head.listing.files.get(raw) == context.change.listing.files.get(raw)
    return "" if same else " at head; its merge with the target has another one"


def _is_own_file(case: Case, subject: Subject) -> bool:
    """Whether an old receipt, which names no output with its digest, has only itself as its subject."""
    own = case.context.own_file
    return own is not None and subject.name == own.name and digests_match(subject.digest, own.digests)


def _manifest_subject(case: Case, name: str, pointer: str) -> Finding:
    """The manifest's own subject is matched by computing the manifest again, never by opening its name."""
    if case.found("output-manifest.matched"):
        message = f"{escape(name)} is the recomputed manifest"
        return finding("pass", "subjects.matched", message, path=name, pointer=pointer)
    if any(found.status == "fail" for found in case.earlier if found.check == "output-manifest"):
        message = f"{escape(name)} is the manifest, which is not that of the workspace"
        return finding("fail", "subjects.differs", message, path=name, pointer=pointer)
    message = f"{escape(name)} is the manifest, which could not be computed again"
    return finding("error", "subjects.unreadable", message, path=name, pointer=pointer)


def _unreadable(error: ObservationError, name: str, pointer: str) -> Finding:
    if error.kind == "missing":
        return finding("fail", "subjects.missing", f"{escape(name)} is not there", path=name, pointer=pointer)
    if error.kind in NOT_A_FILE:
        return finding("fail", "subjects.not_a_file", error.message, path=name, pointer=pointer)
    return finding("error", "subjects.unreadable", error.message, path=name, pointer=pointer)
