"""The end of a validity has an effect: of every part of the root, of every certificate of a chain, of a key."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.advisories.conftest import Court, statement
from tests.forge.authority import make_authority
from tests.forge.keys import pem
from tests.forge.plan import NOW
from tests.forge.sigstore import Forge
from tests.forge.stamps import make_timestamp_authority

SEEN = NOW + timedelta(seconds=5)  # when log and timestamp authority see the signature
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)

# Which part vouches for which bundle, and the moment at which its validity is judged.
JUDGED: dict[str, tuple[str, str, datetime]] = {
    "authority, v1": ("authority", "v1", SEEN),
    "authority, v2": ("authority", "v2", SEEN),
    "certificate log": ("certificate_log", "v1", NOW),
    "log, v1": ("rekor_v1", "v1", SEEN),
    "log, v2": ("rekor_v2", "v2", SEEN),
    "timestamps": ("timestamps", "v2", SEEN),
}


@pytest.mark.parametrize(("part", "rekor", "moment"), JUDGED.values(), ids=JUDGED)
def test_cve_2026_54787_a_closed_window_is_closed(court: Court, part: Any, rekor: str, moment: datetime) -> None:
    bundle = court.bundle(rekor=rekor)
    closed = [(LONG_AGO, moment - SECOND), (moment + SECOND, None), (LONG_AGO, LONG_AGO + SECOND)]
    for window in closed:
        court.refused(bundle, root=court.forge.trusted_root(**{part: window}))


@pytest.mark.parametrize(("part", "rekor", "moment"), JUDGED.values(), ids=JUDGED)
def test_cve_2026_54787_both_ends_belong_to_a_window(court: Court, part: Any, rekor: str, moment: datetime) -> None:
    bundle = court.bundle(rekor=rekor)
    for window in ((moment, None), (LONG_AGO, moment), (moment, moment)):
        assert court.judge(bundle, root=court.forge.trusted_root(**{part: window})).code == 0


KEYS = """version = 1
[[key]]
name = "worker"
path = "worker.pub"
{more}
[sigstore]
trustedRoot = "root.json"
"""


@pytest.mark.parametrize("rekor", ["v1", "v2"])
def test_cve_2026_54787_a_keys_window_is_judged_at_the_verified_time(court: Court, rekor: str) -> None:
    court.write("worker.pub", pem(court.forge.key("worker").public_key()).decode())
    demand = "transparency = true\n" if rekor == "v1" else "transparency = true\ntimestamp = true\n"
    bundle = court.managed(rekor=rekor)
    windows = {
        f"notAfter = {SEEN.isoformat()}": 0,
        f"notAfter = {(SEEN - SECOND).isoformat()}": 10,
        f"notBefore = {SEEN.isoformat()}": 0,
        f"notBefore = {(SEEN + SECOND).isoformat()}": 10,
    }
    for window, code in windows.items():
        court.write("trust.toml", KEYS.format(more=demand + window))
        assert court.judge(bundle, trust=["--trust", "trust.toml"]).code == code, window


CHAINS: dict[str, tuple[Mapping[str, Any], int]] = {
    "longer than the signature": ({"until": SEEN + SECOND}, 0),
    "until the signature": ({"until": SEEN}, 0),
    "not until the signature": ({"until": SEEN - SECOND}, 10),
    "not until the certificate": ({"until": NOW - SECOND}, 10),
    "the root, not until the signature": ({"root_until": SEEN - SECOND}, 10),
    "without an intermediate, until the signature": ({"intermediate": False, "until": SEEN}, 0),
    "without an intermediate, not until the signature": ({"intermediate": False, "until": SEEN - SECOND}, 10),
}


@pytest.mark.parametrize("rekor", ["v1", "v2"])
@pytest.mark.parametrize(("chain", "code"), CHAINS.values(), ids=CHAINS)
def test_cve_2026_24122_an_issuer_that_ends_before_its_certificate(
    court: Court, chain: Mapping[str, Any], code: int, rekor: str
) -> None:
    court.forge = replace(court.forge, authority=make_authority("forge", **chain))
    assert court.judge(court.bundle(rekor=rekor)).code == code


@pytest.mark.parametrize(("until", "code"), [(SEEN + SECOND, 0), (SEEN - SECOND, 10)])
def test_cve_2026_24122_a_timestamp_authority_that_ends_before_its_timestamp(
    court: Court, until: datetime, code: int
) -> None:
    court.forge = replace(court.forge, timestamps=make_timestamp_authority("forge", until=until))
    assert court.judge(court.bundle(rekor="v2")).code == code


RETIRED = {
    "timestampAuthorities": ("timestamps", "v2"),
    "certificateAuthorities": ("authority", "v1"),
    "ctlogs": ("certificate_log", "v1"),
    "tlogs": ("rekor_v1", "v1"),
}


@pytest.mark.parametrize("section", RETIRED)
def test_tob_sigstore_11_one_may_not_borrow_anothers_window(court: Court, section: str) -> None:
    """Retired beside its successor, whose window is open: what the retired one signs later is refused."""
    part: Any
    part, rekor = RETIRED[section]
    successor = Forge.of("successor")
    for order in (1, -1):
        root = court.forge.trusted_root(**{part: (LONG_AGO, NOW - SECOND)})
        root[section] = [*root[section], *successor.trusted_root()[section]][::order]
        court.refused(court.bundle(rekor=rekor), root=root)
        both = replace(court.forge, **{part: getattr(successor, part)})
        assert court.judge(both.bundle(statement(), rekor=rekor), root=root).code == 0
