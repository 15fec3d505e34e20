"""Attack: a back-dated `finishedOn` with an expired key; the year 2999.
Answer: validity is judged at a trusted time or now, never at a time that the receipt claims.
"""

import json
from dataclasses import replace
from typing import Any

import pytest

from testdata.receipts import generate
from tests.threats import keyless
from tests.threats.conftest import Desk

EXPIRED = generate.SCOPED + "notAfter = 2026-06-01T00:00:00Z\n"
NOT_YET = generate.SCOPED + "notBefore = 2027-01-01T00:00:00Z\n"


@pytest.mark.parametrize(
    ("text", "finished"),
    [(EXPIRED, "2026-05-01T00:00:00Z"), (EXPIRED, "2026-11-30T12:00:00Z"), (NOT_YET, "2027-02-01T00:00:00Z")],
)
def test_threat_16_a_window_is_judged_by_the_verifiers_clock(desk: Desk, text: str, finished: str) -> None:
    change = generate.update("run", finishedOn=finished)
    trust = ["--trust", "trust.toml"]
    seen = desk.verify(generate.Case(why="", change=change, inputs={"trust.toml": text}, trust=trust))
    assert (seen.code, "signature.key_not_valid" in seen.reasons) == (10, True)


@pytest.mark.parametrize("finished", ["2999-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2026-12-01T00:00:00Z"])
def test_threat_16_a_run_cannot_end_in_the_future(desk: Desk, finished: str) -> None:
    seen = desk.verify(generate.Case(why="", change=generate.update("run", finishedOn=finished)))
    assert (seen.code, seen.violations) == (12, {"freshness.time"})


def test_threat_16_the_last_moment_of_the_calendar_is_no_error(desk: Desk) -> None:
    change = generate.update("run", finishedOn="0001-01-01T00:00:00Z")
    assert desk.verify(generate.Case(why="", change=change)).code == 0
    assert desk.verify(generate.Case(why="", change=change), "--at", "9999-12-31T23:59:59Z").code == 0


SIGNED = "2026-11-30T12:00:05Z"  # when log and timestamp authority saw it
BEFORE, AFTER = "2026-11-30T12:00:04Z", "2026-11-30T12:00:06Z"
LATER = "2027-06-01T00:00:00Z"
EARLY = generate.update("run", finishedOn="2020-01-01T00:00:00Z")
STAMPED = keyless.WORKER + "timestamp = true\n"


def signature_reason(desk: Desk, text: str, write: keyless.Writer, **members: Any) -> str:
    """`admitted`, or why the signature was not trusted."""
    return judged(desk, keyless.case(text + keyless.ROOT, write, **members))


def judged(desk: Desk, case: generate.Case) -> str:
    seen = desk.verify(case)
    if seen.code == 0:
        return "admitted"
    assert seen.code == 10
    return ",".join(sorted(reason for reason in seen.reasons if reason.startswith("signature.")))


@pytest.mark.parametrize("rekor", ["v1", "v2"])
@pytest.mark.parametrize("at", [SIGNED, LATER, generate.NOW])
@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (f"notBefore = {SIGNED}\nnotAfter = {SIGNED}\n", "admitted"),
        (f"notAfter = {BEFORE}\n", "signature.identity_not_valid"),
        (f"notBefore = {AFTER}\n", "signature.identity_not_valid"),
    ],
    ids=["in", "after", "before"],
)
def test_threat_16_the_window_of_an_identity_is_judged_by_verified_time(
    desk: Desk, window: str, expected: str, at: str, rekor: str
) -> None:
    text = keyless.identity("dev", more=window)
    assert signature_reason(desk, text, keyless.bundle(rekor=rekor), flags=["--at", at]) == expected


def test_threat_16_a_back_dated_run_opens_no_window(desk: Desk) -> None:
    text = keyless.identity("dev", more=f"notAfter = {BEFORE}\n")
    assert signature_reason(desk, text, keyless.bundle(), change=EARLY) == "signature.identity_not_valid"


def test_threat_16_every_verified_time_lies_in_the_window(desk: Desk) -> None:
    """Of two timestamps, a second apart, one is outside."""
    text = keyless.identity("dev", more=f"notAfter = {SIGNED}\n")
    assert signature_reason(desk, text, keyless.bundle(stamps=1)) == "admitted"
    assert signature_reason(desk, text, keyless.bundle(stamps=2)) == "signature.identity_not_valid"


def test_threat_16_of_two_entries_the_one_whose_window_is_open_counts(desk: Desk) -> None:
    old = keyless.identity("old", principal="dev", more=f"notAfter = {BEFORE}\n")
    new = keyless.identity("new", principal="dev", more=f"notBefore = {SIGNED}\n")
    seen = desk.verify(keyless.case(old + new + keyless.ROOT, keyless.bundle()))
    assert (seen.code, [signer["name"] for signer in seen.result["signers"]]) == (0, ["new"])


def test_threat_16_a_certificate_that_has_ended_since_still_counts(desk: Desk) -> None:
    assert signature_reason(desk, keyless.identity("dev"), keyless.bundle(), flags=["--at", LATER]) == "admitted"


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ({"stamps": 1}, "admitted"),
        ({"stamps": 0}, "signature.no_timestamp"),
        ({"stamps": 1, "after": 86400}, "signature.key_not_valid"),
        ({"stamps": 1, "rekor": "v1"}, "admitted"),
        ({"stamps": 0, "rekor": "v1"}, "signature.no_timestamp"),
    ],
    ids=["stamped in time", "not stamped", "stamped too late", "logged too", "logged only"],
)
def test_threat_16_a_stamped_key_counts_after_its_end(desk: Desk, plan: dict[str, Any], expected: str) -> None:
    text = STAMPED + "notAfter = 2026-11-30T12:30:00Z\n"
    for change in (EARLY, lambda _statement, _predicate: None):
        found = signature_reason(desk, text, keyless.managed(**plan), flags=["--at", LATER], change=change)
        assert found == expected


def test_threat_16_a_key_without_verified_time_is_judged_now(desk: Desk) -> None:
    """Without a trusted root nobody vouches for what the bundle says of times."""
    text = keyless.WORKER + "notAfter = 2026-11-30T12:30:00Z\n"
    case = keyless.case(text, keyless.managed(rekor="v1", stamps=1), flags=["--at", "2026-11-30T12:29:00Z"])
    assert judged(desk, case) == "admitted"
    assert judged(desk, replace(case, flags=["--at", LATER])) == "signature.key_not_valid"


@pytest.mark.parametrize("part", ["timestamps", "rekor_v1", "rekor_v2"])
def test_threat_16_a_time_of_somebody_elses_is_none(desk: Desk, part: Any) -> None:
    liar = keyless.FORGE.with_stranger(part)
    plan: dict[str, Any] = {"rekor": "v1"} if part == "rekor_v1" else {"rekor": "v2"}
    write = lambda payload: json.dumps(liar.bundle(payload, **plan))  # noqa: E731
    assert signature_reason(desk, keyless.identity("dev"), write) == "signature.sigstore"
    write = lambda payload: json.dumps(liar.managed(payload, generate.key("worker"), stamps=1, **plan))  # noqa: E731
    assert signature_reason(desk, STAMPED, write) == "signature.sigstore"


@pytest.mark.parametrize(
    ("more", "plan", "expected"),
    [
        ("", {"rekor": "v1"}, "admitted"),
        ("", {"rekor": None, "stamps": 1}, "signature.no_transparency"),
        ("transparency = true\n", {"rekor": None, "stamps": 1}, "signature.no_transparency"),
        ("transparency = false\n", {"rekor": None, "stamps": 1}, "admitted"),
        ("transparency = false\n", {"rekor": "v2"}, "admitted"),
        ("timestamp = true\n", {"rekor": "v1"}, "signature.no_timestamp"),
        ("timestamp = true\n", {"rekor": "v1", "stamps": 1}, "admitted"),
        ("timestamp = true\n", {"rekor": "v2"}, "admitted"),
    ],
)
def test_threat_16_log_entry_and_timestamp_are_demanded(
    desk: Desk, more: str, plan: dict[str, Any], expected: str
) -> None:
    assert signature_reason(desk, keyless.identity("dev", more=more), keyless.bundle(**plan)) == expected


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (keyless.plain(), "signature.no_transparency"),
        (keyless.managed(), "signature.no_transparency"),
        (keyless.managed(stamps=1), "signature.no_transparency"),
        (keyless.managed(rekor="v1"), "admitted"),
        (keyless.managed(rekor="v2"), "signature.unsupported"),  # it logs digests, and Ed25519 signs none
        (keyless.managed("second", rekor="v1"), "signature.no_trusted_key"),
    ],
    ids=["envelope", "bare bundle", "stamped only", "logged in v1", "logged in v2", "another key"],
)
def test_threat_16_a_log_entry_of_a_key_is_demanded(desk: Desk, write: keyless.Writer, expected: str) -> None:
    assert signature_reason(desk, keyless.WORKER + "transparency = true\n", write) == expected


@pytest.mark.parametrize(("age", "expected"), [(3600, "admitted"), (3599, "signature.root_too_old")])
@pytest.mark.parametrize("change", [EARLY, lambda _statement, _predicate: None])
def test_threat_16_the_age_of_the_root_is_judged_by_the_verifiers_clock(
    desk: Desk, age: int, expected: str, change: generate.Change
) -> None:
    root = keyless.ROOT + f"obtainedOn = 2026-11-30T12:00:00Z\nmaxAge = {age}\n"
    case = keyless.case(keyless.identity("dev") + root, keyless.bundle(), change=change)
    assert judged(desk, case) == expected
    case = keyless.case(STAMPED + root, keyless.managed(stamps=1), change=change)
    assert judged(desk, case) == expected


@pytest.mark.parametrize(
    ("more", "age", "words"),
    [
        ("obtainedOn = 2026-11-29T12:00:00Z\nmaxAge = 1\n", 90_000, "obtained 2026-11-29, 1 day(s) old"),
        ("", 218_206_800, "last changed 2020-01-01, 2525 day(s) old"),
    ],
    ids=["obtained, too old", "last changed"],
)
def test_threat_16_the_age_of_the_root_is_reported(desk: Desk, more: str, age: int, words: str) -> None:
    case = keyless.case(keyless.identity("dev") + keyless.ROOT + more, keyless.bundle())
    assert desk.verify(case).result["trust"]["root"]["age"] == age
    assert words in " ".join(desk.run("verify", *desk.lay(case)).out.replace("\n    |", "").split())


def test_threat_16_the_time_is_reported_with_and_without_a_log(desk: Desk) -> None:
    text = keyless.identity("dev", more="transparency = false\n") + keyless.ROOT
    for write, line in (
        (keyless.bundle(stamps=1), "  log         index 4, 2026-11-30T12:00:05Z (rekor), 2026-11-30T12:00:05Z (tsa)"),
        (keyless.bundle(rekor=None, stamps=1), "  signed on   2026-11-30T12:00:05Z (tsa)"),
    ):
        assert line in desk.run("verify", *desk.lay(keyless.case(text, write))).out.splitlines()


def test_threat_16_an_old_root_is_no_hindrance_to_who_does_not_need_it(desk: Desk) -> None:
    root = keyless.ROOT + "obtainedOn = 2020-01-01T00:00:00Z\nmaxAge = 1\n"
    text = keyless.WORKER + keyless.identity("dev") + root
    for key in (keyless.plain(), keyless.managed(), keyless.managed(rekor="v1", stamps=1)):
        assert judged(desk, keyless.case(text, keyless.lines(keyless.bundle(), key))) == "admitted"


def test_threat_16_the_times_of_an_old_root_open_no_window(desk: Desk) -> None:
    root = keyless.ROOT + "obtainedOn = 2020-01-01T00:00:00Z\nmaxAge = 1\n"
    text = keyless.WORKER + "notAfter = 2026-11-30T12:30:00Z\n" + keyless.identity("dev")
    write = keyless.managed(rekor="v1", stamps=1)
    assert judged(desk, keyless.case(text + root, write)) == "signature.key_not_valid"
    assert judged(desk, keyless.case(text + keyless.ROOT, write)) == "admitted"


@pytest.mark.parametrize("finished", ["2026-11-30T12:05:05Z", "2026-11-30T12:05:06Z", "2999-01-01T00:00:00Z"])
def test_threat_16_a_run_cannot_end_after_its_signature(desk: Desk, finished: str) -> None:
    """Beyond the tolerance of 300 s; the verifier's own clock is an hour later."""
    change = generate.update("run", finishedOn=finished)
    seen = desk.verify(keyless.case(keyless.identity("dev") + keyless.ROOT, keyless.bundle(), change=change))
    good = finished == "2026-11-30T12:05:05Z"
    assert (seen.code, "freshness.in_future" in seen.reasons) == ((0, False) if good else (12, True))
