"""The files about a stack that its clients read, and the one that Fulcio reads."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.integration.stack.issuer import ACTIONS_ISSUER, AUDIENCE, EMAIL_ISSUER, HOST

ROOT_TYPE: Final = "application/vnd.dev.sigstore.trustedroot+json;version=0.1"
SIGNING_TYPE: Final = "application/vnd.dev.sigstore.signingconfig.v0.2+json"
CLIENT_TYPE: Final = "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json"

# Certificate extension: the name of a claim, or a template over the claims.
EXTENSIONS: Final = {
    "GithubWorkflowTrigger": "event_name",
    "GithubWorkflowSHA": "sha",
    "GithubWorkflowName": "workflow",
    "GithubWorkflowRepository": "repository",
    "GithubWorkflowRef": "ref",
    "BuildTrigger": "event_name",
    "BuildSignerURI": "{{ .url }}/{{ .job_workflow_ref }}",
    "BuildSignerDigest": "job_workflow_sha",
    "BuildConfigURI": "{{ .url }}/{{ .workflow_ref }}",
    "BuildConfigDigest": "workflow_sha",
    "SourceRepositoryURI": "{{ .url }}/{{ .repository }}",
    "SourceRepositoryDigest": "sha",
    "SourceRepositoryRef": "ref",
    "SourceRepositoryIdentifier": "repository_id",
    "SourceRepositoryOwnerURI": "{{ .url }}/{{ .repository_owner }}",
    "SourceRepositoryOwnerIdentifier": "repository_owner_id",
    "SourceRepositoryVisibilityAtSigning": "repository_visibility",
    "RunnerEnvironment": "runner_environment",
    "RunInvocationURI": "{{ .url }}/{{ .repository }}/actions/runs/{{ .run_id }}/attempts/{{ .run_attempt }}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where each service of a stack answers."""

    fulcio: str
    ctlog: str
    rekor: str
    tsa: str

    @property
    def stamps(self) -> str:
        """What a client calls for a timestamp."""
        return f"{self.tsa}/api/v1/timestamp"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKeys:
    """What a client has to trust. Chains end with their root."""

    fulcio: tuple[x509.Certificate, ...]
    tsa: tuple[x509.Certificate, ...]
    ctlog: ec.EllipticCurvePublicKey
    rekor: ed25519.Ed25519PublicKey


def write_documents(folder: Path, at: Addresses, keys: PublicKeys) -> None:
    """Write `trusted_root.json`, `signing_config.json` and, with both in it, `trust_config.json`."""
    root, signing = trusted_root(at, keys), signing_config(at)
    write_json(folder / "trusted_root.json", root)
    write_json(folder / "signing_config.json", signing)
    both = {"mediaType": CLIENT_TYPE, "trustedRoot": root, "signingConfig": signing}
    write_json(folder / "trust_config.json", both)


def trusted_root(at: Addresses, keys: PublicKeys) -> dict[str, Any]:
    """The trusted root: who certifies, logs and stamps."""
    start = _valid_since(keys)
    # Rekor v2's log id is the key hash of its checkpoints (C2SP signed-note: name, newline, 1 for Ed25519, key), whole.
    rekor_id = hashlib.sha256(f"{HOST}\n\x01".encode() + keys.rekor.public_bytes_raw()).digest()
    ctlog_id = hashlib.sha256(_spki(keys.ctlog)).digest()
    return {
        "mediaType": ROOT_TYPE,
        "tlogs": [_log(at.rekor, keys.rekor, "PKIX_ED25519", rekor_id, start)],
        "certificateAuthorities": [_authority(at.fulcio, keys.fulcio, start)],
        "ctlogs": [_log(at.ctlog, keys.ctlog, "PKIX_ECDSA_P256_SHA_256", ctlog_id, start)],
        "timestampAuthorities": [_authority(at.stamps, keys.tsa, start)],
    }


def signing_config(at: Addresses) -> dict[str, Any]:
    """The signing configuration: what to call."""
    return {
        "mediaType": SIGNING_TYPE,
        "caUrls": [_service(at.fulcio, 1)],
        "oidcUrls": [_service(EMAIL_ISSUER, 1)],
        "rekorTlogUrls": [_service(at.rekor, 2)],
        "rekorTlogConfig": {"selector": "ANY"},
        "tsaUrls": [_service(at.stamps, 1)],
        "tsaConfig": {"selector": "ANY"},
    }


def fulcio_config() -> dict[str, Any]:
    """Fulcio's own configuration, in its JSON spelling; the YAML one in a JSON file is ignored without a word."""
    email = {"IssuerURL": EMAIL_ISSUER, "ClientID": AUDIENCE, "Type": "email"}
    actions = {"IssuerURL": ACTIONS_ISSUER, "ClientID": AUDIENCE, "Type": "ci-provider", "CIProvider": "github"}
    provider = {
        "DefaultTemplateValues": {"url": "https://github.com"},
        "ExtensionTemplates": EXTENSIONS,
        "SubjectAlternativeNameTemplate": "{{ .url }}/{{ .job_workflow_ref }}",
    }
    return {"OIDCIssuers": {EMAIL_ISSUER: email, ACTIONS_ISSUER: actions}, "CIIssuerMetadata": {"github": provider}}


def write_json(path: Path, tree: dict[str, Any]) -> Path:
    """The tree as a file for people."""
    path.write_text(json.dumps(tree, indent=1) + "\n")
    return path


def _valid_since(keys: PublicKeys) -> str:
    return max(chain[0].not_valid_before_utc for chain in (keys.fulcio, keys.tsa)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _authority(uri: str, chain: Iterable[x509.Certificate], start: str) -> dict[str, Any]:
    certificates = [{"rawBytes": _base64(certificate.public_bytes(Encoding.DER))} for certificate in chain]
    return {
        "subject": {"organization": "tests", "commonName": "tests"},
        "uri": uri,
        "certChain": {"certificates": certificates},
        "validFor": {"start": start},
    }


def _log(
    uri: str, key: ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey, details: str, log_id: bytes, start: str
) -> dict[str, Any]:
    public = {"rawBytes": _base64(_spki(key)), "keyDetails": details, "validFor": {"start": start}}
    return {
        "baseUrl": uri,
        "hashAlgorithm": "SHA2_256",
        "publicKey": public,
        "logId": {"keyId": _base64(log_id)},
    }


def _service(url: str, version: int) -> dict[str, Any]:
    return {"url": url, "majorApiVersion": version, "validFor": {"start": "2020-01-01T00:00:00Z"}, "operator": "tests"}


def _spki(key: ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _base64(data: bytes) -> str:
    return b64encode(data).decode()
