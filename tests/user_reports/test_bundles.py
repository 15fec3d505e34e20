"""What users of other verifiers ran into with bundles: each named by its report, with the right behaviour."""

import json
import re
from base64 import b64decode, b64encode
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from testdata.receipts import generate
from tests.advisories.conftest import IDENTITY, ISSUER, TRUSTED, Bundle, Court, statement
from tests.forge.keys import pem
from tests.forge.plan import NOW, V01, Lies
from tests.forge.sigstore import Forge

SECOND = timedelta(seconds=1)


def message(court: Court, bundle: Bundle, **how: Any) -> str:
    """What the verifier says of a bundle that it does not trust."""
    seen = court.refused(bundle, reason=None, **how)
    (finding,) = [
        finding
        for check in seen.result["checks"]
        for finding in check["findings"]
        if check["id"] == "signature" and finding["status"] == "fail"
    ]
    said: str = finding["message"]
    return said


def entry(bundle: Bundle) -> Any:
    return bundle["verificationMaterial"]["tlogEntries"][0]


def test_sigstore_python_1384_entries_of_npm_are_verified(court: Court) -> None:
    assert court.judge(court.bundle(entry="intoto/0.0.2")).code == 0


def test_sigstore_python_1384_a_kind_that_cannot_be_verified_is_named(court: Court) -> None:
    bundle = court.bundle()
    entry(bundle)["kindVersion"] = {"kind": "rekord", "version": "0.0.1"}
    court.refused(bundle, reason="signature.unsupported")
    assert (
        message(court, bundle) == 'the Sigstore bundle cannot be verified here: its log entry is of kind "rekord/0.0.1"'
    )


@pytest.mark.parametrize("plan", [{}, {"rekor": "v1"}, {"rekor": "v2"}], ids=str)
def test_sigstore_python_1244_a_bundle_and_a_public_key(court: Court, plan: dict[str, Any]) -> None:
    court.write("worker.pub", pem(court.forge.key("worker").public_key()).decode())
    assert court.judge(court.managed(**plan), trust=["--trusted-key", "worker=worker.pub"]).code == 0


@pytest.mark.parametrize(
    ("plan", "missing"),
    [
        ({"proof": False}, "its log entry has no inclusionProof, which a bundle 0.3 must have"),
        ({"checkpoint": False}, "its log entry has no inclusionProof.checkpoint, which a bundle 0.3 must have"),
        (
            {"media_type": V01, "promise": False, "stamps": 1},
            "its log entry has no inclusionPromise, which a bundle 0.1 must have",
        ),
    ],
)
def test_sigstore_python_1088_what_is_missing_is_named(court: Court, plan: dict[str, Any], missing: str) -> None:
    assert message(court, court.bundle(**plan)) == f"the Sigstore bundle does not verify: {missing}"


def test_cpython_122785_an_old_bundle_without_a_proof_is_good(court: Court) -> None:
    """A promise is all that 0.1 demands; other verifiers call such bundles malformed or modified."""
    assert court.judge(court.bundle(media_type=V01, proof=False)).code == 0


def test_sigstore_python_1175_the_age_of_the_root_is_reported(court: Court) -> None:
    root = court.judge(court.bundle()).result["trust"]["root"]
    assert set(root) >= {"sha256", "age", "newestValidityStart"}
    out = court.run("verify", "receipt.json", "--trusted-root", "root.json", *TRUSTED, *generate.ROOT).out
    assert re.search(rf"root +{root['sha256'][:60]}", out)
    assert re.search(r"\d+ day\(s\)\s+(\| )?old", out)


@pytest.mark.parametrize("rekor", ["v1", "v2"])
def test_sigstore_python_483_offline_means_offline(court: Court, rekor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No socket is even made, and no cache is read: HOME is a place where nothing can be."""

    def refuse(*arguments: object) -> None:
        raise AssertionError(f"a socket: {arguments}")

    monkeypatch.setattr("socket.socket.__init__", refuse)
    assert court.judge(court.bundle(rekor=rekor)).code == 0


def test_cosign_4347_a_poisoned_cache_is_not_read(
    court: Court, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A root of the attacker's lies wherever a Sigstore client keeps one."""
    evil = json.dumps(Forge.of("evil").trusted_root())
    home = tmp_path / "home"
    for place in (
        ".sigstore/root/targets/trusted_root.json",
        ".cache/sigstore-python/tuf/https%3A%2F%2Ftuf-repo-cdn.sigstore.dev/trusted_root.json",
        ".local/share/sigstore-python/tuf/https%3A%2F%2Ftuf-repo-cdn.sigstore.dev/root.json",
        ".config/done-receipt/trust.toml",
    ):
        (home / place).parent.mkdir(parents=True, exist_ok=True)
        (home / place).write_text(evil)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TUF_ROOT", str(home / ".sigstore/root"))
    monkeypatch.setenv("SIGSTORE_ROOT_FILE", str(home / ".sigstore/root/targets/trusted_root.json"))
    assert court.judge(court.bundle()).code == 0
    court.refused(Forge.of("evil").bundle(statement()))
    for path in home.rglob("*.json"):
        assert path.read_text() == evil


@pytest.mark.parametrize(
    "damage",
    [
        lambda note: note.rstrip("\n"),
        lambda note: note.replace("\n\n", "\n"),
        lambda note: note[: note.rindex(" ") + 1] + "A\n",
        lambda note: note[: note.rindex(" ") + 1] + "AAAA\n",
        lambda note: note.replace("\N{EM DASH}", "-"),
        lambda note: "",
        lambda note: "\n\n",
        lambda note: "x\n-1\nx\n\n\N{EM DASH} x x\n",
    ],
)
def test_sigstore_python_1826_a_malformed_checkpoint_is_one_kind_of_error(court: Court, damage: Any) -> None:
    bundle = court.bundle()
    checkpoint = entry(bundle)["inclusionProof"]["checkpoint"]
    checkpoint["envelope"] = damage(checkpoint["envelope"])
    court.refused(bundle, reason="signature.sigstore")


def test_sigstore_python_1442_every_time_in_a_bundle_is_decided(court: Court) -> None:
    seen = court.judge(court.bundle(stamps=2))
    assert [time["source"] for time in seen.result["signers"][0]["times"]] == ["rekor", "tsa", "tsa"]
    court.refused(court.bundle(stamps=1, lies=Lies(stamped=b"other")))
    court.refused(court.bundle(stamps=1, lies=Lies(promised={"integratedTime": 1})))


def test_sigstore_python_999_a_valid_bundle_is_not_valid_content(court: Court) -> None:
    seen = court.judge(court.bundle(generate.claims(generate.file_item(content="another"))))
    assert (seen.code, "signature.verified" in seen.reasons) == (11, True)


@pytest.mark.parametrize("payload_type", ["text/plain", "application/json", "application/vnd.in-toto+xml", "é"])
def test_cosign_1249_another_payload_type_is_an_error(court: Court, payload_type: str) -> None:
    seen = court.judge(court.bundle(payload_type=payload_type))
    assert (seen.code, "payload type is" in seen.document["error"]["message"]) == (3, True)


@pytest.mark.parametrize("after", [0, 600, 601, 10**7])
def test_cosign_2194_a_certificate_without_a_time_is_never_good(court: Court, after: int) -> None:
    bundle = court.bundle(after=after, promise=False)
    assert "no time that the trusted root vouches for" in message(court, bundle)
    bare = court.bundle(rekor=None)
    assert "neither a log entry nor a timestamp" in message(court, bare)


def test_cosign_3224_a_timestamp_and_no_authority_to_ask(court: Court) -> None:
    root = court.forge.trusted_root()
    del root["timestampAuthorities"]
    bundle = court.bundle(rekor="v2")
    assert "the trusted root has no timestamp authority" in message(court, bundle, root=root)


def test_cosign_1816_an_entry_of_an_unknown_log(court: Court) -> None:
    private = Forge.of("private")
    mixed = court.bundle()
    mixed["verificationMaterial"]["tlogEntries"] = private.bundle(statement())["verificationMaterial"]["tlogEntries"]
    assert "is not in the trusted root" in message(court, mixed)


def test_cosign_3599_a_large_payload_is_named_with_its_limit(court: Court) -> None:
    payload = b'{"x":"' + b"x" * (10 << 20) + b'"}'
    seen = court.judge(court.forge.bundle(payload))
    assert seen.code == 3
    assert re.search(r"limit payload-bytes is 10485760, got \d+", seen.document["error"]["message"])


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (["--certificate-identity", "dev@example.or"], 10),
        (["--certificate-identity", "ev@example.org"], 10),
        (["--certificate-identity", "dev.example.org"], 10),
        (["--certificate-identity", ".*"], 10),
        (["--certificate-identity-regexp", "dev@example\\.or"], 10),
        (["--certificate-identity-regexp", "example\\.org"], 10),
        (["--certificate-identity-regexp", "[a-z]+@example\\.org"], 0),
        (["--certificate-identity-regexp", ".*"], 2),
        (["--certificate-identity-regexp", "(.|@)*"], 2),
    ],
)
def test_wirelog_1287_an_identity_is_the_whole_identity(court: Court, flags: list[str], code: int) -> None:
    trust = ["--trusted-root", "root.json", *flags, "--certificate-oidc-issuer", ISSUER]
    assert court.judge(court.bundle(), trust=trust).code in (code, 4 if code == 2 else code)


@pytest.mark.parametrize("identity", ["dev@example.org", "dev+x@example.org", "a.c@example.org"])
def test_sigstore_js_1656_an_exact_identity_is_no_expression(court: Court, identity: str) -> None:
    trust = ["--trusted-root", "root.json", "--certificate-identity", identity, "--certificate-oidc-issuer", ISSUER]
    assert court.judge(court.bundle(identity=identity), trust=trust).code == 0
    other = identity.replace(".", "x", 1).replace("+", "")
    court.refused(court.bundle(identity=other), reason="signature.identity", trust=trust)


@pytest.mark.parametrize("keyid", [None, "", "worker", "SHA256:abc", "x" * 5000])
def test_securesystemslib_416_a_key_id_decides_nothing(court: Court, keyid: str | None) -> None:
    court.write("worker.pub", pem(court.forge.key("worker").public_key()).decode())
    seen = court.judge(court.managed(keyid=keyid), trust=["--trusted-key", "worker=worker.pub"])
    assert seen.code == 0
    assert [signer["name"] for signer in seen.result["signers"]] == ["worker"]
    assert court.judge(court.bundle(keyid=keyid)).code == 0


@pytest.mark.parametrize("lies", [Lies(signature=b"0" * 70), Lies(logged_payload=b"{}"), Lies(scts=0)])
def test_pypi_attestations_55_what_fails_is_no_success(court: Court, lies: Lies) -> None:
    court.refused(court.bundle(lies=lies))


def test_warehouse_18221_an_artifact_is_its_digest_and_not_its_name(court: Court) -> None:
    court.write("renamed.txt", generate.GREETING)
    seen = court.judge(
        court.bundle(), work=False, flags=["--artifact", "renamed.txt", "--minimum-assurance", "reported"]
    )
    assert "subjects.artifacts_matched" in seen.reasons


def test_sigstore_ruby_304_a_timestamp_needs_no_nonce(court: Court) -> None:
    """The forge's timestamps have none: they are answers to requests that nobody kept."""
    assert court.judge(court.bundle(rekor="v2")).code == 0


@pytest.mark.parametrize("rekor", ["v1", "v2"])
def test_model_transparency_663_the_time_is_not_the_certificates_own(court: Court, rekor: str) -> None:
    """Valid at its own notBefore, as every certificate is; but signed a second after its end."""
    assert court.judge(court.bundle(rekor=rekor, after=600)).code == 0
    assert "it was signed 2026-11-30T12:10:01Z" in message(court, court.bundle(rekor=rekor, after=601))


def test_kyverno_16267_a_key_for_a_certificate_is_an_error_of_its_own(court: Court) -> None:
    court.write("worker.pub", pem(court.forge.key("worker").public_key()).decode())
    trust = ["--trusted-key", "worker=worker.pub"]
    court.refused(court.bundle(), trust=trust, reason="signature.no_trusted_identity")
    said = message(court, court.bundle(), trust=trust)
    assert said == "the bundle is signed with a Sigstore certificate, and only keys are trusted"


def test_kyverno_16267_an_identity_for_a_key_is_an_error_of_its_own(court: Court) -> None:
    court.refused(court.managed(), reason="signature.no_certificate")
    assert message(court, court.managed()) == (
        "only Sigstore identities are trusted, and this is signed with a key, without a certificate"
    )


def test_chainloop_3398_what_was_not_verified_is_no_success(court: Court) -> None:
    """A bundle that nobody looked at cannot lend its envelope a signer."""
    bundle = court.bundle()
    court.refused(bundle["dsseEnvelope"], reason="signature.no_certificate")
    seen = court.judge(bundle["dsseEnvelope"], trust=["--unsigned"])
    assert seen.result["signers"] == []


FOREIGN: dict[str, tuple[Any, str]] = {
    "a PEP 740 provenance object": ({"version": 1, "attestation_bundles": []}, "a PEP 740 provenance object"),
    "a PEP 740 attestation": (
        {"version": 1, "verification_material": {}, "envelope": {}},
        "a PEP 740 attestation",
    ),
    "the output of gh": ([{"attestation": {}, "verificationResult": {}}], "the output of gh attestation verify"),
    "gcloud's description": ({"image_summary": {}, "provenance_summary": {}}, "gcloud's description of an image"),
    "an old cosign bundle": ({"base64Signature": "", "cert": "", "rekorBundle": {}}, "an old cosign bundle"),
}


@pytest.mark.parametrize(("tree", "name"), FOREIGN.values(), ids=FOREIGN)
def test_gh_action_sigstore_python_158_other_formats_are_named(court: Court, tree: Any, name: str) -> None:
    seen = court.judge(json.dumps(tree))
    assert seen.code == 3
    assert f"expected a receipt, got {name}" in seen.document["error"]["message"]


def test_a_bare_envelope_of_the_slsa_generator_is_named(court: Court) -> None:
    envelope = generate.envelope(statement())
    envelope["signatures"][0]["cert"] = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"
    assert "an envelope of the SLSA generator with a certificate beside" in message(court, envelope)
    court.write("worker.pub", pem(court.forge.key("worker").public_key()).decode())
    said = message(court, envelope, trust=["--trusted-key", "worker=worker.pub"])
    assert said.startswith("none of 1 trusted key(s) made any of 1 signature(s): an envelope of the SLSA generator")


def test_an_envelope_of_google_cloud_build_is_named(court: Court) -> None:
    name = "projects/verified-builder/locations/global/keyRings/attestor/cryptoKeys/builder/cryptoKeyVersions/1"
    envelope = generate.envelope(statement())
    envelope["signatures"][0]["keyid"] = name
    assert f'an envelope of Google Cloud Build, signed with "{name[:79]}' in message(court, envelope)


def test_a_bundle_over_a_file_is_no_receipt(court: Court) -> None:
    bundle = court.bundle()
    del bundle["dsseEnvelope"]
    bundle["messageSignature"] = {"messageDigest": {"algorithm": "SHA2_256", "digest": ""}, "signature": "AAAA"}
    seen = court.judge(json.dumps(bundle, indent=1))
    assert (seen.code, "a signature over a file, not an attestation" in seen.document["error"]["message"]) == (3, True)


def test_cosign_writes_statements_0_1_and_they_are_read(court: Court) -> None:
    old = "https://in-toto.io/Statement/v0.1"
    seen = court.judge(court.bundle(lambda tree, _predicate: tree.update(_type=old)))
    assert (seen.code, seen.result["untrusted"]["statement"]["_type"]) == (0, old)
    assert "statement.old_version" in seen.reasons
    assert "statement.old_version" not in court.judge(court.bundle()).reasons


def test_unauthenticated_members_are_no_facts(court: Court) -> None:
    """The hint, the key id, an index and a time that nobody signed: changed, and nothing in the result says so."""
    bundle = court.bundle(rekor="v2", keyid="SECRET")
    entry(bundle)["logIndex"] = "424242"
    entry(bundle)["integratedTime"] = "1234567890"
    seen = court.judge(bundle)
    assert seen.code == 0
    said = seen.out
    assert not re.search("SECRET|424242|2009-02-13|1234567890", said)
    court.write("worker.pub", pem(court.forge.key("worker").public_key()).decode())
    managed = court.managed(hint="SECRET", rekor="v1")
    entry(managed)["logIndex"] = "424242"
    seen = court.judge(managed, trust=["--trusted-key", "worker=worker.pub"])
    assert seen.code == 0
    assert not re.search("SECRET|424242", seen.out)


@pytest.mark.parametrize("seconds", [-1, 1])
def test_the_end_of_a_timestamp_authority_is_inclusive(court: Court, seconds: int) -> None:
    end = NOW + 5 * SECOND
    root = court.forge.trusted_root(timestamps=(NOW - timedelta(days=1), end))
    assert court.judge(court.bundle(rekor="v2"), root=root).code == 0
    later = court.bundle(rekor="v2", after=5 + seconds)
    assert court.judge(later, root=root).code == (10 if seconds > 0 else 0)


def test_base64_is_strict_before_any_library_sees_it(court: Court) -> None:
    for place in (("dsseEnvelope", "payload"), ("dsseEnvelope", "signatures", 0, "sig")):
        bundle = court.bundle()
        holder: Any = bundle
        for step in place[:-1]:
            holder = holder[step]
        holder[place[-1]] = "!" + holder[place[-1]]
        assert court.judge(bundle).code == 3
    bundle = court.bundle()
    raw = b64decode(entry(bundle)["canonicalizedBody"])
    entry(bundle)["canonicalizedBody"] = b64encode(raw).decode() + "\n"
    court.refused(bundle)


def test_duplicate_members_are_refused(court: Court) -> None:
    text = json.dumps(court.bundle())
    for member in ("mediaType", "payloadType", "treeSize"):
        at = text.index(f'"{member}"')
        assert court.judge(text[:at] + f'"{member}": "x", ' + text[at:]).code == 3


def test_an_empty_issuer_is_refused(court: Court) -> None:
    trust = ["--trusted-root", "root.json", "--certificate-identity", IDENTITY, "--certificate-oidc-issuer", ""]
    assert court.judge(court.bundle(), trust=trust).code == 2
    court.refused(court.bundle(lies=Lies(issuers=("", ""))), reason="signature.issuer")
    court.refused(court.bundle(lies=Lies(issuers=(None, None))), reason="signature.issuer")


def test_what_to_do_next_is_said(court: Court) -> None:
    seen = court.refused(Forge.of("other").bundle(statement()))
    hints = [finding["hint"] for check in seen.result["checks"] for finding in check["findings"] if "hint" in finding]
    assert hints == ["the trusted root may be another instance's, or from another time"]
    out = court.run("verify", "receipt.json", "--trusted-root", "root.json", *TRUSTED, *generate.ROOT).out
    assert f"  hint        {hints[0][:40]}" in out
