"""The checks of a done-receipt in the order in which they run.

Commands and tests run first, in a copy: whatever is looked at in the workspace is looked at after the last of them has
ended. The manifest comes before the subjects, one of which may be the manifest.
"""

from collections.abc import Callable
from typing import Final

from in_toto_done_receipt.recompute.case import Case
from in_toto_done_receipt.recompute.checks import (
    audit_log,
    change_scope,
    context,
    contract_coverage,
    contract_seals,
    evidence_command,
    evidence_file,
    evidence_other,
    evidence_output,
    evidence_path,
    evidence_tests,
    evidence_text,
    freshness,
    harness_canary,
    output_manifest,
    statement,
    subjects,
    test_inventory,
)
from in_toto_done_receipt.results.findings import Finding

Run = Callable[[Case], tuple[Finding, ...]]

CHECKS: Final[tuple[tuple[str, Run], ...]] = (
    ("statement", statement.run),
    ("context", context.run),
    ("evidence-command", evidence_command.run),
    ("test-inventory", test_inventory.run),
    ("harness-canary", harness_canary.run),
    ("output-manifest", output_manifest.run),
    ("subjects", subjects.run),
    ("contract-seals", contract_seals.run),
    ("contract-coverage", contract_coverage.run),
    ("change-scope", change_scope.run),
    ("evidence-path", evidence_path.run),
    ("evidence-file", evidence_file.run),
    ("evidence-text", evidence_text.run),
    ("evidence-output", evidence_output.run),
    ("evidence-tests", evidence_tests.run),
    ("evidence-other", evidence_other.run),
    ("audit-log", audit_log.run),
    ("freshness", freshness.run),
)

# The order in which a result document lists them: by the steps of the verification, not by when they ran.
DOCUMENT_ORDER: Final = (
    "signature",
    "statement",
    "context",
    "subjects",
    "output-manifest",
    "contract-seals",
    "contract-coverage",
    "change-scope",
    "test-inventory",
    "harness-canary",
    "evidence-path",
    "evidence-file",
    "evidence-text",
    "evidence-command",
    "evidence-tests",
    "evidence-output",
    "evidence-other",
    "audit-log",
    "freshness",
)
