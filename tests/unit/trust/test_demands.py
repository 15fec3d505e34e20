from datetime import datetime, timedelta
from typing import Any

import pytest

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.trust.demands import demand_young, unmet
from in_toto_done_receipt.trust.model import RootFile, TextRule, TrustedIdentity

DAY = timedelta(1)


def identity(**members: Any) -> TrustedIdentity:
    return TrustedIdentity(name="ci", principal="ci", subject=TextRule(text="a"), issuer=TextRule(text="i"), **members)


@pytest.fixture
def now(workshop: Any) -> datetime:
    moment: datetime = workshop.now
    return moment


def reason(*given: Any, **named: Any) -> str | None:
    fault = unmet(*given, **named)
    return None if fault is None else fault.reason


def test_nothing_demanded_of_a_key(workshop: Any, now: datetime) -> None:
    key = workshop.trusted(workshop.private_key("ed25519"))
    assert unmet(key, times=(), logged=False, at=now) is None


@pytest.mark.parametrize(
    ("members", "times", "logged", "expected"),
    [
        ({}, ("rekor",), True, None),
        ({}, ("tsa",), False, "signature.no_transparency"),
        ({"transparency": False}, ("tsa",), False, None),
        ({"timestamp": True}, ("rekor",), True, "signature.no_timestamp"),
        ({"timestamp": True}, ("rekor", "tsa"), True, None),
        ({"timestamp": True, "transparency": False}, ("tsa",), False, None),
    ],
)
def test_what_an_identity_demands(
    now: datetime, members: dict[str, Any], times: tuple[str, ...], logged: bool, expected: str | None
) -> None:
    found = tuple((now, source) for source in times)
    assert reason(identity(**members), times=found, logged=logged, at=now) == expected


@pytest.mark.parametrize("member", ["transparency", "timestamp"])
def test_what_a_key_demands(workshop: Any, now: datetime, member: str) -> None:
    key = workshop.trusted(workshop.private_key("ed25519"), **{member: True})
    assert reason(key, times=(), logged=False, at=now) == f"signature.no_{member}"
    assert reason(key, times=((now, "tsa"),), logged=True, at=now) is None


@pytest.mark.parametrize(
    ("signed", "good"),
    [((0,), True), ((-1,), False), ((10,), True), ((11,), False), ((5, 11), False), ((-1, 5), False)],
)
@pytest.mark.parametrize("at", [-1000, 5, 1000])
def test_a_window_is_judged_at_every_verified_time(now: datetime, signed: tuple[int, ...], good: bool, at: int) -> None:
    who = identity(not_before=now, not_after=now + 10 * DAY)
    times = tuple((now + days * DAY, "rekor") for days in signed)
    expected = None if good else "signature.identity_not_valid"
    assert reason(who, times=times, logged=True, at=now + at * DAY) == expected


def test_a_window_without_verified_time_is_judged_now(workshop: Any, now: datetime) -> None:
    key = workshop.trusted(workshop.private_key("ed25519"), "alice", not_after=now)
    assert unmet(key, times=(), logged=False, at=now) is None
    fault = unmet(key, times=(), logged=False, at=now + DAY)
    assert fault is not None
    assert fault.reason == "signature.key_not_valid"
    assert 'key "alice" is valid until ' in fault.message


def test_root_age_is_the_last_second_inclusive(now: datetime) -> None:
    root = RootFile(name="r.json", data=b"", sha256="", newest_validity_start=now, max_age=10)
    demand_young(root, now + timedelta(seconds=10))
    with pytest.raises(SignatureNotTrusted, match=r'"r\.json" is 11 s old, at most 10 s') as caught:
        demand_young(root, now + timedelta(seconds=11))
    assert caught.value.reason == "signature.root_too_old"
