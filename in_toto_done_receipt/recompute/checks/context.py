"""The receipt was made for the handoff that the verifier knows about: packet, input commit, output manifest."""

from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.results.findings import Finding


def run(case: Case) -> tuple[Finding, ...]:
    """One finding for each of the three values, or one that says why there is nothing to compare."""
    expected = case.context.expected_context
    if expected is None:
        return (finding("not_checked", "context.not_demanded", "the verifier gave no context to compare with"),)
    context = case.receipt.context
    if context is None:
        return (finding("fail", "context.missing", "the verifier demands a context, the receipt has none"),)
    pairs = (
        ("packet", "/predicate/context/packet/digest/sha256", expected.packet, context.packet.digest.sha256),
        (
            "input commit",
            "/predicate/context/input/digest/gitCommit",
            expected.input_commit,
            context.input.digest.git_commit,
        ),
        (
            "output manifest",
            "/predicate/context/outputManifest/digest/sha256",
            expected.output_manifest,
            context.output_manifest.digest.sha256,
        ),
    )
    differing = tuple(
        finding(
            "fail",
            "context.differs",
            f"{name} is {wanted}, receipt says {said}",
            pointer=pointer,
            expected=wanted,
            observed=said,
        )
        for name, pointer, wanted, said in pairs
        if wanted != said
    )
    return differing or (
        finding("pass", "context.equal", "packet, input commit and output manifest are the expected ones"),
    )
