"""The specification page: its example is a good receipt, its tables are the code's, its sections are in-toto's."""

import json
import re
import sys
from pathlib import Path
from typing import Any

from in_toto_done_receipt.predicates.done_receipt.coherence import coherence_faults
from in_toto_done_receipt.predicates.done_receipt.faults import FAULT_REASONS
from in_toto_done_receipt.predicates.done_receipt.schema_faults import schema, validator
from in_toto_done_receipt.predicates.done_receipt.types import PATTERNS
from in_toto_done_receipt.predicates.done_receipt.v0_1 import PREDICATE_TYPE, unrecognized
from in_toto_done_receipt.results.reasons import REASONS
from in_toto_done_receipt.wire.escape import CONTROL_OR_FORMAT

from .conftest import Read

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "done-receipt.md").read_text(encoding="utf-8")
WHOLE = ROOT / "testdata" / "predicate" / "accept" / "whole" / "statement.json"


def section(title: str) -> str:
    return PAGE.partition(f"\n{title}\n")[2].partition("\n#")[0]


def example() -> Any:
    (block,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return json.loads(block)


def table(title: str) -> dict[str, str]:
    return dict(re.findall(r"^\| `(statement\.\w+)` \| (.*) \|$", section(title), re.MULTILINE))


def test_example_is_read_and_coherent(read: Read) -> None:
    receipt, statement = read(example())
    assert coherence_faults(receipt, statement) == ()
    assert (statement.unrecognized, unrecognized(receipt, statement)) == ((), ())


def test_example_passes_the_schema() -> None:
    assert list(validator().iter_errors(example()["predicate"])) == []


def test_example_is_the_vector() -> None:
    assert example() == json.loads(WHOLE.read_bytes())


def test_example_has_every_kind_of_evidence() -> None:
    kinds = {item["kind"] for claim in example()["predicate"]["claims"] for item in claim["evidence"]}
    assert kinds == {"path", "file", "text", "command", "tests", "output"}


def test_table_of_schema_faults_is_the_codes() -> None:
    assert table("### Parsing Rules") == FAULT_REASONS


def test_table_of_coherence_faults_is_the_codes() -> None:
    listed = table("### Coherence")
    assert len(listed) == 9
    assert listed == {code: REASONS[code].meaning for code in listed}


def test_type_uri_is_the_constant() -> None:
    assert f"Type URI: `{PREDICATE_TYPE}`" in PAGE
    assert example()["predicateType"] == PREDICATE_TYPE


def test_sections_are_in_the_order_of_the_template() -> None:
    titles = re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)
    template = ["Predicate type: done-receipt", "Purpose", "Use Cases", "Prerequisites", "Model", "Schema"]
    template += ["Parsing Rules", "Fields", "Example", "Changelog and Migrations"]
    assert [title for title in titles if title in template] == template
    header = [PAGE.index(word) for word in ("Type URI:", "Version:", "Predicate Name:", "## Purpose")]
    assert header == sorted(header)


def test_schema_has_the_patterns_of_the_types() -> None:
    definitions = schema()["$defs"]
    assert {name: definitions[name]["pattern"] for name in PATTERNS} == PATTERNS


def test_a_line_refuses_what_is_escaped_elsewhere() -> None:
    line = re.compile(PATTERNS["line"])
    refused = {code for code in range(sys.maxunicode + 1) if not line.match(chr(code))}
    escaped = {code for code in range(sys.maxunicode + 1) if CONTROL_OR_FORMAT.match(chr(code))}
    assert refused == escaped | {0x2028, 0x2029}


def test_schema_has_no_unique_items() -> None:
    assert '"uniqueItems"' not in json.dumps(schema())


def test_schema_is_a_schema() -> None:
    validator().check_schema(schema())
