"""A statement's bytes, as they are, into a Sigstore bundle v0.3: signed without a key of one's own, or with a key.

The steps: sign, have the signature timestamped, have it logged, put all in a bundle, verify the bundle as a verifier
would. Nobody gets a bundle that does not verify. The clients of sigstore are not used: `Signer.sign_dsse` refuses
subjects that in-toto allows (a `gitCommit` digest), waits without end, and knows no keys.
"""

import hashlib
import json
from base64 import b64encode
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from in_toto_done_receipt.errors import ConfigurationError, ProducerError, SignatureNotTrusted, TrustError
from in_toto_done_receipt.producer.calls import Deadline
from in_toto_done_receipt.producer.fulcio import request_certificate
from in_toto_done_receipt.producer.identity_token import Token
from in_toto_done_receipt.producer.keys import pem_of_spki
from in_toto_done_receipt.producer.rekor import Verifier, check_loggable, entry_index, log_envelope
from in_toto_done_receipt.producer.sign import PayloadSigner, Signed, signed_envelope, statement_warnings
from in_toto_done_receipt.producer.signing_config import Instance
from in_toto_done_receipt.producer.timestamps import request_timestamp
from in_toto_done_receipt.trust.model import TextRule, TrustedIdentity, TrustedKey, TrustPolicy, make_policy
from in_toto_done_receipt.trust.verify import verify_group
from in_toto_done_receipt.wire import dsse
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.reader import read_receipts

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

MEDIA_TYPE: Final = "application/vnd.dev.sigstore.bundle.v0.3+json"
EPHEMERAL: Final = "ecdsa-p256"


def check_keyless(instance: Instance) -> None:
    """Raises ConfigurationError when the instance cannot vouch for a certificate that lives for minutes."""
    if instance.fulcio is None:
        raise ConfigurationError(f"{instance.known_as}: names no certificate authority that can be called now")
    if instance.log is None:
        raise ConfigurationError(f"{instance.known_as}: names no transparency log that can be called now")
    if instance.log.version == 2 and not instance.stamps:
        raise ConfigurationError(
            f"{instance.known_as}: a log of version 2 and no timestamp authority: nobody vouches for the time",
            hint="certificates live for minutes; name a timestamp authority in tsaUrls",
        )


def check_managed(signer: PayloadSigner, instance: Instance | None) -> None:
    """Raises ConfigurationError when this key's signature fits in no bundle, or not in the instance's log."""
    if signer.key.openpgp:
        raise ConfigurationError(
            "a bundle has no place for what an OpenPGP signature is over", hint="write an envelope: leave out --bundle"
        )
    if instance is not None and instance.log is None and not instance.stamps:
        raise ConfigurationError(f"{instance.known_as}: names neither a log nor a timestamp authority to call now")
    if instance is not None and instance.log is not None:
        check_loggable(instance.log, signer.key.algorithm)


def sign_keyless(payload: bytes, token: Token, instance: Instance, *, now: datetime, deadline: Deadline) -> Signed:
    """A bundle signed with a new key, and a certificate of Fulcio that names the token's identity.

    `now` is the time of day, for certificates. Raises MalformedStatement before anything leaves this machine;
    ConfigurationError as `check_keyless`; ProducerError when a service fails or the result does not verify.
    """
    from cryptography.hazmat.primitives.asymmetric import ec

    warnings = statement_warnings(payload)
    check_keyless(instance)
    if instance.fulcio is None:  # checked one line above
        raise AssertionError
    private = ec.generate_private_key(ec.SECP256R1())
    certificate = request_certificate(instance.fulcio, private, token.raw, now=now, deadline=deadline)
    trusted = _as_certified(certificate, instance)
    envelope = _signed_once(payload, private)
    der, pem = _encodings(certificate)
    verifier = Verifier(der=der, pem=pem, certificate=True, algorithm=EPHEMERAL)
    material = {"certificate": {"rawBytes": b64encode(der).decode()}}
    document, index = _witnessed(envelope, verifier, material, instance, deadline)
    policy = make_policy(keys=(), identities=(trusted,), root=instance.root, threshold=1)
    _demand_verified(document, policy, now, instance)
    return Signed(
        document=document,
        payload_sha256=sha256_hex(payload),
        identity=trusted.subject.text,
        issuer=trusted.issuer.text,
        log_index=index,
        warnings=warnings,
    )


def sign_managed(
    payload: bytes, signer: PayloadSigner, instance: Instance | None, *, now: datetime, deadline: Deadline
) -> Signed:
    """A bundle signed with a key, whose public half the verifier has; logged and timestamped if there is an instance.

    Raises as `sign_keyless`, and ConfigurationError as `check_managed`.
    """
    warnings = statement_warnings(payload)
    check_managed(signer, instance)
    key = signer.key
    labelled = signed_envelope(payload, signer)
    if key.algorithm.startswith("rsa-"):
        _demand_pkcs1v15(key, labelled)
    # The hint names the key, as cosign names it: not authenticated, for people and look-ups. The envelope's own keyid
    # stays empty: cosign and Rekor v1 refuse a signature with another name than the one they make up for the key.
    label = labelled.signatures[0].keyid
    envelope = replace(labelled, signatures=(replace(labelled.signatures[0], keyid=""),))
    named = label if label != key.fingerprint.removeprefix("sha256:") else b64encode(_digest(key.spki)).decode()
    material: dict[str, Any] = {"publicKey": {"hint": named}}
    verifier = Verifier(der=key.spki, pem=pem_of_spki(key.spki), certificate=False, algorithm=key.algorithm)
    document, index = _witnessed(envelope, verifier, material, instance, deadline)
    if instance is not None:
        demanding = _demanding(key, instance)
        policy = make_policy(keys=(demanding,), identities=(), root=instance.root, threshold=1)
        _demand_verified(document, policy, now, instance)
    return Signed(
        document=document,
        payload_sha256=sha256_hex(payload),
        keyid=label,
        key=key,
        log_index=index,
        warnings=warnings,
    )


def _witnessed(
    envelope: dsse.Envelope, verifier: Verifier, material: dict[str, Any], instance: Instance | None, deadline: Deadline
) -> tuple[bytes, int | None]:
    """The bundle, with what others say of the signature. Timestamps first: a log keeps what it gets for ever."""
    index = None
    if instance is not None:
        signature = envelope.signatures[0].sig
        stamps = [request_timestamp(tsa, signature, deadline) for tsa in instance.stamps]
        if instance.log is not None:
            entry = log_envelope(instance.log, envelope, verifier, deadline)
            material["tlogEntries"] = [entry]
            index = entry_index(entry)
        if stamps:
            encoded = [{"signedTimestamp": b64encode(stamp).decode()} for stamp in stamps]
            material["timestampVerificationData"] = {"rfc3161Timestamps": encoded}
    tree = {"mediaType": MEDIA_TYPE, "verificationMaterial": material, "dsseEnvelope": _envelope_tree(envelope)}
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode() + b"\n", index


def _envelope_tree(envelope: dsse.Envelope) -> dict[str, Any]:
    (signature,) = envelope.signatures
    payload, signed = b64encode(envelope.payload).decode(), {"sig": b64encode(signature.sig).decode()}
    return {"payload": payload, "payloadType": envelope.payload_type, "signatures": [signed]}


def _signed_once(payload: bytes, private: Any) -> dsse.Envelope:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    signature = private.sign(dsse.pae(dsse.INTOTO_PAYLOAD_TYPE, payload), ec.ECDSA(hashes.SHA256()))
    return dsse.Envelope(
        payload=payload,
        payload_type=dsse.INTOTO_PAYLOAD_TYPE,
        signatures=(dsse.Signature(sig=signature, keyid=""),),
        unrecognized=(),
    )


def _encodings(certificate: "Certificate") -> tuple[bytes, bytes]:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.DER), certificate.public_bytes(Encoding.PEM)


def _as_certified(certificate: "Certificate", instance: Instance) -> TrustedIdentity:
    """Exactly whom the certificate names, and all that the instance adds demanded: what was made has to verify so."""
    from in_toto_done_receipt.trust.certificate import certificate_facts

    try:
        facts = certificate_facts(certificate)
    except SignatureNotTrusted as fault:
        at = instance.fulcio.named if instance.fulcio is not None else instance.known_as
        raise ProducerError(f"{at}: {fault.message}") from None
    source = facts.claims.get("sourceRepositoryURI")
    return TrustedIdentity(
        name="signer",
        principal="signer",
        subject=TextRule(text=facts.subject),
        issuer=TextRule(text=facts.issuer),
        claim_rules=() if source is None else (("sourceRepositoryURI", (TextRule(text=source),)),),
        transparency=True,
        timestamp=bool(instance.stamps),
    )


def _demanding(key: TrustedKey, instance: Instance) -> TrustedKey:
    """The key, of which a verifier demands what the instance adds."""
    return replace(key, transparency=instance.log is not None, timestamp=bool(instance.stamps))


def _demand_verified(document: bytes, policy: TrustPolicy, now: datetime, instance: Instance) -> None:
    (group,) = read_receipts(document, what="bundle", allow_statement=False).groups
    try:
        verify_group(group, policy, at=now)
    except (SignatureNotTrusted, TrustError) as fault:
        logged = f"; the entry in the log at {instance.log.service.url} stays" if instance.log else ""
        raise ProducerError(
            f"what was signed does not verify with {instance.root.name}: {fault.message}",
            hint=f"nothing was written{logged}; the trusted root has to be that of the services",
        ) from None


def _demand_pkcs1v15(key: TrustedKey, envelope: dsse.Envelope) -> None:
    """Sigstore's logs and cosign know RSA with PKCS#1 v1.5 only; a service's key can be made for PSS."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    public: Any = load_der_public_key(key.spki)
    message = dsse.pae(envelope.payload_type, envelope.payload)
    try:
        public.verify(envelope.signatures[0].sig, message, padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        raise ConfigurationError(
            "the key signs with RSA-PSS or another hash than SHA-256, a bundle wants PKCS#1 v1.5 with SHA-256",
            hint="use a key made for that, or write an envelope: leave out --bundle",
        ) from None


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
