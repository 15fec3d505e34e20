from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.errors import TrustError, UsageError
from in_toto_done_receipt.trust.file import load_trust
from in_toto_done_receipt.trust.flags import CLAIM_FLAGS, SOURCE_FLAG, from_flags
from in_toto_done_receipt.trust.identity import CLAIM_NAMES
from in_toto_done_receipt.trust.model import TextRule, TrustPolicy
from in_toto_done_receipt.wire.digests import sha256_hex
from tests.unit.trust.conftest import ROOT


def flags(folder: Path, **given: Any) -> TrustPolicy:
    return from_flags(read=lambda path: (folder / path).read_bytes(), **given)


WHO = {"certificate_identity": "a@b.example", "certificate_oidc_issuer": "https://i.example"}


def test_flag_for_a_key_names_its_principal(folder: Path) -> None:
    policy = flags(folder, trusted_keys=("alice=alice.pub", "bob=bob.pub"), threshold=2)
    assert [key.principal for key in policy.keys] == ["alice", "bob"]
    assert policy.threshold == 2


def test_flags_for_an_identity(folder: Path) -> None:
    policy = flags(folder, **WHO, trusted_root=Path("root.json"), claims={SOURCE_FLAG: "https://example.com/o/r"})
    (identity,) = policy.identities
    assert identity.principal == "a@b.example"
    assert identity.claim_rules == (("sourceRepositoryURI", (TextRule(text="https://example.com/o/r"),)),)
    assert policy.root is not None
    assert policy.root.sha256 == sha256_hex(ROOT)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "nobody is trusted"),
        ({"trusted_keys": ("alice.pub",)}, "--trusted-key: expected NAME=PEM"),
        ({"trusted_keys": ("=alice.pub",)}, "--trusted-key: expected NAME=PEM"),
        ({"trusted_keys": ("alice=",)}, "--trusted-key: expected NAME=PEM"),
        ({"trusted_keys": ("a=alice.pub", "b=alice.pub")}, "are the same key"),
        ({"trusted_keys": ("a=alice.pub",), "threshold": 2}, "--threshold is 2"),
        ({"trusted_keys": ("a=alice.pub",), "threshold": 0}, "--threshold is 0"),
        ({"trusted_keys": ("a=alice.pub",), "trusted_root": Path("root.json")}, "--trusted-root without"),
        (WHO, "without --trusted-root"),
        ({"certificate_identity": "a"}, "--certificate-oidc-issuer is missing"),
        ({"certificate_oidc_issuer": "a"}, "--certificate-identity is missing"),
        ({"claims": {SOURCE_FLAG: "https://a"}}, "--certificate-oidc-issuer is missing"),
        (WHO | {"claims": {SOURCE_FLAG: "o/r"}}, "expected a URL"),
        ({"claims": {"--source-ref": "refs/heads/main"}}, "--certificate-oidc-issuer is missing"),
        ({"deny_self_hosted_runners": True}, "--certificate-oidc-issuer is missing"),
        (WHO | {"claims": {"--source-digest": ""}}, "--source-digest: is empty"),
        (WHO | {"certificate_oidc_issuer": ""}, "--certificate-oidc-issuer: is empty"),
        (WHO | {"certificate_identity": ""}, "--certificate-identity: is empty"),
        (WHO | {"certificate_identity_regexp": "a"}, "together"),
        ({"certificate_identity_regexp": "", "certificate_oidc_issuer": "x"}, "-identity-regexp: is empty"),
        ({"certificate_identity_regexp": ".*", "certificate_oidc_issuer": "x"}, "matches anybody"),
        ({"certificate_identity_regexp": "(", "certificate_oidc_issuer": "x"}, "not a regular expression"),
        ({"certificate_identity": "x", "certificate_oidc_issuer_regexp": ".*"}, "matches anybody"),
    ],
)
def test_flags_refuse(folder: Path, given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        flags(folder, **given)


def test_flag_with_an_unreadable_key_is_a_configuration_error(folder: Path) -> None:
    with pytest.raises(TrustError, match=r'--trusted-key "a": .*none\.pub'):
        flags(folder, trusted_keys=("a=none.pub",))


def test_flags_and_file_that_say_the_same_have_one_digest(folder: Path) -> None:
    file = load_trust(b"version = 1\n[[key]]\nname = 'alice'\npath = 'alice.pub'\n", base=folder, read=Path.read_bytes)
    assert flags(folder, trusted_keys=("alice=alice.pub",)).digest == file.digest


@pytest.mark.parametrize("flag", CLAIM_FLAGS)
def test_flag_for_a_claim(folder: Path, flag: str) -> None:
    value = "https://example.com/o/r" if flag == SOURCE_FLAG else "value"
    (identity,) = flags(folder, **WHO, trusted_root=Path("root.json"), claims={flag: value}).identities
    assert identity.claim_rules == ((CLAIM_FLAGS[flag], (TextRule(text=value),)),)
    assert CLAIM_FLAGS[flag] in CLAIM_NAMES.values()


def test_several_claims_by_flags_are_all_demanded_and_sorted(folder: Path) -> None:
    given = {"--source-ref": "r", "--certificate-github-workflow-name": "n"}
    (identity,) = flags(
        folder, **WHO, trusted_root=Path("root.json"), claims=given, deny_self_hosted_runners=True
    ).identities
    assert [name for name, _ in identity.claim_rules] == [
        "githubWorkflowName",
        "runnerEnvironment",
        "sourceRepositoryRef",
    ]
    assert dict(identity.claim_rules)["runnerEnvironment"] == (TextRule(text="github-hosted"),)
