"""Whatever a trust file says: it is read and explained, or refused as a trust file; never anything else."""

import contextlib
import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.errors import SignatureNotTrusted, TrustError
from in_toto_done_receipt.trust.check import weak_lines
from in_toto_done_receipt.trust.explain import combinations, explain
from in_toto_done_receipt.trust.file import load_trust
from in_toto_done_receipt.trust.identity import CLAIM_NAMES, CertificateFacts, match_identities
from in_toto_done_receipt.trust.model import TrustPolicy
from testdata.receipts import generate
from tests.forge.sigstore import Forge

NOW = datetime(2026, 11, 30, tzinfo=UTC)

words = st.sampled_from(["a", "b@x.example", "B@X.example", "b+c@x.example", "https://i.example", "7"])
wild = st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), max_size=12)
texts = words | words | words | wild
narrow = st.sampled_from(["a+", r"[a-z]+@x\.example", "b.*@x.example", r"https://i\.example(/.*)?", "7|8"])
expressions = narrow | narrow | narrow | st.text(st.sampled_from(".*+?()[]{}|\\^$a1/-@,"), max_size=14)
times = st.sampled_from(["2025-01-01T00:00:00Z", "2026-11-30T00:00:00Z", "2027-01-01T00:00:00+23:59"])


def tables(values: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    names = st.sampled_from([*CLAIM_NAMES.values()])
    return st.dictionaries(names, values | st.lists(values, min_size=1, max_size=3), min_size=1, max_size=3)


scopes = {name: st.lists(texts, min_size=1, max_size=2) for name in ("agents", "models", "predicateTypes")}
common = scopes | {"principal": words, "transparency": st.booleans(), "timestamp": st.booleans()}
windows = {"notBefore": times, "notAfter": times}
subjects = st.one_of(
    st.fixed_dictionaries({"subject": texts}),
    st.fixed_dictionaries({"subjectRegexp": expressions}),
    st.just({"anySubject": True}),
    st.fixed_dictionaries({}, optional={"subject": texts, "subjectRegexp": expressions, "anySubject": st.booleans()}),
)
issuers = st.fixed_dictionaries({"issuer": texts}) | st.fixed_dictionaries({"issuerRegexp": expressions})
claims = st.fixed_dictionaries({}, optional={"claims": tables(texts)}) | st.fixed_dictionaries(
    {}, optional={"claimsRegexp": tables(expressions)}
)
identities = st.builds(
    lambda *parts: dict(item for part in parts for item in part.items()),
    st.fixed_dictionaries({}, optional=common),
    subjects,
    issuers,
    claims,
)
likely = st.fixed_dictionaries(
    {"principal": words, "subject": words, "issuer": words}, optional={"claims": tables(words)}
)
keys = st.fixed_dictionaries({"path": words}, optional=common)


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {toml(inner)}" for name, inner in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def entry(section: str, members: dict[str, Any], window: dict[str, str]) -> str:
    lines = [f"{name} = {toml(value)}" for name, value in members.items()]
    return "\n".join(
        [f"[[{section}]]", 'name = "#"', *lines, *(f"{name} = {time}" for name, time in window.items()), ""]
    )


@cache
def root() -> bytes:
    return json.dumps(Forge.of().trusted_root()).encode()


def read(path: Path) -> bytes:
    return root() if path.name == "root.json" else generate.public_pem(path.name).encode()


def loaded(parts: list[str], threshold: int) -> TrustPolicy | None:
    named = [part.replace("#", f"entry {number}", 1) for number, part in enumerate(parts)]
    text = "\n".join([f"version = 1\nthreshold = {threshold}", *named, '[sigstore]\ntrustedRoot = "root.json"\n'])
    try:
        return load_trust(text.encode(), base=Path(), read=read)
    except TrustError:
        return None


window = st.fixed_dictionaries({}, optional=windows)
entries = st.builds(lambda members, ends: entry("identity", members, ends), identities | likely, window) | st.builds(
    lambda members, ends: entry("key", members, ends), keys, window
)
facts = st.builds(
    CertificateFacts,
    subject=texts,
    issuer=texts,
    claims=st.dictionaries(st.sampled_from([*CLAIM_NAMES.values()]), texts, max_size=4),
)


@given(st.lists(entries, min_size=1, max_size=4), st.sampled_from([1, 1, 1, 2, 3]), facts)
def test_trust_file_is_refused_or_explained(parts: list[str], threshold: int, certificate: CertificateFacts) -> None:
    policy = loaded(parts, threshold)
    if policy is None:
        return
    weak_lines(policy, at=NOW)
    combinations(policy, at=NOW)
    for one in policy.entries:
        assert explain(one, at=NOW).lets_in
    if policy.identities:
        with contextlib.suppress(SignatureNotTrusted):
            assert match_identities(certificate, policy.identities)


@given(st.lists(st.builds(lambda members: entry("identity", members, {}), likely), min_size=1, max_size=4, unique=True))
def test_trust_whoever_fits_is_somebody_the_file_names(parts: list[str]) -> None:
    policy = loaded(parts, 1)
    if policy is None:
        return
    for identity in policy.identities:
        claims = {name: rules[0].text for name, rules in identity.claim_rules}
        certificate = CertificateFacts(subject=identity.subject.text, issuer=identity.issuer.text, claims=claims)
        assert identity in match_identities(certificate, policy.identities)
