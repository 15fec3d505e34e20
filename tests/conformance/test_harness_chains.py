"""The audit chain: the corpus where it is at hand, own chains without it, and every kind of damage at every place."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from in_toto_done_receipt.cli import main
from in_toto_done_receipt.observe.audit_chain.read import Chain, read_chain
from tests.conformance import harness_original as original

CORPUS: Final = {
    "audit_chain.jsonl": (5, None),
    "variants/chain_ok.jsonl": (5, None),
    "variants/chain_empty.jsonl": (0, "empty"),
    "variants/chain_extra_field.jsonl": (0, "unknown_member"),
    "variants/chain_head_dropped.jsonl": (0, "sequence"),
    "variants/chain_swapped.jsonl": (0, "sequence"),
    "variants/chain_truncated_tail.jsonl": (3, None),  # what only a pin can tell
}


@pytest.fixture(scope="module")
def corpus(shared: Path) -> Path:
    return shared / "corpus" / "harness"


@pytest.mark.parametrize("name", CORPUS)
def test_every_chain_of_the_corpus(corpus: Path, name: str) -> None:
    records, kind = CORPUS[name]
    chain = read_chain(corpus / name)
    assert (chain.records, chain.damage and chain.damage.kind) == (records, kind)


def test_the_corpus_has_no_other_chains(corpus: Path) -> None:
    assert {str(path.relative_to(corpus)) for path in corpus.rglob("*.jsonl")} == set(CORPUS)


LINES: Final = original.chain(original.run_records())
PLACES: Final = range(len(LINES))


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def written(lines: list[bytes], **options: Any) -> Chain:
        (tmp_path / "audit.jsonl").write_bytes(b"".join(lines))
        return read_chain(tmp_path / "audit.jsonl", **options)

    return written


def kind(chain: Chain) -> str | None:
    return None if chain.damage is None else chain.damage.kind


def test_a_sound_chain(read: Any) -> None:
    chain = read(LINES, request="req-7", pin=3)
    assert chain.damage is None
    assert chain.records == len(LINES)
    assert chain.head == json.loads(LINES[-1])["hash"]
    assert chain.pinned == json.loads(LINES[2])["hash"]
    assert (chain.run.input_tokens, chain.run.output_tokens, chain.run.tool_calls) == (100, 20, 5)
    assert (chain.run.accepted, chain.run.breached) == (True, False)


@pytest.mark.parametrize("place", PLACES[:-1])
def test_a_deleted_record_is_found(read: Any, place: int) -> None:
    chain = read(LINES[:place] + LINES[place + 1 :])
    assert (kind(chain), chain.records) == ("sequence", place)


@pytest.mark.parametrize("place", PLACES[:-1])
def test_a_deleted_record_is_found_when_the_rest_is_renumbered(read: Any, place: int) -> None:
    rest = [line.replace(b'{"seq":%d,' % n, b'{"seq":%d,' % (n - 1)) for n, line in enumerate(LINES)][place + 1 :]
    chain = read(LINES[:place] + rest)
    assert (kind(chain), chain.records) == ("link", place)


@pytest.mark.parametrize("place", PLACES)
def test_an_inserted_record_is_found(read: Any, place: int) -> None:
    assert kind(read([*LINES[:place], LINES[place], LINES[place], *LINES[place + 1 :]])) == "sequence"


@pytest.mark.parametrize("place", PLACES[:-1])
def test_swapped_records_are_found(read: Any, place: int) -> None:
    swapped = [*LINES[:place], LINES[place + 1], LINES[place], *LINES[place + 2 :]]
    assert (kind(read(swapped)), read(swapped).records) == ("sequence", place)


@pytest.mark.parametrize("place", PLACES)
def test_an_edited_record_is_found(read: Any, place: int) -> None:
    edited = LINES[place].replace(b"2026-08-17", b"2026-08-18")
    chain = read([*LINES[:place], edited, *LINES[place + 1 :]])
    assert (kind(chain), chain.records) == ("edited", place)


def test_an_edited_record_with_its_hash_made_new_breaks_the_next_link(read: Any) -> None:
    records = original.run_records()
    records[2]["detail"]["input_tokens"] = 1
    assert kind(read([*LINES[:2], original.chain(records)[2], *LINES[3:]])) == "link"


@pytest.mark.parametrize("place", PLACES[1:])
def test_a_truncated_chain_is_sound_and_has_another_head(read: Any, place: int) -> None:
    chain = read(LINES[:place])
    assert chain.damage is None
    assert chain.head != json.loads(LINES[-1])["hash"]


@pytest.mark.parametrize("cut", [1, 2, 40, 150])
def test_a_torn_last_line_is_named(read: Any, cut: int) -> None:
    assert kind(read([*LINES[:-1], LINES[-1][: -cut - 1]])) == "torn"


def test_only_a_missing_line_end_takes_nothing_away(read: Any) -> None:
    assert read([*LINES[:-1], LINES[-1][:-1]]).damage is None


def test_every_flipped_byte_is_found(read: Any) -> None:
    data = LINES[0] + LINES[1]
    for place in range(len(data) - 1):
        changed = data[:place] + bytes([data[place] ^ 1 << place % 7]) + data[place + 1 :]
        assert read([changed]).damage is not None, place


@pytest.mark.parametrize("lines", [[], [b"\n"], [b" \r\n", b"\t\n"]], ids=["nothing", "line", "space"])
def test_an_empty_log_is_never_fine(read: Any, lines: list[bytes]) -> None:
    assert kind(read(lines)) == "empty"


def verified(tmp_path: Path, lines: list[bytes] | None, *flags: str, **changes: Any) -> tuple[int, dict[str, Any]]:
    """Exit code of `verify --as harness-receipt --audit-log`, and where its report is."""
    receipt = original.receipt(**{"audit_request": "req-7", **changes})
    (tmp_path / "r.json").write_bytes(original.pretty(receipt))
    if lines is not None:
        (tmp_path / "audit.jsonl").write_bytes(b"".join(lines))
    arguments = ["--as", "harness-receipt", "--unsigned", "--minimum-assurance", "reported", *flags]
    out = tmp_path / "out.json"
    log = str(tmp_path / "audit.jsonl")
    code = main.run(
        ["verify", str(tmp_path / "r.json"), *arguments, "--audit-log", log, "--output", f"json={out}", "--quiet"]
    )
    return code, json.loads(out.read_bytes()) if out.exists() else {}


def reasons(document: dict[str, Any]) -> set[str]:
    checks = {check["id"]: check for check in document["result"]["checks"]}
    return {finding["reason"] for finding in checks["audit-log"]["findings"]}


def test_a_log_that_agrees_with_an_old_receipt_is_admitted_with_a_warning(tmp_path: Path) -> None:
    code, document = verified(tmp_path, LINES)
    assert code == 0
    assert reasons(document) == {"audit-log.consistent", "audit-log.cannot_pin"}
    assert "audit.log" in {warning["code"] for warning in document["decision"]["warnings"]}
    assert document["result"]["assurance"] == "reported"


def test_of_several_requests_only_the_receipts_counts(tmp_path: Path) -> None:
    both = original.chain([*original.run_records("req-6", passed=False, breach=True), *original.run_records()])
    assert verified(tmp_path, both)[0] == 0


DISAGREEMENTS: Final[dict[str, dict[str, Any]]] = {
    "audit-log.request": {"audit_request": "req-8"},
    "audit-log.missing": {"audit_request": None},
    "audit-log.tokens": {"output_tokens": 21},
    "audit-log.tool_calls": {"tools_called": 4},
    "audit-log.acceptance": {"passed": False, "reason": "no"},
    "audit-log.breach": {"passed": False, "reason": "no", "seal_breach": "a was modified"},
}


@pytest.mark.parametrize("reason", DISAGREEMENTS)
def test_what_receipt_and_log_say_differently_is_refused(tmp_path: Path, reason: str) -> None:
    code, document = verified(tmp_path, LINES, **DISAGREEMENTS[reason])
    assert code == 11
    assert reason in reasons(document)


def test_a_breach_in_the_log_that_the_receipt_hides_is_found(tmp_path: Path) -> None:
    code, document = verified(tmp_path, original.chain(original.run_records(breach=True)))
    assert code == 11
    assert {"audit-log.breach", "audit-log.acceptance"} <= reasons(document)


def test_counters_that_an_unfinished_run_never_got_are_not_compared(tmp_path: Path) -> None:
    zero = dict.fromkeys(("iters", "tools_called", "input_tokens", "output_tokens"), 0)
    code, document = verified(tmp_path, LINES, passed=False, reason="the run did not complete", **zero)
    assert code == 12  # it did not pass
    assert "audit-log.no_counters" in reasons(document)
    assert {w["code"] for w in document["decision"]["warnings"]} >= {"statement.coherent", "audit.log"}


def test_an_empty_log_is_refuted(tmp_path: Path) -> None:
    code, document = verified(tmp_path, [])
    assert (code, reasons(document)) == (11, {"audit-log.empty"})


def test_a_missing_log_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verified(tmp_path, None)[0] == 4
    assert "audit.jsonl does not exist" in capsys.readouterr().err


def test_a_line_over_the_limit_is_named_with_both_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verified(tmp_path, LINES, "--limit", "audit-line-bytes=100")[0] == 3
    assert "limit audit-line-bytes is 100" in capsys.readouterr().err
