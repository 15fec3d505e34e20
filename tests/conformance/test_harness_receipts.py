"""harness.receipt.v1: the original's vectors where the corpus is at hand, own ones without it, and its variants."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.cli import main
from in_toto_done_receipt.errors import DoneReceiptError, MalformedInput, MalformedStatement
from in_toto_done_receipt.importers import harness_format as form
from in_toto_done_receipt.importers.harness_receipt import STRICTER, read, read_harness_receipt
from in_toto_done_receipt.importers.registry import old_format
from in_toto_done_receipt.predicates.done_receipt.summary import summary_line
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.wire.statement import read_statement
from tests.conformance import harness_original as original

FORMAT: Final = old_format("harness-receipt")
SEALS: Final = {"entries": {"tests-extra/x": "b" * 64, "tests/test_a.py": "a" * 64, "tests": None, "absent.txt": None}}
TEXT: Final = 'q"\\\b\t\n\f\r\x00\x1f\x7f\u2028\ufeff\u00e9\U0001f600/'
OWN: Final[dict[str, dict[str, Any]]] = {
    "passed_sealed": {"contract": {"entries": {"tests/test_a.py": "a" * 64}}, "audit_request": "req-7"},
    "passed_unsealed": {},
    "unchecked": {"checked": False, "passed": False},
    "failed": {"passed": False, "reason": 'answer.txt must contain "42"', "contract": SEALS},
    "breached": {"passed": False, "reason": "it moved", "seal_breach": "a was modified", "contract": SEALS},
    "budget_exhausted": {"passed": False, "reason": form.BUDGET_REASON},
    "unicode_escapes": {"task": TEXT, "passed": False, "reason": TEXT, "finished_ms": 1},
}
COUNTERS: Final = ("iters", "tools_called", "input_tokens", "output_tokens")
STUCK: Final = {"passed": False, "reason": form.FAILED_REASON, **dict.fromkeys(COUNTERS, 0)}
ODD: Final = {"unsayable": {"task": "", "model": "m\x85", "contract": {"entries": {"/abs/p": "1"}}}}
EXTREME: Final = {"extreme": {"finished_ms": -(2**63), **dict.fromkeys(COUNTERS, 2**32 - 1)}}
CASES: Final = OWN | {"stuck": STUCK} | ODD | EXTREME


def harness(**changes: Any) -> bytes:
    return original.pretty(original.receipt(**changes))


@pytest.fixture(scope="module")
def corpus(shared: Path) -> Path:
    return shared / "corpus" / "harness"


VECTORS: Final = (
    "breached",
    "budget_exhausted",
    "failed",
    "max_ints",
    "passed_sealed",
    "passed_unsealed",
    "stuck",
    "unchecked",
    "unicode_escapes",
)


@pytest.mark.parametrize("name", VECTORS)
def test_every_vector_has_its_preimage_its_digest_and_its_bytes(corpus: Path, name: str) -> None:
    data = (corpus / f"{name}.json").read_bytes()
    receipt = read_harness_receipt(data)
    assert form.preimage(receipt) == (corpus / f"{name}.preimage").read_bytes()
    assert form.content_digest(receipt) == receipt.digest
    assert form.file_bytes(receipt) == data


@pytest.mark.parametrize("name", VECTORS)
def test_the_mirror_of_the_original_is_one(corpus: Path, name: str) -> None:
    data = (corpus / f"{name}.json").read_bytes()
    tree = original.read_json(data)
    assert original.preimage(tree) == (corpus / f"{name}.preimage").read_bytes()
    assert original.pretty(tree) == data


def test_the_corpus_has_no_other_vectors(corpus: Path) -> None:
    assert {path.stem for path in corpus.glob("*.json")} == set(VECTORS)


SUMMARIES: Final = {
    "passed_sealed": "PASSED — checked against 3 sealed file(s), which did not move, 3 iteration(s)",
    "passed_unsealed": "PASSED — checked, nothing sealed, 3 iteration(s)",
    "unchecked": "UNCHECKED — the model stopped after 5 tool call(s); nothing verified it",
    "failed": 'FAILED — answer.txt must contain "42", found ""',
    "breached": "REFUSED — the acceptance contract moved during the run"
    " (absent.txt was created; contract.txt was modified; tests/test_a.py was deleted)",
    "budget_exhausted": "FAILED — the run hit its budget before finishing",
    "stuck": "FAILED — the run did not complete",
}


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_one_line_is_the_originals_but_for_null_entries(corpus: Path, name: str) -> None:
    data = (corpus / f"{name}.json").read_bytes()
    assert summary_line(read(data, what="r").receipt) == SUMMARIES[name]
    assert original.summary(original.read_json(data)).replace("against 6", "against 3") == SUMMARIES[name]


# What the original says of each: whether it reads it, and whether it finds it intact; and what is said here.
VARIANTS: Final = {
    "bom": (False, False, "a byte order mark"),
    "compact": (True, True, None),
    "dup_path_component_equal": (True, False, "are one path"),
    "extra_contract_key": (True, True, "more: is no member"),
    "extra_key": (True, True, "extra: is no member"),
    "flipped_passed": (True, False, "content digest is"),
    "float_iters": (False, False, "expected an integer, got 3.0"),
    "missing_option_audit_request": (True, False, "audit_request: is missing"),
    "missing_reason": (False, False, "reason: is missing"),
    "other_schema": (True, False, 'got "harness.receipt.v2"'),
    "reordered_contract": (True, True, None),
    "reordered_keys": (True, True, None),
    "u32_overflow": (False, False, "got 4294967296"),
    "upper_digest": (True, False, "content digest is"),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_is_taken_or_refused_with_a_reason(corpus: Path, name: str) -> None:
    takes, intact, said = VARIANTS[name]
    data = (corpus / "variants" / f"{name}.json").read_bytes()
    assert _taken(data) == (takes, intact)
    if said is None:
        FORMAT.to_statement(read(data, what="r"), what="r")
        return
    with pytest.raises(MalformedInput, match=said) as refused:
        FORMAT.to_statement(read(data, what="r"), what="r")
    assert (getattr(refused.value, "reason", None) == STRICTER) == intact


def test_the_corpus_has_no_other_variants(corpus: Path) -> None:
    assert {path.stem for path in (corpus / "variants").glob("*.json")} == set(VARIANTS)


def _taken(data: bytes) -> tuple[bool, bool]:
    try:
        return True, original.intact(original.read_json(data))
    except (ValueError, UnicodeDecodeError):
        return False, False


STRICTER_HERE: Final[dict[str, dict[str, Any]]] = {
    "extra member": {"extra": 1},
    "extra member of the contract": {"contract": {"entries": {}, "more": 1}},
    "another schema": {"schema": "harness.receipt.v2"},
    "no option": {"audit_request": ...},
    "one path twice": {"contract": {"entries": {"a/b": "1", "a/./b": "2"}}},
    "one path with a slash at its end": {"contract": {"entries": {"a/b": None, "a/b/": None}}},
}


@pytest.mark.parametrize("name", STRICTER_HERE)
def test_what_the_original_finds_intact_and_is_refused_here_has_a_code(name: str) -> None:
    tree = original.receipt(**{key: value for key, value in STRICTER_HERE[name].items() if value is not ...})
    for member, value in STRICTER_HERE[name].items():
        if value is ...:
            del tree[member]
    data = json.dumps(tree).encode()
    assert _taken(data) == (True, True)
    with pytest.raises(MalformedStatement, match="intact by its own digest, but stricter here") as refused:
        read_harness_receipt(data)
    assert refused.value.reason == STRICTER


@pytest.mark.parametrize("name", CASES)
def test_own_vectors_need_no_corpus(name: str) -> None:
    tree = original.receipt(**CASES[name])
    receipt = read_harness_receipt(original.pretty(tree))
    assert form.preimage(receipt) == original.preimage(tree)
    assert form.file_bytes(receipt) == original.pretty(tree)
    shuffled = json.dumps(dict(reversed(tree.items())), indent=1).encode()
    assert form.content_digest(read_harness_receipt(shuffled)) == tree["digest"]


@pytest.mark.parametrize("name", OWN)
def test_an_import_exported_is_the_file_again(name: str) -> None:
    data = harness(**OWN[name])
    payload = FORMAT.to_statement(read(data, what="r"), what="r")
    statement = read_statement(payload)
    assert statement.subjects[0].name == "harness-receipt.json"
    exported = FORMAT.from_statement(statement, read_predicate(statement), what="s")
    assert exported == data
    assert original.intact(original.read_json(exported))


@pytest.mark.parametrize(
    ("changes", "member"),
    [
        ({"task": ""}, "task"),
        ({"model": ""}, "model"),
        ({"finished_ms": 2**62}, "finished_ms"),
        ({"contract": {"entries": {"/etc/x": None}}}, "contract.entries"),
        ({"contract": {"entries": {"a": "not a digest"}}}, "contract.entries"),
        ({"seal_breach": "", "passed": False, "reason": "x"}, "seal_breach"),
        ({"audit_request": ""}, "audit_request"),
    ],
    ids=str,
)
def test_what_the_new_form_cannot_say_is_named_and_still_judged(changes: dict[str, Any], member: str) -> None:
    old = read(harness(**changes), what="r")
    with pytest.raises(MalformedInput, match=f"r: {member}: the new form cannot say it"):
        FORMAT.to_statement(old, what="r")


TEXTS: Final = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PATHS: Final = st.lists(st.sampled_from(["a", "b-", "b", ".", "..", "", "\u00e9"]), min_size=1, max_size=4).map(
    "/".join
)
RECEIPTS: Final = st.fixed_dictionaries(
    {},
    optional={
        "task": TEXTS,
        "model": TEXTS,
        "reason": TEXTS,
        "passed": st.booleans(),
        "checked": st.booleans(),
        "finished_ms": st.integers(-(2**63), 2**63 - 1),
        "iters": st.integers(0, 2**32 - 1),
        "seal_breach": st.none() | TEXTS,
        "audit_request": st.none() | TEXTS,
        "contract": st.dictionaries(PATHS, st.none() | TEXTS, max_size=5).map(lambda found: {"entries": found}),
    },
)


@given(RECEIPTS)
def test_reader_and_original_agree_on_any_receipt(changes: dict[str, Any]) -> None:
    tree = original.receipt(**changes)
    data = json.dumps(tree, ensure_ascii=False).encode()  # the original's writer would put paths together that are one
    paths = tree["contract"]["entries"]
    if len({tuple(original.parts(path)) for path in paths}) < len(paths):
        with pytest.raises(MalformedStatement, match="are one path, part by part"):
            read_harness_receipt(data)
        return
    receipt = read_harness_receipt(data)
    assert form.content_digest(receipt) == tree["digest"]
    assert form.file_bytes(receipt) == original.pretty(tree)


def test_no_byte_can_change_unseen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every flip of one bit of each byte: another receipt is never taken for the one that the digest is of."""
    data = harness(contract={"entries": {"tests/test_a.py": "a" * 64}}, audit_request="req-7")
    wanted = read_harness_receipt(data)
    for place in range(len(data)):
        changed = data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]
        try:
            receipt = read_harness_receipt(changed)
        except DoneReceiptError:
            continue
        assert receipt == wanted or form.content_digest(receipt) != receipt.digest


@pytest.mark.parametrize("cut", [0, 1, 17, 200, 400])
def test_a_truncated_file_is_malformed(tmp_path: Path, cut: int, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.json").write_bytes(harness()[:cut])
    assert main.run(["verify", str(tmp_path / "r.json"), "--as", "harness-receipt", "--unsigned"]) == 3


HOSTILE: Final = "\x1b[31m\r::error::x\u202e\n##[command]\x9b"


def test_no_control_character_reaches_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    contract = {"entries": {f"p{HOSTILE}": None, f"q{HOSTILE}": HOSTILE}}
    texts = dict.fromkeys(("task", "model", "audit_request", "seal_breach"), HOSTILE)
    (tmp_path / "r.json").write_bytes(harness(**texts, reason=HOSTILE, passed=False, contract=contract))
    (tmp_path / "work").mkdir()
    arguments = [str(tmp_path / "r.json"), "--as", "harness-receipt", "--unsigned", "--root", str(tmp_path / "work")]
    assert main.run(["verify", *arguments]) == 11
    printed = "".join(capsys.readouterr())
    assert not set("\x1b\r\x9b\u202e") & set(printed)
    assert "\n::" not in printed
    assert "##[" not in printed


@pytest.mark.parametrize(
    "data",
    [
        b'{"schema":"harness.receipt.v1","task":' + b"[" * 100_000,
        b'{"schema":"harness.receipt.v1","iters":' + b"9" * 100_000 + b"}",
        harness(task="x" * (10 << 20)),
        b"[]",
        b"null",
        b"",
    ],
    ids=["deep", "digits", "10 MiB", "list", "null", "empty"],
)
def test_bad_input_is_answered_with_a_reason(data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.json").write_bytes(data)
    code = main.run(["verify", str(tmp_path / "r.json"), "--as", "harness-receipt", "--unsigned"])
    assert code in (3, 12)
    assert "internal error" not in capsys.readouterr().err
