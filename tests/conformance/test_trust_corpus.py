"""Real Sigstore bundles: what has to be accepted, with which trust, and what never."""

import json
import random
import re
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.errors import (
    MalformedEnvelope,
    MalformedInput,
    SignatureNotTrusted,
    TrustError,
)
from in_toto_done_receipt.trust.flags import SOURCE_FLAG, from_flags
from in_toto_done_receipt.trust.material.anchors import load_anchors
from in_toto_done_receipt.trust.model import TrustPolicy, VerifiedStatement, make_policy
from in_toto_done_receipt.trust.root import read_root
from in_toto_done_receipt.trust.verify import verify_group
from in_toto_done_receipt.wire.reader import read_receipts

AT = datetime(2026, 11, 30, tzinfo=UTC)

PRODUCTION = "root-targets-trusted_root.json"
CUSTOM = "conf-intoto-with-custom-trust-root-trusted_root.json"
STAGING = "py-https_tuf-repo-cdn.sigstage.dev-trusted_root.json"
GITHUB = "https://token.actions.githubusercontent.com"
LOGIN = "https://github.com/login/oauth"
BEACON = (
    "https://github.com/sigstore-conformance/extremely-dangerous-public-oidc-beacon/.github/workflows/"
    "extremely-dangerous-oidc-beacon.yml@refs/heads/main"
)
REUSABLE = (
    "https://github.com/github/artifact-attestations-workflows/.github/workflows/attest.yml"
    "@09b495c3f12c7881b3cc17209a327792065c1a1d"
)
GENERATOR = (
    "https://github.com/slsa-framework/slsa-github-generator/.github/workflows/generator_generic_slsa3.yml"
    "@refs/tags/v2.1.0"
)
REUSABLE_BUNDLE = "gh-reusable-workflow-attestation.sigstore.json"
REUSABLE_SOURCE = "https://github.com/malancas/attest-demo"

Verify = Callable[..., VerifiedStatement]


@pytest.fixture(scope="session")
def corpus(shared: Path) -> Path:
    return shared / "corpus" / "sigstore"


def trust(root: Path, subject: str, issuer: str, source: str | None = None) -> TrustPolicy:
    return from_flags(
        read=Path.read_bytes,
        certificate_identity=subject,
        certificate_oidc_issuer=issuer,
        claims={} if source is None else {SOURCE_FLAG: source},
        trusted_root=root,
    )


def verify_bytes(data: bytes, policy: TrustPolicy) -> VerifiedStatement:
    (group,) = read_receipts(data, what="receipt", allow_statement=False).groups
    return verify_group(group, policy, at=AT)


@pytest.fixture
def verify(corpus: Path) -> Verify:
    def verify_file(name: str, root: str, subject: str, issuer: str, source: str | None = None) -> VerifiedStatement:
        return verify_bytes((corpus / name).read_bytes(), trust(corpus / root, subject, issuer, source))

    return verify_file


def reason(verify: Verify, *arguments: str | None) -> str:
    with pytest.raises(SignatureNotTrusted, match=r".+") as caught:
        verify(*arguments)
    return caught.value.reason


NPM = "https://github.com/sigstore/sigstore-js/.github/workflows/release.yml@refs/heads/main"
ACCEPTED = [
    ("conf-happy-path-intoto-in-dsse-v3-bundle.json", PRODUCTION, BEACON, GITHUB, None, 33786588, ("rekor",)),
    ("py-a.dsse.staging-rekor-v2.txt.sigstore.json", STAGING, BEACON, GITHUB, None, 4026478, ("tsa",)),
    ("js-bundleV03-dsse.sigstore", PRODUCTION, "brian@dehamer.com", LOGIN, None, 23082683, ("rekor",)),
    (REUSABLE_BUNDLE, PRODUCTION, REUSABLE, GITHUB, REUSABLE_SOURCE, 92601054, ("rekor",)),
    ("cosign-oci-attestation.sigstore.json", PRODUCTION, "cody@soyland.com", LOGIN, None, 53604734, ("rekor",)),
    (
        "ms-v1.1.0-sigstore-model.sig",
        PRODUCTION,
        "stefanb@us.ibm.com",
        "https://sigstore.verify.ibm.com/oauth2",
        None,
        476246824,
        ("rekor", "tsa"),
    ),
    (
        "pypi-pypi_attestation_models-0.0.4a2.tar.gz.sigstore",
        PRODUCTION,
        "https://github.com/trailofbits/pypi-attestation-models/.github/workflows/release.yml@refs/tags/v0.0.4a2",
        GITHUB,
        None,
        97323996,
        ("rekor",),
    ),
    (
        "pypi-rfc8785-0.1.2-py3-none-any.whl.sigstore",
        STAGING,
        "william@yossarian.net",
        LOGIN,
        None,
        None,
        ("rekor",),
    ),
    (
        "slsa-bcr-MODULE.bazel.intoto.jsonl",
        PRODUCTION,
        "https://github.com/bazel-contrib/publish-to-bcr/.github/workflows/publish.yaml@refs/tags/v0.0.1",
        GITHUB,
        "https://github.com/aspect-build/rules_lint",
        None,
        ("rekor",),
    ),
    (
        "slsa-bcr-MODULE-wrong-signer.bazel.intoto.jsonl",
        PRODUCTION,
        "https://github.com/loosebazooka/aa-test/.github/workflows/malicious_attestation.yaml@refs/heads/main",
        GITHUB,
        None,
        68449879,
        ("rekor",),
    ),
    (
        "slsa-v2.1.0-binary-linux-amd64-push-v14.intoto.jsonl",
        PRODUCTION,
        GENERATOR,
        GITHUB,
        "https://github.com/slsa-framework/example-package",
        None,
        ("rekor",),
    ),
    # What sigstore 4.5 refuses: entries intoto/0.0.2, and a bundle 0.1 with a promise alone.
    ("js-bundleV01-dsse-no-proof.sigstore", PRODUCTION, "brian@dehamer.com", LOGIN, None, 27246114, ("rekor",)),
    ("go-bundle-provenance.json", PRODUCTION, NPM, GITHUB, None, 18300934, ("rekor",)),
    (
        "slsa-v2.1.0-binary-linux-amd64-push-v14.build.slsa",
        PRODUCTION,
        GENERATOR.replace("generator_generic", "delegator_generic"),
        GITHUB,
        "https://github.com/slsa-framework/example-package",
        52393905,
        ("rekor",),
    ),
    (
        "local-rekor1-bundle.json",
        "local-rekor1-trusted_root.json",
        "dev@example.com",
        "https://oidc.local.test",
        None,
        5,
        ("rekor",),
    ),
    (
        "local-rekor2-bundle.json",
        "local-rekor2-trusted_root.json",
        "dev@example.com",
        "https://oidc.local.test",
        None,
        5,
        ("tsa",),
    ),
]


@pytest.mark.parametrize(
    ("name", "root", "subject", "issuer", "source", "index", "sources"), ACCEPTED, ids=[case[0] for case in ACCEPTED]
)
def test_accepts(
    verify: Verify,
    name: str,
    root: str,
    subject: str,
    issuer: str,
    source: str | None,
    index: int | None,
    sources: tuple[str, ...],
) -> None:
    verified = verify(name, root, subject, issuer, source)
    (signer,) = verified.signers
    assert (signer.kind, signer.identity, signer.issuer) == ("sigstore", subject, issuer)
    assert index is None or signer.log_index == index
    assert tuple(time.source for time in signer.times) == sources
    assert verified.signed_times is not None
    assert verified.trust.root is not None


@pytest.mark.parametrize(
    ("name", "root", "subject", "issuer", "source"), [case[:5] for case in ACCEPTED], ids=[case[0] for case in ACCEPTED]
)
@pytest.mark.parametrize("other_root", [PRODUCTION, STAGING, "local-rekor1-trusted_root.json"])
def test_accepts_with_no_other_root(
    verify: Verify, name: str, root: str, subject: str, issuer: str, source: str | None, other_root: str
) -> None:
    if other_root != root:
        assert reason(verify, name, other_root, subject, issuer, source) == "signature.sigstore"


UNTRUSTED = [
    ("conf-dsse-invalid-sig_fail-bundle.json", PRODUCTION, "signature.sigstore"),
    ("conf-dsse-mismatch-envelope_fail-bundle.json", PRODUCTION, "signature.sigstore"),
    ("conf-dsse-mismatch-sig_fail-bundle.json", PRODUCTION, "signature.sigstore"),
    ("conf-rekor2-dsse-mismatch-envelope_fail-bundle.json", STAGING, "signature.sigstore"),
    ("conf-rekor2-dsse-mismatch-sig_fail-bundle.json", STAGING, "signature.sigstore"),
    ("conf-intoto-expired-certificate_fail-bundle.json", CUSTOM, "signature.sigstore"),
    ("conf-intoto-missing-inclusion-proof_fail-bundle.json", CUSTOM, "signature.sigstore"),
    ("gh-sigstoreBundle-invalid-signature.json", PRODUCTION, "signature.sigstore"),
    ("java-bundles-bundle.dsse.rekor-v2.bad-entry-type.sigstore", STAGING, "signature.unsupported"),
    ("ms-v1.1.0-elliptic-key-model.sig", PRODUCTION, "signature.no_certificate"),
    ("slsa-v1.10.0-binary-linux-amd64-push-v14.intoto.jsonl", PRODUCTION, "signature.no_certificate"),
    # Genuine, but the certificate does not say which repository the shared workflow ran for.
    ("conf-intoto-with-custom-trust-root-bundle.json", CUSTOM, "signature.shared_builder"),
    # Genuine, and of another root than these.
    ("gh-github_provenance_demo-0.0.12-py3-none-any-bundle.jsonl", PRODUCTION, "signature.sigstore"),
    # Genuine, and beyond what can be verified here: said so, never passed.
    ("ms-v1.1.0-certificate-model.sig", PRODUCTION, "signature.unsupported"),
]


@pytest.mark.parametrize(("name", "root", "code"), UNTRUSTED, ids=[case[0] for case in UNTRUSTED])
def test_does_not_trust(verify: Verify, name: str, root: str, code: str) -> None:
    assert reason(verify, name, root, BEACON, GITHUB) == code


def test_does_not_trust_a_bad_signature_of_the_right_identity(verify: Verify) -> None:
    subject = "https://github.com/loosebazooka/aa-test/.github/workflows/provenance.yaml@refs/heads/main"
    bundle = "java-bundles-bundle.dsse.bad-signature.sigstore"
    assert reason(verify, bundle, PRODUCTION, subject, GITHUB) == "signature.sigstore"


@pytest.mark.parametrize(
    ("name", "root", "message"),
    [
        ("conf-dsse-invalid-sig_fail-bundle.json", PRODUCTION, "its signature is not over this payload"),
        ("conf-dsse-mismatch-envelope_fail-bundle.json", PRODUCTION, "its log entry is for another payload"),
        ("conf-dsse-mismatch-sig_fail-bundle.json", PRODUCTION, "its log entry is for another signature"),
        (
            "conf-rekor2-dsse-mismatch-sig_fail-bundle.json",
            STAGING,
            "its log entry is for another signature",
        ),
        ("conf-happy-path-intoto-in-dsse-v3-bundle.json", STAGING, "no authority of the trusted root"),
    ],
)
def test_says_what_does_not_verify(verify: Verify, name: str, root: str, message: str) -> None:
    with pytest.raises(SignatureNotTrusted, match=f"^the Sigstore bundle does not verify: {message}"):
        verify(name, root, BEACON, GITHUB)


@pytest.mark.parametrize(
    "name",
    [
        "conf-managed-key-happy-path-bundle.json",
        "conf-bundle-unknown-version_fail-bundle.json",
        "go-dsse-2sigs.sigstore.json",
        "gh-github_provenance_demo-0.0.12-py3-none-any-bundle-missing-verification-material.jsonl",
        "pypi-pypi_attestations-0.0.19.tar.gz.provenance",
    ],
)
def test_is_no_receipt(verify: Verify, name: str) -> None:
    with pytest.raises(MalformedEnvelope, match=r"receipt: "):
        verify(name, PRODUCTION, BEACON, GITHUB)


def test_two_bundles_of_one_payload_are_one_signer(corpus: Path) -> None:
    """A file of gh's with the same attestation twice, with an entry of kind intoto/0.0.2."""
    data = (corpus / "gh-sigstore-js-2.1.0_with_2_bundles.jsonl").read_bytes()
    policy = trust(corpus / PRODUCTION, NPM, GITHUB)
    assert [signer.log_index for signer in verify_bytes(data, policy).signers] == [29188096]


def test_unsupported_kind_of_entry_is_named(verify: Verify) -> None:
    with pytest.raises(SignatureNotTrusted, match=r'cannot be verified here: its log entry is of kind "dsse/0\.0\.2"'):
        verify("java-bundles-bundle.dsse.rekor-v2.bad-entry-type.sigstore", STAGING, BEACON, GITHUB)


def github_root(corpus: Path, folder: Path) -> Path:
    """The second of the two roots that gh prints: GitHub's own, without logs."""
    lines = (corpus / "java-github-private-no-tlog-trusted_root.jsonl").read_bytes().splitlines()
    path = folder / "github.json"
    path.write_bytes(lines[1])
    return path


PRIVATE = "https://github.com/actions/attest-demo/.github/workflows/build-python.yml@refs/heads/main"


@pytest.mark.parametrize("demanded", [True, False])
def test_bundle_without_log_entry(corpus: Path, tmp_path: Path, demanded: bool) -> None:
    """GitHub's private repositories: a timestamp and no log. The trust file has to say that this is enough."""
    policy = trust(github_root(corpus, tmp_path), PRIVATE, GITHUB)
    (identity,) = policy.identities
    policy = make_policy(keys=(), identities=(replace(identity, transparency=demanded),), root=policy.root, threshold=1)
    data = (corpus / "gh-github_provenance_demo-0.0.12-py3-none-any-bundle.jsonl").read_bytes()
    if demanded:
        with pytest.raises(SignatureNotTrusted, match="demands a log entry"):
            verify_bytes(data, policy)
        return
    (signer,) = verify_bytes(data, policy).signers
    assert (signer.log_index, [time.source for time in signer.times]) == (None, ["tsa"])


@pytest.mark.parametrize(
    ("subject", "issuer", "source", "code"),
    [
        (REUSABLE, GITHUB, None, "signature.shared_builder"),
        (REUSABLE, GITHUB, REUSABLE_SOURCE + "2", "signature.claims"),
        (REUSABLE, GITHUB, "https://github.com/github/artifact-attestations-workflows", "signature.claims"),
        (REUSABLE[:-1], GITHUB, REUSABLE_SOURCE, "signature.identity"),
        (REUSABLE.partition("@")[0], GITHUB, REUSABLE_SOURCE, "signature.identity"),
        (REUSABLE.replace("09b495", "......"), GITHUB, REUSABLE_SOURCE, "signature.identity"),
        (REUSABLE, LOGIN, REUSABLE_SOURCE, "signature.issuer"),
        (REUSABLE, GITHUB + "/", REUSABLE_SOURCE, "signature.issuer"),
    ],
    ids=["no source", "other source", "builder as source", "prefix", "no ref", "expression", "issuer", "slash"],
)
def test_reusable_workflow(verify: Verify, subject: str, issuer: str, source: str | None, code: str) -> None:
    assert reason(verify, REUSABLE_BUNDLE, PRODUCTION, subject, issuer, source) == code


def test_certificate_claims_have_the_names_of_gh(verify: Verify) -> None:
    claims = verify(REUSABLE_BUNDLE, PRODUCTION, REUSABLE, GITHUB, REUSABLE_SOURCE).signers[0].claims
    assert claims["sourceRepositoryURI"] == REUSABLE_SOURCE
    assert claims["buildSignerURI"] == REUSABLE
    assert claims["runnerEnvironment"] == "github-hosted"
    assert claims["sourceRepositoryVisibilityAtSigning"] == "public"


ROOTS = [
    "conf-rekor2-dsse-happy-path-trusted_root.json",
    "conf-intoto-with-custom-trust-root-trusted_root.json",
    "py-trustedroot.v1.local_tlog_ed25519_rekor-tiles.json",
    "gh-trusted_root.json",
    "cosign-trusted_root_pgi.json",
    "java-trustroot-trusted_root_with_multiple_tsas.json",
    "conf-invalid-ct-key_fail-trusted_root.json",
    "conf-trust-root-tsa-validity-end-inclusive-trusted_root.json",
    "py-https_tuf-repo-cdn.sigstore.dev-trusted_root.json",
    PRODUCTION,
    STAGING,
]


@pytest.mark.parametrize("name", ROOTS)
def test_root_loads(corpus: Path, name: str) -> None:
    assert load_anchors(read_root((corpus / name).read_bytes(), name=name)).logs


@pytest.mark.parametrize(
    "name",
    [
        "conf-trust-root-tlog-missing-validity-start_fail-trusted_root.json",
        "py-trustedroot.badtype.json",
        "py-config.v1.json",
        "java-github-private-no-tlog-trusted_root.jsonl",
        "local-rekor1-bundle.json",
    ],
)
def test_root_is_refused(corpus: Path, name: str) -> None:
    with pytest.raises(TrustError, match=r"trusted root|trusted_root"):
        read_root((corpus / name).read_bytes(), name=name)


@pytest.mark.parametrize("section", ["tlogs", "ctlogs", "certificateAuthorities"])
def test_root_with_a_broken_key_is_the_verifiers_fault_or_nobody_is_trusted(
    corpus: Path, tmp_path: Path, section: str
) -> None:
    tree = json.loads((corpus / "local-rekor1-trusted_root.json").read_bytes())
    entry = tree[section][0]
    holder = entry["publicKey"] if "publicKey" in entry else entry["certChain"]["certificates"][0]
    holder["rawBytes"] = holder["rawBytes"][:40]
    (tmp_path / "root.json").write_text(json.dumps(tree))
    policy = trust(tmp_path / "root.json", "dev@example.com", "https://oidc.local.test")
    with pytest.raises((TrustError, SignatureNotTrusted), match=r"root\.json|does not verify"):
        verify_bytes((corpus / "local-rekor1-bundle.json").read_bytes(), policy)


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("section", ["tlogs", "ctlogs", "certificateAuthorities"])
@pytest.mark.parametrize(("end", "good"), [("2026-11-30T17:00:00Z", False), ("2026-11-30T18:00:00Z", True)])
def test_closed_validity_window_counts(
    corpus: Path, tmp_path: Path, number: int, section: str, end: str, good: bool
) -> None:
    """The bundles are of 17:07:31; the library itself ignores the end of these windows."""
    tree = json.loads((corpus / f"local-rekor{number}-trusted_root.json").read_bytes())
    for entry in tree[section]:
        entry.get("publicKey", entry)["validFor"]["end"] = end
    (tmp_path / "root.json").write_text(json.dumps(tree))
    policy = trust(tmp_path / "root.json", "dev@example.com", "https://oidc.local.test")
    data = (corpus / f"local-rekor{number}-bundle.json").read_bytes()
    if good:
        assert verify_bytes(data, policy).signers
        return
    with pytest.raises(SignatureNotTrusted, match=r"is valid from .* until 2026-11-30T17:00:00Z") as caught:
        verify_bytes(data, policy)
    assert caught.value.reason == "signature.sigstore"


def paths(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    members = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in members:
        yield from paths(value, (*path, key))


def mutant(tree: dict[str, Any], path: tuple[Any, ...], how: int, chance: random.Random) -> dict[str, Any]:
    """The tree with one value changed, removed or replaced."""
    changed = deepcopy(tree)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    value, last = holder[path[-1]], path[-1]
    if how == 0:
        del holder[last]
    elif how == 1:
        holder[last] = chance.choice([None, [], {}, "", 0, -1, True, "x", "99999999999999999999", 1e3, [[]], "\x00"])
    elif isinstance(value, str) and value:
        at = chance.randrange(len(value))
        pieces = {2: chance.choice('Aa0_-=+/ \n"é'), 3: "", 4: value[at] * 50}
        holder[last] = value[:at] + pieces[how] + value[at + 1 :]
    elif isinstance(value, list) and value:
        holder[last] = value * how
    else:
        holder[last] = {"unknown": value}
    return changed


def assert_nothing_more(other: VerifiedStatement, good: VerifiedStatement) -> None:
    """The same payload by the same signer; a damaged timestamp beside a good one may be missing."""
    assert other.payload == good.payload
    (signer,), (expected,) = other.signers, good.signers
    assert (signer.identity, signer.issuer, signer.claims) == (expected.identity, expected.issuer, expected.claims)
    assert signer.log_index == expected.log_index
    assert set(signer.times) <= set(expected.times)


MUTATED = [
    ("local-rekor1-bundle.json", "local-rekor1-trusted_root.json", "dev@example.com", "https://oidc.local.test", None),
    ("local-rekor2-bundle.json", "local-rekor2-trusted_root.json", "dev@example.com", "https://oidc.local.test", None),
    (REUSABLE_BUNDLE, PRODUCTION, REUSABLE, GITHUB, REUSABLE_SOURCE),
    ("ms-v1.1.0-sigstore-model.sig", PRODUCTION, "stefanb@us.ibm.com", "https://sigstore.verify.ibm.com/oauth2", None),
]


@pytest.mark.parametrize(
    ("name", "root", "subject", "issuer", "source"), MUTATED, ids=["rekor1", "rekor2", "github", "rekor1 and tsa"]
)
def test_mutants_fail_as_ours_or_change_nothing(
    corpus: Path, name: str, root: str, subject: str, issuer: str, source: str | None
) -> None:
    """A few hundred changes each; every other exception of a library would fail this test by itself."""
    policy = trust(corpus / root, subject, issuer, source)
    tree = json.loads((corpus / name).read_bytes())
    good = verify_bytes(json.dumps(tree).encode(), policy)
    chance = random.Random(7)  # noqa: S311 - repeatable, not secret
    verified, messages = 0, list[str]()
    for path in list(paths(tree))[1:]:
        for how in (0, 1, 2, 2, 3, 4):
            data = json.dumps(mutant(tree, path, how, chance)).encode()
            try:
                other = verify_bytes(data, policy)
            except (MalformedInput, SignatureNotTrusted) as error:
                messages.append(error.message)
                continue
            verified += 1
            assert_nothing_more(other, good)
    assert verified < 120
    assert [message for message in messages if not message.isprintable() or not message.isascii()] == []


ENCODED = frozenset(
    {"rawBytes", "keyId", "signedEntryTimestamp", "rootHash", "canonicalizedBody", "signedTimestamp", "payload", "sig"}
)


def binary_mutant(tree: dict[str, Any], path: tuple[Any, ...], chance: random.Random) -> dict[str, Any]:
    """The tree with one byte changed, removed or added below the base64."""
    changed = deepcopy(tree)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    raw = bytearray(b64decode(holder[path[-1]]))
    at = chance.randrange(len(raw))
    raw[at : at + chance.randrange(2)] = bytes(chance.randrange(256) for _ in range(chance.randrange(3)))
    holder[path[-1]] = b64encode(raw).decode()
    return changed


@pytest.mark.parametrize(
    ("name", "root", "subject", "issuer", "source"), MUTATED, ids=["rekor1", "rekor2", "github", "rekor1 and tsa"]
)
def test_binary_mutants_fail_as_ours_or_change_nothing(
    corpus: Path, name: str, root: str, subject: str, issuer: str, source: str | None
) -> None:
    """Certificates, timestamps and log bodies that are damaged inside: parsers deep in the libraries see them."""
    policy = trust(corpus / root, subject, issuer, source)
    tree = json.loads((corpus / name).read_bytes())
    good = verify_bytes(json.dumps(tree).encode(), policy)
    chance = random.Random(11)  # noqa: S311 - repeatable, not secret
    encoded = [path for path in paths(tree) if path and path[-1] in ENCODED]
    for path in encoded:
        for _ in range(6):
            try:
                other = verify_bytes(json.dumps(binary_mutant(tree, path, chance)).encode(), policy)
            except (MalformedInput, SignatureNotTrusted):
                continue
            assert_nothing_more(other, good)


def test_key_of_a_managed_key_bundle(corpus: Path) -> None:
    key = corpus / "ms-certificate-signing-key-pub.pem"
    policy = from_flags(read=Path.read_bytes, trusted_keys=(f"models={key}",))
    (signer,) = verify_bytes((corpus / "ms-v1.1.0-elliptic-key-model.sig").read_bytes(), policy).signers
    assert (signer.kind, signer.principal, signer.times) == ("key", "models", ())


def test_key_inside_an_old_bundle_of_model_signing_does_not_count(corpus: Path) -> None:
    """Their 1.0 put the public key into the bundle. Ours is the one that counts, and it is the same one here."""
    data = (corpus / "ms-v1.0.1-elliptic-key-model.sig").read_bytes()
    (signer,) = verify_bytes(data, key_of(corpus / "ms-certificate-signing-key-pub.pem")).signers
    assert (signer.kind, signer.times) == ("key", ())
    with pytest.raises(
        SignatureNotTrusted, match=r"made any of 1 signature\(s\): a bundle with a key inside"
    ) as caught:
        verify_bytes(data, key_of(corpus / "conf-managed-key-happy-path-key.pub"))
    assert caught.value.reason == "signature.no_trusted_key"


def test_private_authority_of_model_signing_is_named(verify: Verify) -> None:
    with pytest.raises(SignatureNotTrusted, match="a private authority, as model-signing writes it"):
        verify("ms-v1.1.0-certificate-model.sig", PRODUCTION, BEACON, GITHUB)


def key_of(path: Path) -> TrustPolicy:
    return from_flags(read=Path.read_bytes, trusted_keys=(f"models={path}",))


@pytest.mark.parametrize("name", ["github", "multiple-signatures-2ndvalid", "empty-keyid"])
def test_envelope_of_google_cloud_build(corpus: Path, name: str) -> None:
    """Inside of gcloud's description, which is named as such; its key is not at hand."""
    data = (corpus / f"slsa-v0.3-gcloud-container-{name}.json").read_bytes()
    with pytest.raises(MalformedEnvelope, match="expected a receipt, got gcloud's description of an image"):
        verify_bytes(data, key_of(corpus / "ms-certificate-signing-key-pub.pem"))
    envelope = json.dumps(json.loads(data)["provenance_summary"]["provenance"][0]["envelope"]).encode()
    with pytest.raises(SignatureNotTrusted, match=r"made any of [123] signature\(s\)") as caught:
        verify_bytes(envelope, key_of(corpus / "ms-certificate-signing-key-pub.pem"))
    assert ("an envelope of Google Cloud Build" in caught.value.message) == (name != "empty-keyid")


def test_bare_envelope_of_the_slsa_generator_is_named(corpus: Path) -> None:
    data = (corpus / "slsa-v1.10.0-binary-linux-amd64-push-v14.intoto.jsonl").read_bytes()
    with pytest.raises(SignatureNotTrusted, match=r"an envelope of the SLSA generator with a certificate beside"):
        verify_bytes(data, key_of(corpus / "ms-certificate-signing-key-pub.pem"))


@pytest.mark.parametrize("key", ["happy-path", "wrong-key_fail"])
def test_bundle_of_a_managed_key_over_a_file_is_no_receipt(corpus: Path, key: str) -> None:
    data = (corpus / f"conf-managed-key-{key}-bundle.json").read_bytes()
    with pytest.raises(MalformedEnvelope, match="a signature over a file, not an attestation"):
        verify_bytes(data, key_of(corpus / "ms-certificate-signing-key-pub.pem"))


# Material of the conformance cases, which `test_sigstore_conformance.py` runs.
ELSEWHERE = {
    "conf-managed-key-happy-path-bundle.json",
    "conf-managed-key-wrong-key_fail-bundle.json",
    "conf-managed-key-wrong-key_fail-key.pub",
    "conf-bundle-malformed-json_fail-bundle.json",
    "slsa-v0.3-gcloud-container-github.json",
    "slsa-v0.3-gcloud-container-multiple-signatures-2ndvalid.json",
    "slsa-v0.3-gcloud-container-empty-keyid.json",
}


def test_every_row_of_the_index_is_looked_at_here(corpus: Path) -> None:
    rows = re.findall(r"^\| ([\w.-]+) \|", (corpus / "INDEX.md").read_text(), re.MULTILINE)
    names = set(rows) - {"file", "---"}
    here = Path(__file__).read_text()
    assert len(names) > 50
    assert {name for name in names if f'"{name}"' not in here} - ELSEWHERE == set()


def test_certificate_bundle_and_only_keys_trusted(corpus: Path) -> None:
    key = corpus / "ms-certificate-signing-key-pub.pem"
    policy = from_flags(read=Path.read_bytes, trusted_keys=(f"models={key}",))
    with pytest.raises(SignatureNotTrusted, match="only keys are trusted") as caught:
        verify_bytes((corpus / REUSABLE_BUNDLE).read_bytes(), policy)
    assert caught.value.reason == "signature.no_trusted_identity"


def test_url_safe_base64_is_the_same_bundle(corpus: Path) -> None:
    policy = trust(corpus / "local-rekor1-trusted_root.json", "dev@example.com", "https://oidc.local.test")
    tree = json.loads((corpus / "local-rekor1-bundle.json").read_bytes())
    envelope = tree["dsseEnvelope"]
    for holder, member in ((envelope, "payload"), (envelope["signatures"][0], "sig")):
        holder[member] = holder[member].replace("+", "-").replace("/", "_").rstrip("=")
    certificate = tree["verificationMaterial"]["certificate"]
    certificate["rawBytes"] = certificate["rawBytes"].replace("+", "-").replace("/", "_")
    assert verify_bytes(json.dumps(tree).encode(), policy).signers


PROBE = """
import sys
seen = []
def watch(event, arguments):
    # urllib3 binds a socket to ::1 when it is imported, to see whether there is IPv6; nothing is sent.
    if event.startswith("socket.") and event not in ("socket.__new__", "socket.bind"):
        seen.append((event, str(arguments)))
    if event == "open":
        path, mode, flags = arguments
        if isinstance(path, str) and (flags & 3 or ".cache" in path or ".local" in path or "tuf" in path.split("/")):
            seen.append((event, path))
    if event in ("os.mkdir", "os.rename", "os.remove", "subprocess.Popen"):
        seen.append((event, str(arguments)))
sys.addaudithook(watch)
from datetime import UTC, datetime
from pathlib import Path
from in_toto_done_receipt.trust.flags import from_flags
from in_toto_done_receipt.trust.verify import verify_group
from in_toto_done_receipt.wire.reader import read_receipts
bundle, root = map(Path, sys.argv[1:])
trust = from_flags(
    certificate_identity="dev@example.com", certificate_oidc_issuer="https://oidc.local.test", trusted_root=root,
    read=Path.read_bytes,
)
(group,) = read_receipts(bundle.read_bytes(), what="receipt", allow_statement=False).groups
print(verify_group(group, trust, at=datetime.now(UTC)).signers[0].principal)
print([event for event in seen if not event[1].endswith(".pyc") and "/site-packages/" not in event[1]])
"""


def test_touches_neither_network_nor_home(corpus: Path, tmp_path: Path) -> None:
    files = [corpus / f"local-rekor1-{name}.json" for name in ("bundle", "trusted_root")]
    command = [sys.executable, "-B", "-c", PROBE, *map(str, files)]
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.stderr == ""
    assert done.stdout == "dev@example.com\n[]\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "case",
    [
        "dsse-invalid-sig_fail",
        "dsse-mismatch-envelope_fail",
        "dsse-mismatch-sig_fail",
        "happy-path-intoto-in-dsse-v3",
        "intoto-expired-certificate_fail",
        "intoto-missing-inclusion-proof_fail",
        "intoto-set-outside-signing-cert-validity_fail",
        "rekor2-dsse-invalid-sig_fail",
        "rekor2-dsse-mismatch-envelope_fail",
        "rekor2-dsse-mismatch-sig_fail",
    ],
)
def test_conformance_case(shared: Path, corpus: Path, case: str) -> None:
    folder = shared / "corpus" / "sigstore-conformance" / "bundle-verify" / case
    root = folder / "trusted_root.json"
    subject, issuer = (
        (folder / name).read_text().strip() if (folder / name).is_file() else default
        for name, default in (("identity", BEACON), ("issuer", GITHUB))
    )
    policy = trust(root if root.is_file() else corpus / PRODUCTION, subject, issuer)
    data = (folder / "bundle.sigstore.json").read_bytes()
    if not case.endswith("_fail"):
        assert verify_bytes(data, policy).signers
        return
    with pytest.raises(SignatureNotTrusted, match=r".+"):
        verify_bytes(data, policy)
