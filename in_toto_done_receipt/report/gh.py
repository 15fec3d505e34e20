"""The array that `gh attestation verify --format json` prints, so that jq and Rego written for that go on working.

Each element is one attestation and one trusted signer of it, with nothing in `verificationResult` that was not
verified. Only what was admitted is in the array: whoever takes an element for "verified" is right. Names are those of
sigstore-go, pkg/verify and pkg/fulcio/certificate.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from typing import Any, Final

from in_toto_done_receipt.report.json import dump
from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.model import Signer, VerificationResult
from in_toto_done_receipt.wire.bundle import Bundle
from in_toto_done_receipt.wire.dsse import Envelope, write_envelope
from in_toto_done_receipt.wire.reader import ENVELOPE_MEDIA_TYPE, Group
from in_toto_done_receipt.wire.strict_json import loads
from in_toto_done_receipt.wire.value import Value

RESULT_TYPE: Final = "application/vnd.dev.sigstore.verificationresult+json;version=0.1"
_TIME_TYPES: Final = {"rekor": "Tlog", "tsa": "TimestampAuthority"}


class Services(Value, kw_only=True):
    """The addresses of those who vouch for times: of logs by their id, and of the one timestamp authority."""

    logs: Mapping[str, str]
    authority: str = ""


NO_SERVICES: Final = Services(logs={})


def services_of(root: bytes) -> Services:
    """The addresses in a trusted root. Of several timestamp authorities none is named: which one stamped is not kept.

    Raises MalformedInput for one that is no JSON.
    """
    tree = loads(root, what="trusted root", max_bytes=len(root))
    logs = {}
    for log in _objects(tree, "tlogs"):
        key_id, address = log.get("logId", {}).get("keyId"), log.get("baseUrl")
        if isinstance(key_id, str) and isinstance(address, str):
            logs[key_id] = address
    authorities = [one.get("uri") for one in _objects(tree, "timestampAuthorities")]
    (only,) = authorities if len(authorities) == 1 else ("",)
    return Services(logs=logs, authority=only if isinstance(only, str) else "")


def render_gh(
    result: VerificationResult,
    decision: Decision,
    group: Group | None,
    *,
    services: Services = NO_SERVICES,
    indent: int | None,
) -> str:
    """The array, empty for what was not admitted. `group` is the payload that the result is about, as it arrived."""
    found = list(_elements(result, group, services)) if decision.allow and group is not None else []
    return dump(found, indent=indent)


def _elements(result: VerificationResult, group: Group, services: Services) -> Iterator[dict[str, Any]]:
    for position, part in enumerate(group.parts):
        line = group.lines[position] if position < len(group.lines) else None
        for signer in result.signers:
            if signer.line == line:
                yield {
                    "attestation": {"bundle": _bundle(part)},
                    "verificationResult": _verified(result, part, signer, services),
                }


def _bundle(part: Envelope | Bundle) -> dict[str, Any]:
    """The bundle as it was; an envelope, which is none, under its own media type in the same place."""
    if isinstance(part, Bundle):
        return part.tree | {"dsseEnvelope": _envelope(part.envelope)}
    return {"mediaType": ENVELOPE_MEDIA_TYPE, "dsseEnvelope": _envelope(part)}


def _envelope(envelope: Envelope) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(write_envelope(envelope))
    for signature in tree["signatures"]:
        if not signature["keyid"]:  # as good as none, which bundles have
            del signature["keyid"]
    return tree


def _verified(
    result: VerificationResult, part: Envelope | Bundle, signer: Signer, services: Services
) -> dict[str, Any]:
    verified: dict[str, Any] = {"mediaType": RESULT_TYPE, "statement": result.untrusted.statement}
    if signer.kind == "key":
        # In sigstore-go bytes, the name of the key; here that is the fingerprint of the key that verified.
        named = (signer.key_fingerprint or "").removeprefix("sha256:").encode()
        verified["signature"] = {"publicKeyId": b64encode(named).decode()}
    else:
        verified["signature"] = {"certificate": _certificate(part, signer)}
        verified["verifiedIdentity"] = {
            "subjectAlternativeName": {"subjectAlternativeName": signer.identity, "regexp": ""},
            "issuer": {"issuer": signer.issuer, "regexp": ""},
        }
    verified["verifiedTimestamps"] = [
        {"type": _TIME_TYPES.get(time.source, time.source), "uri": _address(part, time.source, services)}
        | {"timestamp": time.time}
        for time in signer.times
    ]
    return verified


def _certificate(part: Envelope | Bundle, signer: Signer) -> dict[str, Any]:
    names = {"subjectAlternativeName": signer.identity, "issuer": signer.issuer}
    return {"certificateIssuer": _issuer(part)} | names | dict(sorted(signer.claims.items()))


def _issuer(part: Envelope | Bundle) -> str:
    """Who issued the certificate, as its name is written (RFC 4514). The bundle was verified, so there is one."""
    from cryptography import x509

    material = part.tree["verificationMaterial"] if isinstance(part, Bundle) else {}
    chain = material.get("x509CertificateChain", {}).get("certificates", [])
    holder = material.get("certificate") or (chain[0] if chain else {})
    raw = holder.get("rawBytes")
    return "" if raw is None else x509.load_der_x509_certificate(b64decode(raw)).issuer.rfc4514_string()


def _address(part: Envelope | Bundle, source: str, services: Services) -> str:
    if source == "tsa":
        return services.authority
    entries = part.tree["verificationMaterial"].get("tlogEntries", []) if isinstance(part, Bundle) else []
    found = [services.logs.get(entry.get("logId", {}).get("keyId"), "") for entry in entries]
    return found[0] if len(found) == 1 else ""


def _objects(tree: Any, name: str) -> list[dict[str, Any]]:
    found = tree.get(name) if isinstance(tree, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
