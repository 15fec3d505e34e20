"""Published schema and reader accept the same predicates: schema + listed extra rules <=> reader.

Documents are valid ones from a strategy, and the same with members deleted, retyped, nulled, put out of range, filled
with odd characters, doubled or added.
"""

import copy
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from in_toto_done_receipt.errors import MalformedStatement
from in_toto_done_receipt.predicates.done_receipt.coherence import coherence_faults
from in_toto_done_receipt.predicates.done_receipt.extra_rules import EXTRA_RULES, count_faults
from in_toto_done_receipt.predicates.done_receipt.faults import FAULT_REASONS
from in_toto_done_receipt.predicates.done_receipt.schema_faults import schema_faults, validator
from in_toto_done_receipt.predicates.done_receipt.summary import summary_line
from in_toto_done_receipt.predicates.done_receipt.typed import read_tree
from in_toto_done_receipt.predicates.done_receipt.v0_1 import PREDICATE_TYPE, read_predicate, unrecognized
from in_toto_done_receipt.wire.record import to_tree
from in_toto_done_receipt.wire.statement import Statement, read_statement

SCHEMA = validator()
HEX = {"sha256": "ab" * 32, "sha384": "cd" * 48, "sha512": "ef" * 64}
SUBJECTS = [{"name": "a", "digest": HEX}, {"name": "b", "digest": {"sha256": "01" * 32}}]

# Rejected by one type or another, at the edge of a limit, or another value to one of two regular expression engines.
ODD = (
    *("", "\n", "a\n", "a\x00", "\x7f", "\x85", "\xa0", "\xad", "\u200b", "\u2028", "\u202e", "\ufeff", "\U000e0041"),
    *("\U0001f600", "\u212b", "e\u0301", "\u00e9", "\u0130", "\uff5e", ".", "..", "a/..", "/a", "a/", "a//b", "a\\b"),
    *("...", "\u00e9" * 2048, "\u00e9" * 2049, "x" * 4096, "x" * 4097, "x" * 65_537, "{junit}", "--x={junit}"),
    *("ab" * 32, "AB" * 32, "ab" * 20, "ab" * 32 + "\n", "2026-02-29T00:00:00Z", "0000-01-01T00:00:00Z"),
    *("2028-02-29T00:00:00.123456789Z", "2026-01-01T00:00:00.Z", "2026-01-01T24:00:00Z", "file", "absent", "failed"),
    *("https://a@b", "ssh://a:b@c", "git@h:r", "path", "tests", "command", "urn:x", "true", "1"),
)
ODD_NUMBERS = (0, 1, -1, 1.0, 0.0, -0.0, 1.5, 2**53 - 1, 2**31 - 1, 2**31, -(2**31) - 1)
ODD_CONTAINERS: tuple[Any, ...] = (
    *([], {}, [[]], [""], [None], {"": 1}, {"digest": HEX}),
    *({"error": "x"}, {"error": ""}, {"error": 1, "type": "file"}),
)
ODD_VALUES = st.sampled_from((None, True, False, *ODD_NUMBERS, *ODD_CONTAINERS, *ODD))

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
lines = st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Cn"]), min_size=1, max_size=6)
paths = st.sampled_from(["a", "b", "d/e", "\u00e9", "\U0001f600", "\uff5e", ".a", "a.", "..."])
counts = st.integers(0, 2**53 - 1)
codes = st.integers(-(2**31), 2**31 - 1)
times = st.sampled_from(["2026-01-01T00:00:00Z", "2028-02-29T23:59:59.123456789Z", "0001-01-01T00:00:00.0Z"])
sha256 = st.sampled_from([HEX["sha256"], "01" * 32])
git_ids = st.sampled_from(["ab" * 20, "ab" * 32])


def shape(required: dict[str, Any], optional: dict[str, Any] | None = None) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(required, optional=optional or {})


digests = shape({"sha256": sha256}, {"sha384": st.just(HEX["sha384"]), "sha512": st.just(HEX["sha512"])})
files = shape({"name": paths, "digest": digests})
blobs = shape({"sha256": sha256, "bytes": counts})
revisions = shape({"digest": shape({"gitCommit": git_ids}, {"gitTree": git_ids})})
argv = st.lists(st.text(max_size=3).filter(lambda text: "\0" not in text), min_size=1, max_size=3)
addresses: tuple[dict[str, Any], ...] = ({"uri": "urn:x"}, {"digest": {"sha1": "x"}})
harness = shape({}, {"name": texts, "annotations": st.just({"x": None}), "mediaType": lines}).flatmap(
    lambda rest: st.sampled_from(addresses).map(lambda more: {**rest, **more})
)
audit_logs = st.sampled_from([{"requestId": "r"}, {"records": 1, "head": "ab" * 32}])


def kind(name: str, members: dict[str, Any], observed: Any, optional: dict[str, Any] | None = None) -> Any:
    ok = shape({"kind": st.just(name), "ok": st.booleans(), "observed": observed, **members}, optional)
    error = shape({"error": lines})
    return ok | shape({"kind": st.just(name), "ok": st.just(False), "observed": error, **members}, optional)


command_observed = {"exitCode": codes, "stdout": blobs, "stderr": blobs}
tests_observed = dict.fromkeys(("passed", "failed", "errored", "skipped"), counts) | {
    "exitCode": codes,
    "report": blobs,
}
commands = kind(
    "command",
    {"argv": argv, "expected": shape({"stdoutContains": texts}, {"exitCode": codes})},
    shape({**command_observed, "stdoutMatched": st.booleans()}),
)
runs = kind(
    "tests",
    {"argv": st.just(["/x", "--junit={junit}"])},
    shape(tests_observed),
    {"cited": st.lists(lines, max_size=3, unique=True)},
)
evidence = st.one_of(
    commands,
    runs,
    kind(
        "path",
        {"path": paths, "expect": st.sampled_from(["file", "directory", "present", "absent"])},
        shape({"type": st.sampled_from(["file", "directory", "symlink", "other", "absent"])}),
    ),
    kind("file", {"path": paths}, blobs, {"expectedSha256": sha256}),
    kind("text", {"path": paths, "literal": texts}, shape({"matched": st.booleans(), "bytes": counts})),
    kind("command", {"argv": argv}, shape(command_observed), {"expected": shape({}, {"exitCode": codes})}),
    kind("output", {"artifact": files}, shape({"matched": st.booleans()})),
    kind("urn:other", {}, st.just({"free": None}), {"path": st.just(1)}),
)


@st.composite
def contracts(draw: st.DrawFn) -> dict[str, Any]:
    names = sorted(draw(st.lists(paths, max_size=4, unique=True)), key=lambda name: name.encode())
    sealed = [name for name in names if draw(st.booleans())]
    return {
        "sealed": [{"name": name, "digest": draw(digests)} for name in sealed],
        "absent": [name for name in names if name not in sealed],
        "breach": draw(st.none() | texts),
    }


claims = st.lists(
    shape({"id": lines, "statement": texts, "evidence": st.lists(evidence, max_size=3)}),
    max_size=3,
    unique_by=lambda claim: claim["id"],
)
predicates = shape(
    {
        "task": shape({"description": texts}, {"uri": lines, "digest": digests}),
        "agent": shape({"id": lines}, {"model": lines, "harness": harness}),
        "run": shape(
            {"outcome": st.sampled_from(["completed", "budgetExhausted", "failed"]), "finishedOn": times},
            {
                "startedOn": times,
                "iterations": counts,
                "toolCalls": counts,
                "usage": shape({"inputTokens": counts, "outputTokens": counts}),
                "auditLog": audit_logs,
            },
        ),
        "contract": contracts(),
        "verdict": shape({"checked": st.booleans(), "passed": st.booleans(), "reason": st.just("") | texts}),
        "claims": claims,
    },
    {
        "source": shape({"base": revisions, "head": revisions}, {"repository": st.sampled_from(["/r", "git@h:r"])}),
        "context": st.just(
            {
                "packet": {"digest": {"sha256": "ab" * 32}},
                "input": {"digest": {"gitCommit": "ab" * 20}},
                "outputManifest": {"digest": {"sha256": HEX["sha256"]}},
            }
        ),
        "manifest": st.just({"name": "a", "digest": {"sha256": HEX["sha256"]}}),
    },
)


# Rules over several members, which a change at random place seldom reaches.
HARNESSES: tuple[Any, ...] = ({}, {"name": "x"}, {"uri": "urn:x"}, {"digest": {}}, {"uri": None})
AUDIT_LOGS: tuple[Any, ...] = ({}, {"records": 1}, {"head": "ab" * 32}, {"requestId": "r"}, {"x": 1})
ADDRESSES = ("https://a@b", "ssh://a:b@c", "ssh://a@c", "git+http://a@b")
TARGETS: tuple[tuple[str, str, Any], ...] = (
    *(("agent", "harness", harness) for harness in HARNESSES),
    *(("run", "auditLog", log) for log in AUDIT_LOGS),
    *(("source", "repository", address) for address in ADDRESSES),
)
ARGUMENTS = (["{junit}"], ["/x"], ["{junit}", "a{junit}"], ["{junit}{junit}", "x"])
EXPECTATIONS: tuple[Any, ...] = ({}, {"stdoutContains": "x"}, {"stdoutContains": ""})
ITEM_TARGETS: tuple[tuple[str, Any], ...] = (
    *(("argv", arguments) for arguments in ARGUMENTS),
    *(("expected", expectation) for expectation in EXPECTATIONS),
    *(("ok", ok) for ok in (True, False)),
)


def places(tree: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of the tree, in document order."""
    found: list[tuple[Any, Any]] = []
    stack = [tree]
    while stack:
        value = stack.pop()
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        found += [(value, key) for key in keys]
        stack += [value[key] for key in keys if isinstance(value[key], dict | list)]
    return found


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    # Copies everywhere: what a strategy hands out is shared by all examples, and is changed below.
    tree: dict[str, Any] = copy.deepcopy(draw(predicates))
    tree["claims"].append({"id": "runs", "statement": "s", "evidence": copy.deepcopy([draw(commands), draw(runs)])})
    if draw(st.booleans()):
        section, member, value = draw(st.sampled_from(TARGETS))
        tree.setdefault(section, {})[member] = copy.deepcopy(value)
    member, value = draw(st.sampled_from(ITEM_TARGETS))
    items = [item for claim in tree["claims"] for item in claim["evidence"] if member in item]
    if len(items) > 0 and draw(st.booleans()):
        draw(st.sampled_from(items))[member] = copy.deepcopy(value)
    for _ in range(draw(st.integers(0, 2))):
        found = places(tree)
        if not found:
            break
        container, key = draw(st.sampled_from(found))
        how = draw(st.sampled_from(["delete", "value", "swap", "add", "double"]))
        if how == "delete":
            del container[key]
        elif how == "value":
            container[key] = copy.deepcopy(draw(ODD_VALUES))
        elif how == "swap":
            other, name = draw(st.sampled_from(found))
            container[key] = copy.deepcopy(other.get(name) if isinstance(other, dict) else other[name])
        elif isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]))
        else:
            name = draw(st.sampled_from(["error", "stdoutMatched", "head", "x", "kind", "digest"]))
            container[name] = copy.deepcopy(draw(ODD_VALUES))
    return tree


def statement_of(predicate: dict[str, Any]) -> Statement:
    tree = {"_type": "https://in-toto.io/Statement/v1", "subject": SUBJECTS, "predicateType": PREDICATE_TYPE}
    return read_statement(json.dumps({**tree, "predicate": predicate}).encode())


def refusal(statement: Statement) -> MalformedStatement | None:
    try:
        read_predicate(statement)
    except MalformedStatement as error:
        return error
    return None


@given(predicates)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_valid_documents_are_accepted(predicate: dict[str, Any]) -> None:
    statement = statement_of(predicate)
    receipt = read_predicate(statement)
    assert SCHEMA.is_valid(predicate)
    assert json.loads(json.dumps(to_tree(receipt)))["task"] == predicate["task"]
    assert unrecognized(receipt, statement) == ()
    assert all(fault.message.isprintable() for fault in coherence_faults(receipt, statement))
    assert len(summary_line(receipt).splitlines()) == 1


@given(mutated())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_schema_and_extra_rules_are_the_reader(predicate: dict[str, Any]) -> None:
    statement = statement_of(predicate)
    by_schema = SCHEMA.is_valid(predicate)
    if by_schema:  # then the types accept, or this raises
        receipt = read_tree(predicate)
        broken = [fault for rule in EXTRA_RULES for fault in rule(receipt, statement)]
        by_schema = not broken and not list(count_faults(predicate))
    error = refusal(statement)
    assert (error is None) == by_schema
    if error is not None:
        assert error.reason in FAULT_REASONS
        assert error.pointer.startswith("/predicate")
        assert error.message.isprintable()


@given(mutated())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_the_listed_faults_are_those_of_the_schema(predicate: dict[str, Any]) -> None:
    faults = schema_faults(predicate, limit=20)
    assert (faults == ()) == SCHEMA.is_valid(predicate)
    assert {fault.reason for fault in faults} <= set(FAULT_REASONS)
    assert all(fault.message.isprintable() for fault in faults)
