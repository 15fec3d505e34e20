"""A whole Sigstore in this process: genuine bundles of every sort, the trusted root that they verify with, and lies.

    forge = Forge.of()
    bundle = forge.bundle(payload, identity="dev@example.org", rekor="v2")
    root = forge.trusted_root()

The same plan gives the same bytes in every run. Another `seed` is another Sigstore of the same names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal, Self

from cryptography import x509

from tests.forge.authority import (
    BEGIN,
    Authority,
    CertificateLog,
    der_of,
    make_authority,
    make_certificate_log,
)
from tests.forge.keys import PrivateKey, derived, details_of, fingerprint, sign, spki
from tests.forge.log import Logged, TransparencyLog, canonical, encoded, entry_body, make_log, pae
from tests.forge.plan import V01, V02, Plan
from tests.forge.stamps import TimestampAuthority, make_timestamp_authority

Part = Literal["authority", "certificate_log", "rekor_v1", "rekor_v2", "timestamps"]
PARTS: Final[tuple[Part, ...]] = ("authority", "certificate_log", "rekor_v1", "rekor_v2", "timestamps")
Window = tuple[datetime, datetime | None]

ROOT_MEDIA_TYPE: Final = "application/vnd.dev.sigstore.trustedroot+json;version=0.1"
_OPEN: Final[Window] = (BEGIN, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forge:
    """The parts of one Sigstore. `Forge.of` makes them."""

    seed: str
    authority: Authority
    certificate_log: CertificateLog
    rekor_v1: TransparencyLog
    rekor_v2: TransparencyLog
    timestamps: TimestampAuthority

    @classmethod
    def of(cls, seed: str = "forge", *, intermediate: bool = True) -> Self:
        """The Sigstore that belongs to a seed."""
        return cls(
            seed=seed,
            authority=make_authority(seed, intermediate=intermediate),
            certificate_log=make_certificate_log(seed),
            rekor_v1=make_log(seed, "v1"),
            rekor_v2=make_log(seed, "v2"),
            timestamps=make_timestamp_authority(seed),
        )

    def with_stranger(self, part: Part) -> Self:
        """The same Sigstore, but what this part signs is signed with a key that is not the part's."""
        stranger = derived("Ed25519" if part == "rekor_v2" else "P-256", f"{self.seed}/stranger/{part}")
        changed: dict[str, Any] = {part: replace(getattr(self, part), signs_with=stranger)}
        return replace(self, **changed)

    def key(self, label: str, curve: Any = "P-256") -> Any:
        """A signer's private key."""
        return derived(curve, f"{self.seed}/signer/{label}")

    # --- bundles ----------------------------------------------------------------------------------------------------

    def bundle(self, payload: bytes | Mapping[str, Any], plan: Plan | None = None, **changes: Any) -> dict[str, Any]:
        """A bundle of an attestation, signed without a key of one's own; `changes` are members of the plan."""
        plan = replace(plan or Plan(), **changes)
        private = self.key(plan.signer, plan.curve)
        certified = self.key(plan.lies.leaf, plan.curve) if plan.lies.leaf else private
        certificate = self.authority.issue(certified.public_key(), plan, self.certificate_log)
        return self._bundle(_bytes(payload), plan, private, certificate)

    def managed(
        self, payload: bytes | Mapping[str, Any], private: PrivateKey, plan: Plan | None = None, **changes: Any
    ) -> dict[str, Any]:
        """A bundle of an attestation signed with this key; with `rekor` and `stamps`, logged and timestamped."""
        plan = replace(plan or Plan(rekor=None), **changes)
        return self._bundle(_bytes(payload), plan, private, None)

    def _bundle(
        self, payload: bytes, plan: Plan, private: PrivateKey, certificate: x509.Certificate | None
    ) -> dict[str, Any]:
        lies = plan.lies
        message = pae(plan.payload_type, payload) if lies.signed is None else lies.signed
        signature = lies.signature or sign(private, message, digest=plan.digest)
        envelope: dict[str, Any] = {
            "payload": encoded(payload),
            "payloadType": plan.payload_type,
            "signatures": [{"sig": encoded(signature)} | ({} if plan.keyid is None else {"keyid": plan.keyid})],
        }
        if certificate is None:
            hint = encoded(fingerprint(private.public_key())) if plan.hint is None else plan.hint
            material: dict[str, Any] = {"publicKey": {"hint": hint}}
        else:
            material = _certificate(certificate, plan)
        material |= self._seen(payload, signature, certificate or private.public_key(), plan)
        return {"mediaType": plan.media_type, "verificationMaterial": material, "dsseEnvelope": envelope}

    def _seen(self, payload: bytes, signature: bytes, signer: Any, plan: Plan) -> dict[str, Any]:
        """What the log and the timestamp authority say of the signature."""
        material: dict[str, Any] = {}
        if plan.rekor is not None:
            log = self.rekor_v1 if plan.rekor == "v1" else self.rekor_v2
            body = plan.lies.body or entry_body(plan.entry_kind, self._logged(payload, signature, signer, plan))
            material["tlogEntries"] = [log.entry(body, plan, number) for number in range(plan.entries)]
        if plan.stamp_count:
            message = signature if plan.lies.stamped is None else plan.lies.stamped
            tokens = [
                self.timestamps.stamp(message, plan.seen + timedelta(seconds=number), number=number)
                for number in range(plan.stamp_count)
            ]
            stamps = [{"signedTimestamp": encoded(token)} for token in tokens]
            material["timestampVerificationData"] = {"rfc3161Timestamps": stamps}
        return material

    def _logged(self, payload: bytes, signature: bytes, signer: Any, plan: Plan) -> Logged:
        lies = plan.lies
        if lies.logged_by is not None:
            public = self.key(lies.logged_by, plan.curve).public_key()
            certified = isinstance(signer, x509.Certificate)
            signer = self.authority.issue(public, plan, self.certificate_log) if certified else public
        return Logged(
            payload=payload if lies.logged_payload is None else lies.logged_payload,
            payload_type=lies.logged_type or plan.payload_type,
            signature=lies.logged_signature or signature,
            signer=signer,
        )

    # --- the root ---------------------------------------------------------------------------------------------------

    def trusted_root(self, **windows: Window) -> dict[str, Any]:
        """The root of trust; `windows` are the validity of parts, by their names."""

        def valid(part: Part) -> dict[str, Any]:
            start, end = windows.get(part, _OPEN)
            return {"start": _time(start)} | ({} if end is None else {"end": _time(end)})

        unknown = windows.keys() - set(PARTS)
        if unknown:
            raise TypeError(f"no such part: {', '.join(sorted(unknown))}")
        return {
            "mediaType": ROOT_MEDIA_TYPE,
            "tlogs": [
                _log(self.rekor_v1.key, f"https://{self.rekor_v1.origin}", self.rekor_v1.log_id, valid("rekor_v1")),
                _log(self.rekor_v2.key, f"https://{self.rekor_v2.origin}", self.rekor_v2.log_id, valid("rekor_v2")),
            ],
            "certificateAuthorities": [_chain(self.authority.chain, "https://fulcio", valid("authority"))],
            "ctlogs": [
                _log(
                    self.certificate_log.key,
                    "https://ct.forge.example.org",
                    fingerprint(self.certificate_log.key.public_key()),
                    valid("certificate_log"),
                )
            ],
            "timestampAuthorities": [_chain(self.timestamps.chain, "https://timestamps", valid("timestamps"))],
        }


def _bytes(payload: bytes | Mapping[str, Any]) -> bytes:
    return payload if isinstance(payload, bytes) else canonical(payload)


def _certificate(certificate: x509.Certificate, plan: Plan) -> dict[str, Any]:
    """As the format has it: a chain up to 0.2, the certificate alone from 0.3 on."""
    raw = {"rawBytes": encoded(der_of(certificate))}
    if plan.media_type in (V01, V02):
        return {"x509CertificateChain": {"certificates": [raw]}}
    return {"certificate": raw}


def _time(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _log(private: PrivateKey, url: str, log_id: bytes, valid: dict[str, Any]) -> dict[str, Any]:
    public = private.public_key()
    key = {"rawBytes": encoded(spki(public)), "keyDetails": details_of(public), "validFor": valid}
    return {"baseUrl": url, "hashAlgorithm": "SHA2_256", "publicKey": key, "logId": {"keyId": encoded(log_id)}}


def _chain(chain: tuple[x509.Certificate, ...], url: str, valid: dict[str, Any]) -> dict[str, Any]:
    name = {"organization": "forge.example.org", "commonName": url.removeprefix("https://")}
    certificates = [{"rawBytes": encoded(der_of(certificate))} for certificate in chain]
    return {
        "subject": name,
        "uri": f"{url}.forge.example.org",
        "certChain": {"certificates": certificates},
        "validFor": valid,
    }
