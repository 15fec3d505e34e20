"""Write every file that is made from the code: JSON Schemas and reference tables. `make generate`; a test compares.

Run from anywhere: python tools/generate.py [--check]
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from in_toto_done_receipt.admission.adapters import known, render
from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.opa_view import opa_view
from in_toto_done_receipt.admission.rules_page import rule_pages
from in_toto_done_receipt.predicates.done_receipt.faults import FAULT_REASONS
from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.profile.model import Profile
from in_toto_done_receipt.results.model import RESULT_SCHEMA, VerificationResult
from in_toto_done_receipt.results.reasons import REASONS
from in_toto_done_receipt.wire.schema import record_schema

ROOT = Path(__file__).parents[1]
POLICY_INPUT = "in_toto_done_receipt/admission/policy-input.v0.1.schema.json"
PROFILE_SCHEMA = "https://w3id.org/done-receipt/profile/v0.1"

_WEIGHTS = {
    "malformed": "3, nothing is looked at",
    "untrusted": "10 when it fails",
    "refuted": "11 when it fails",
    "denied": "12 when it fails",
    "neutral": "never fails",
}


def generated() -> dict[str, bytes]:
    """Path below the root -> bytes, for every generated file."""
    result = record_schema(VerificationResult, identifier=RESULT_SCHEMA, title="done-receipt result v0.1")
    policy_input = json.loads((ROOT / POLICY_INPUT).read_bytes())
    return {
        "in_toto_done_receipt/results/result.v0.1.schema.json": _json(result),
        "policy/schemas/input.json": _json(opa_view(policy_input, result)),
        f"policy/adapters/{known.FILE}": known.known_rego(load_catalogue()),
        "policy/adapters/gatekeeper/template.yaml": render.template(ROOT / "policy"),
        "in_toto_done_receipt/profile/profile.v0.1.schema.json": _json(
            record_schema(Profile, identifier=PROFILE_SCHEMA, title="done-receipt acceptance profile v0.1")
        ),
        "docs/reference/reason-codes.md": _page(_reasons()),
        "docs/reference/limits.md": _page(_limits()),
        **{f"docs/reference/rules/{name}": page.encode() for name, page in rule_pages(load_catalogue()).items()},
    }


def _json(tree: Any) -> bytes:
    return (json.dumps(tree, indent=1, ensure_ascii=False) + "\n").encode()


def _page(lines: Iterable[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def _reasons() -> Iterable[str]:
    yield "# Reason codes"
    yield ""
    yield "Every finding carries one of these. The part before the dot is the check; the last column says what a"
    yield "finding with this reason makes of the exit code."
    yield ""
    yield "Generated from `in_toto_done_receipt/results/reasons.py`."
    yield ""
    yield "| code | meaning | exit code |"
    yield "|---|---|---|"
    for code, reason in REASONS.items():
        yield f"| `{code}` | {reason.meaning} | {_WEIGHTS[reason.weight]} |"
    yield ""
    yield "## Schema faults"
    yield ""
    yield "A statement that breaks its schema is malformed: exit code 3, no findings. The error names one of these"
    yield "codes and a JSON pointer."
    yield ""
    yield "Generated from `in_toto_done_receipt/predicates/done_receipt/faults.py`."
    yield ""
    yield "| code | meaning |"
    yield "|---|---|"
    for code, meaning in FAULT_REASONS.items():
        yield f"| `{code}` | {meaning} |"


def _limits() -> Iterable[str]:
    yield "# Limits"
    yield ""
    yield "They are the verifier's, never the receipt's. Set one with `--limit NAME=VALUE` or in the profile's"
    yield "`[limits]`; a flag that raises what a profile says also takes `--override limits`. Over a limit, the error"
    yield "names both."
    yield ""
    yield "Generated from `in_toto_done_receipt/profile/limits.py`."
    yield ""
    yield "| name | default | highest | bounds |"
    yield "|---|---|---|---|"
    for name, limit in LIMITS.items():
        yield f"| `{name}` | {limit.default:,} | {limit.ceiling:,} | {limit.meaning} |"


def main() -> int:
    """Write the files, or with --check only say which differ."""
    check = "--check" in sys.argv[1:]
    stale = []
    for name, data in generated().items():
        path = ROOT / name
        if path.exists() and path.read_bytes() == data:
            continue
        stale.append(name)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    for name in stale:
        sys.stdout.write(f"{'stale' if check else 'wrote'}: {name}\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
