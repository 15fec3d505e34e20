import json
import re
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest
from jsonschema import Draft202012Validator

from in_toto_done_receipt.errors import TrustError, UnreadableInput
from in_toto_done_receipt.trust.entries import IdentityEntry, KeyEntry, SigstoreEntry, TrustFile
from in_toto_done_receipt.trust.file import load_trust
from in_toto_done_receipt.trust.identity import CLAIM_NAMES
from in_toto_done_receipt.trust.model import TextRule, TrustPolicy
from in_toto_done_receipt.trust.rules import ELSEWHERE
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.record import Record
from tests.unit.trust.conftest import ROOT

SCHEMA = json.loads(files("in_toto_done_receipt.trust").joinpath("trust.v0.1.schema.json").read_bytes())
KEY = '[[key]]\nname = "alice"\npath = "alice.pub"\n'
IDENTITY = '[[identity]]\nname = "ci"\nsubject = "a@b.example"\nissuer = "https://i.example"\n'
SIGSTORE = '[sigstore]\ntrustedRoot = "root.json"\n'

Load = Callable[[str], TrustPolicy]


@pytest.fixture
def load(folder: Path) -> Load:
    return lambda text: load_trust(text.encode(), base=folder, read=Path.read_bytes, what="trust.toml")


def accepted_by_schema(text: str) -> bool:
    tree = json.loads(json.dumps(tomllib.loads(text), default=datetime.isoformat))
    return Draft202012Validator(SCHEMA).is_valid(tree)


WHOLE = f"""
version = 1
threshold = 2

[[key]]
name = "laptop"
principal = "alice"
path = "alice.pub"
notBefore = 2026-01-01T00:00:00Z
notAfter = 2027-01-01T00:00:00+01:00
agents = ["agent"]
models = ["m1", "m2"]
repositories = ["https://example.com/r"]
predicateTypes = ["https://w3id.org/done-receipt/v0.1"]
transparency = true
timestamp = false

[[identity]]
name = "ci"
subjectRegexp = 'https://github\\.com/org/repo/\\.github/workflows/[a-z]+\\.yml@refs/heads/main'
issuer = "https://token.actions.githubusercontent.com"
claims = {{ sourceRepositoryURI = "https://github.com/org/repo", buildTrigger = ["push", "release"] }}
claimsRegexp = {{ runInvocationURI = 'https://github\\.com/org/repo/.*' }}
notBefore = 2026-02-01T00:00:00Z
notAfter = 2027-02-01T00:00:00Z
transparency = false
timestamp = true

[sigstore]
trustedRoot = "root.json"
sha256 = "{sha256_hex(ROOT)}"
obtainedOn = 2026-11-01T00:00:00Z
maxAge = 7776000
crossCheck = true
"""


def test_whole_file(load: Load) -> None:
    policy = load(WHOLE)
    (key,), (identity,) = policy.keys, policy.identities
    assert (policy.mode, policy.threshold) == ("signed", 2)
    assert (key.name, key.principal, key.algorithm) == ("laptop", "alice", "ed25519")
    assert key.not_after == datetime(2026, 12, 31, 23, tzinfo=UTC)
    assert key.scope.models == frozenset({"m1", "m2"})
    assert (identity.principal, identity.scope.unlimited) == ("ci", True)
    rules = dict(identity.claim_rules)
    assert rules["sourceRepositoryURI"] == (TextRule(text="https://github.com/org/repo"),)
    assert rules["buildTrigger"] == (TextRule(text="push"), TextRule(text="release"))
    assert rules["runInvocationURI"][0].matches("https://github.com/org/repo/actions/runs/1")
    assert (key.transparency, key.timestamp) == (True, False)
    assert (identity.transparency, identity.timestamp) == (False, True)
    assert identity.not_after == datetime(2027, 2, 1, tzinfo=UTC)
    assert policy.root is not None
    assert policy.root.newest_validity_start == datetime(2025, 2, 3, 4, 5, 6, 789000, tzinfo=UTC)
    assert policy.root.max_age == 7776000
    assert accepted_by_schema(WHOLE)


def test_key_in_place(load: Load, folder: Path) -> None:
    pem = (folder / "alice.pub").read_text()
    in_place = load(f"version = 1\n[[key]]\nname = 'alice'\npem = '''{pem}'''\n")
    assert in_place.digest == load("version = 1\n" + KEY).digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("threshold = 2", "threshold = 1"),
        ('principal = "alice"', 'principal = "bob"'),
        ("alice.pub", "bob.pub"),
        ("notBefore = 2026", "notBefore = 2025"),
        ("2027-01-01T00", "2027-01-01T01"),
        ('agents = ["agent"]', 'agents = ["other"]'),
        ('agents = ["agent"]', ""),
        ('"m1", "m2"', '"m1"'),
        ("example.com/r", "example.com/s"),
        ("receipt/v0.1", "receipt/v0.2"),
        ("[a-z]+", "[a-z]*"),
        ('issuer = "https://token', 'issuer = "https://tokem'),
        ("RepositoryURI = ", "RepositoryRef = "),
        ('org/repo",', 'org/other",'),
        ("obtainedOn = 2026-11-01", "obtainedOn = 2026-11-02"),
        ("maxAge = 7776000", "maxAge = 7776001"),
        ("crossCheck = true", "crossCheck = false"),
        ("transparency = true", "transparency = false"),
        ("timestamp = false", "timestamp = true"),
        ("transparency = false", ""),
        ("timestamp = true", ""),
        ("notBefore = 2026-02", "notBefore = 2026-03"),
        ("notAfter = 2027-02", "notAfter = 2027-03"),
        ('"push", "release"', '"push"'),
        ("claimsRegexp = { runInvocationURI = 'https", "claimsRegexp = { runInvocationURI = 'http"),
    ],
)
def test_digest_covers_what_decides(load: Load, old: str, new: str) -> None:
    assert old in WHOLE
    assert load(WHOLE.replace(old, new)).digest != load(WHOLE).digest


def test_digest_covers_openpgp(load: Load) -> None:
    assert load("version = 1\n" + KEY + "openpgp = true\n").digest != load("version = 1\n" + KEY).digest


def test_digest_covers_the_root(load: Load, folder: Path) -> None:
    text = re.sub("sha256.*\n", "", WHOLE)
    before = load(text).digest
    (folder / "root.json").write_bytes(ROOT.replace(b"2023", b"2022"))
    assert load(text).digest != before


def test_digest_does_not_depend_on_the_order_of_scopes(load: Load) -> None:
    assert load(WHOLE.replace('"m1", "m2"', '"m2", "m1"')).digest == load(WHOLE).digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("version = 1", "trusts nobody"),
        ("version = 2\n" + KEY, "version"),
        (KEY, "version"),
        ("version = 1\nkey = []\n", "key: 0 entries, expected 1 to 100"),
        ("version = 1\ntreshold = 1\n" + KEY, "unknown key treshold"),
        ("version = 1\n" + KEY + "notafter = 2027-01-01T00:00:00Z", r"unknown key key\[0\].notafter"),
        ("version = 1\n" + KEY + "agent = ['a']", r"unknown key key\[0\].agent"),
        ("version = 1\nthreshold = 0\n" + KEY, r"threshold is 0, with 1 principal\(s\) it can be 1 to 1"),
        ("version = 1\nthreshold = 2\n" + KEY, r"threshold is 2, with 1 principal\(s\)"),
        ("version = 1\nthreshold = true\n" + KEY, "threshold"),
        ("version = 1\n" + KEY + KEY, 'two entries are named "alice"'),
        ("version = 1\n" + KEY + KEY.replace('"alice"', '"b"'), 'keys "alice" and "b" are the same key'),
        ("version = 1\n[[key]]\nname = 'a'\n", r"key\[0\]: expected exactly one of path and pem"),
        ("version = 1\n" + KEY + "pem = 'x'\n", r"key\[0\]: expected exactly one of path and pem"),
        ("version = 1\n[[key]]\nname = 'a'\npem = ''\n", r"key\[0\].pem: expected one PEM block"),
        ("version = 1\n[[key]]\nname = 'a'\npath = ''\n", r"key\[0\].path: is empty"),
        ("version = 1\n[[key]]\nname = 'a'\npath = 'none.pub'\n", r"key\[0\].path: .*none.pub"),
        ("version = 1\n[[key]]\nname = 'a'\npath = 'root.json'\n", r"key\[0\].path: root.json: expected one PEM block"),
        ("version = 1\n[[key]]\nname = ''\npath = 'alice.pub'\n", r"key\[0\].name: expected 1 to 200"),
        ("version = 1\n" + KEY + 'principal = "a\\nb"\n', r"key\[0\].principal: expected 1 to 200"),
        ("version = 1\n" + KEY + "agents = []\n", r"key\[0\].agents: is empty"),
        ("version = 1\n" + KEY + "models = ['']\n", r"key\[0\].models: is empty"),
        ("version = 1\n" + KEY + "notAfter = 2027-01-01T00:00:00\n", r"key\[0\].notAfter: a time without a zone"),
        ("version = 1\n" + KEY + "notAfter = 9999-12-31T23:59:59-01:00\n", r"key\[0\].notAfter: .* 1 to 9999 in UTC"),
        ("version = 1\n" + KEY + "notAfter = 2027-01-01\n", "notAfter"),
        (
            "version = 1\n" + KEY + "notBefore = 2027-01-02T00:00:00Z\nnotAfter = 2027-01-01T00:00:00Z\n",
            r"key\[0\]: notBefore is after notAfter",
        ),
        ("version = 1\n" + IDENTITY, "an identity is trusted, and there is no"),
        ("version = 1\n" + KEY + SIGSTORE, "sigstore: a trusted root, and no identity is trusted"),
        ("version = 1\n" + IDENTITY.replace("https://i.example", "") + SIGSTORE, r"identity\[0\].issuer: is empty"),
        ("version = 1\n" + re.sub("issuer.*\n", "", IDENTITY) + SIGSTORE, r"identity\[0\]: no issuer"),
        ("version = 1\n" + re.sub("subject.*\n", "", IDENTITY) + SIGSTORE, r"identity\[0\]: no subject"),
        ("version = 1\n" + IDENTITY + "issuerRegexp = 'x'\n" + SIGSTORE, "issuer and issuerRegexp together"),
        ("version = 1\n" + IDENTITY + "claims = {repository = 'x'}\n" + SIGSTORE, 'unknown claim "repository"'),
        ("version = 1\n" + IDENTITY + "claims = {buildTrigger = ''}\n" + SIGSTORE, "claims.buildTrigger: is empty"),
        ("version = 1\n" + IDENTITY + "claims = {buildTrigger = []}\n" + SIGSTORE, "buildTrigger: 0 values"),
        ("version = 1\n" + IDENTITY + "claims = {}\n" + SIGSTORE, r"identity\[0\].claims: is empty"),
        ("version = 1\n" + IDENTITY + "claimsRegexp = {}\n" + SIGSTORE, r"identity\[0\].claimsRegexp: is empty"),
        ("version = 1\n" + IDENTITY + "claims = {buildTrigger = 1}\n" + SIGSTORE, "claims.*got `int`"),
        ("version = 1\n" + IDENTITY + "claims = {buildTriger = 'x'}\n" + SIGSTORE, 'unknown claim "buildTriger"'),
        ("version = 1\n" + IDENTITY + "claimsRegexp = {x = 'x'}\n" + SIGSTORE, r"claimsRegexp: unknown claim"),
        (
            "version = 1\n" + IDENTITY + "claimsRegexp = {buildTrigger = '('}\n" + SIGSTORE,
            r"buildTrigger: .* not a reg",
        ),
        ("version = 1\n" + IDENTITY + "claimsRegexp = {buildTrigger = '.*'}\n" + SIGSTORE, "matches anybody"),
        (
            "version = 1\n" + IDENTITY + "claims = {buildTrigger='a'}\nclaimsRegexp = {buildTrigger='a+'}\n" + SIGSTORE,
            r"claims.buildTrigger and claimsRegexp.buildTrigger together",
        ),
        ("version = 1\n" + IDENTITY + "anySubject = true\n" + SIGSTORE, r"identity\[0\]: anySubject beside subject"),
        ("version = 1\n" + re.sub("subject.*", "anySubject = false", IDENTITY) + SIGSTORE, "anySubject: is false"),
        (
            "version = 1\n" + KEY + "transparency = true\n",
            r'key "alice" demands a log entry, and there is no \[sigstore',
        ),
        ("version = 1\n" + KEY + "timestamp = true\n", r'key "alice" demands a timestamp, and there is no \[sigstore'),
        (
            "version = 1\n"
            + IDENTITY
            + "notBefore = 2027-01-02T00:00:00Z\nnotAfter = 2027-01-01T00:00:00Z\n"
            + SIGSTORE,
            r"identity\[0\]: notBefore is after notAfter",
        ),
        ("version = 1\n" + IDENTITY + "notAfter = 2027-01-01T00:00:00\n" + SIGSTORE, "notAfter: a time without a zone"),
        ("version = 1\n" + IDENTITY + SIGSTORE + "sha256 = 'x'\n", "sigstore.sha256: expected 64"),
        ("version = 1\n" + IDENTITY + SIGSTORE + f"sha256 = '{'0' * 64}'\n", "pinned is 0000"),
        ("version = 1\n" + IDENTITY + SIGSTORE + "maxAge = 0\n", "sigstore.maxAge: is 0"),
        ("version = 1\n" + IDENTITY + "[sigstore]\ntrustedRoot = 'alice.pub'\n", "trusted root"),
        ("version = 1\n" + IDENTITY + "[sigstore]\ntrustedRoot = '.'\n", "sigstore.trustedRoot"),
        ("version = 1\n" + IDENTITY + "[sigstore]\ntrustedRoot = 'a\\u0000b'\n", "trustedRoot|not TOML"),
    ],
)
def test_refuses(load: Load, text: str, message: str) -> None:
    with pytest.raises(TrustError, match=message):
        load(text)


REGEXP = '[[identity]]\nname = "ci"\nsubjectRegexp = \'{}\'\nissuer = "https://i.example"\n'


@pytest.mark.parametrize(
    "pattern",
    [".*", ".+", "^.*$", "(.*)", r"[\s\S]*", ".*.*", "https://.*", ".*@.*", r".*\.yml@.*", "(https://a|.*)", "[^ ]+"],
)
def test_refuses_an_expression_that_anybody_matches(load: Load, pattern: str) -> None:
    with pytest.raises(TrustError, match=r"identity\[0\].subjectRegexp: .* matches anybody"):
        load("version = 1\n" + REGEXP.format(pattern) + SIGSTORE)


@pytest.mark.parametrize("pattern", [".*", "https?://.+", "https://[^/]*"])
def test_refuses_an_issuer_that_anybody_is(load: Load, pattern: str) -> None:
    text = IDENTITY.replace('issuer = "https://i.example"', f"issuerRegexp = '{pattern}'")
    with pytest.raises(TrustError, match=r"identity\[0\].issuerRegexp: .* matches anybody"):
        load("version = 1\n" + text + SIGSTORE)


@pytest.mark.parametrize("pattern", ["(", "(?=a)b", r"(a)\1"])
def test_refuses_an_expression_that_cannot_be_used(load: Load, pattern: str) -> None:
    with pytest.raises(TrustError, match=r"identity\[0\].subjectRegexp"):
        load("version = 1\n" + REGEXP.format(pattern) + SIGSTORE)


@pytest.mark.parametrize("error", [UnreadableInput("gone"), PermissionError("no"), ValueError("embedded null byte")])
def test_unreadable_key_is_the_verifiers_fault(error: Exception) -> None:
    def read(path: Path) -> bytes:
        raise error

    with pytest.raises(TrustError, match=r"key\[0\].path"):
        load_trust(("version = 1\n" + KEY).encode(), base=Path("/"), read=read)


@pytest.mark.parametrize(
    "text",
    [
        "version = 1\n" + KEY,
        "version = 1\n" + IDENTITY + SIGSTORE,
        "version = 1\n" + KEY + IDENTITY + SIGSTORE,
        "version = 1\n" + KEY + "transparency = true\n" + SIGSTORE,
        "version = 1\n" + KEY + "timestamp = true\n" + SIGSTORE,
        "version = 1\n" + re.sub("subject.*", "anySubject = true", IDENTITY) + SIGSTORE,
        "version = 1\n" + IDENTITY + "claims = {buildTrigger = ['a', 'b']}\n" + SIGSTORE,
    ],
    ids=["key", "identity", "both", "transparency", "timestamp", "any subject", "alternatives"],
)
def test_schema_accepts_what_the_reader_accepts(load: Load, text: str) -> None:
    load(text)
    assert accepted_by_schema(text)


@pytest.mark.parametrize(
    "text",
    [
        "version = 1",
        "version = 2\n" + KEY,
        "version = 1\nkey = []\n",
        "version = 1\n" + IDENTITY,
        "version = 1\n" + KEY + SIGSTORE,
        "version = 1\n" + KEY + "transparency = true\n",
        "version = 1\n" + KEY + "timestamp = false\n" + SIGSTORE,
        "version = 1\n" + IDENTITY + "anySubject = true\n" + SIGSTORE,
        "version = 1\n" + re.sub("subject.*", "anySubject = false", IDENTITY) + SIGSTORE,
        "version = 1\n" + IDENTITY + "claims = {buildTrigger = []}\n" + SIGSTORE,
        "version = 1\n" + KEY + "agents = []\n",
        "version = 1\n" + KEY + "other = 1\n",
        "version = 1\n" + IDENTITY.replace("a@b.example", "") + SIGSTORE,
        "version = 1\n" + IDENTITY + "claims = {x = 'y'}\n" + SIGSTORE,
    ],
)
def test_schema_refuses_what_the_reader_refuses(load: Load, text: str) -> None:
    with pytest.raises(TrustError, match=r"trust\.toml"):
        load(text)
    assert not accepted_by_schema(text)


@pytest.mark.parametrize(
    ("place", "record"),
    [("key", KeyEntry), ("identity", IdentityEntry), ("sigstore", SigstoreEntry), (None, TrustFile)],
)
def test_schema_knows_exactly_the_members(place: str | None, record: type[Record]) -> None:
    described = (SCHEMA if place is None else SCHEMA["$defs"][place])["properties"]
    assert set(described) == {field.encode_name for field in msgspec.structs.fields(record)}


def test_schema_is_a_schema_and_knows_all_claims() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["$defs"]["claims"]["properties"]) == set(CLAIM_NAMES.values())


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("SourceRepositoryURI", "sourceRepositoryURI"),
        ("sourceRepositoryUri", "sourceRepositoryURI"),
        ("repository", "sourceRepositoryURI"),
        ("job_workflow_ref", "buildSignerURI"),
        ("runnerEnviroment", "runnerEnvironment"),
    ],
)
def test_unknown_claim_is_an_error_with_the_nearest_name(load: Load, name: str, meant: str) -> None:
    with pytest.raises(TrustError, match="unknown claim") as caught:
        load(f"version = 1\n{IDENTITY}claims = {{ {name} = 'x' }}\n{SIGSTORE}")
    assert caught.value.hint == f"did you mean {meant}?"


def test_names_that_are_offered_are_names_of_claims() -> None:
    assert set(ELSEWHERE.values()) <= set(CLAIM_NAMES.values())
    assert not set(ELSEWHERE) & set(CLAIM_NAMES.values())
