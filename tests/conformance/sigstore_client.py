"""A client of the Sigstore conformance suite (sigstore-conformance, docs/cli_protocol.md), made of our own parts.

    python -m tests.conformance.sigstore_client verify-bundle --bundle B
        (--certificate-identity I --certificate-oidc-issuer O | --key PEM) [--trusted-root R] FILE|sha256:HEX
    python -m tests.conformance.sigstore_client sign-bundle [--in-toto] --identity-token T --bundle B
        --trusted-root R --signing-config C FILE

Exit code 0 for success, 1 for failure. Without `--trusted-root`, the root that sigstore-python carries is taken.
Attestations take the same way as receipts do. Signatures over files, which are no receipts, are verified here, with the
same primitives; they are signed by sigstore-python, since nothing of ours signs files.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

from in_toto_done_receipt.errors import DoneReceiptError, MalformedEnvelope, SignatureNotTrusted
from in_toto_done_receipt.trust.certificate import certificate_facts
from in_toto_done_receipt.trust.certified import maker_of, verify_certified, verify_material
from in_toto_done_receipt.trust.dsse import keys_that_signed
from in_toto_done_receipt.trust.identity import CertificateFacts
from in_toto_done_receipt.trust.keys import load_key
from in_toto_done_receipt.trust.managed import verify_seen
from in_toto_done_receipt.trust.material.anchors import load_anchors
from in_toto_done_receipt.trust.material.body import Maker, compare_hashed, demand_made_by, spec_of
from in_toto_done_receipt.trust.material.entry import demand_form, verify_entry
from in_toto_done_receipt.trust.material.model import LogEntry, Material
from in_toto_done_receipt.trust.material.pairs import pair_of
from in_toto_done_receipt.trust.material.read import read_material
from in_toto_done_receipt.trust.material.stamp import verified_times
from in_toto_done_receipt.trust.model import RootFile, TrustedKey
from in_toto_done_receipt.trust.root import read_root
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.bundle import VERSIONS, demand_bounded, read_bundle
from in_toto_done_receipt.wire.dsse import decode_base64
from in_toto_done_receipt.wire.statement import read_statement

_INSTANCES: Final = {False: "tuf-repo-cdn.sigstore.dev", True: "tuf-repo-cdn.sigstage.dev"}
_PREFIX: Final = "sha256:"


class Who(NamedTuple):
    """Whose signature counts: a key's, or a certificate's with this identity and issuer."""

    key: TrustedKey | None
    identity: str
    issuer: str

    def demand(self, facts: CertificateFacts) -> None:
        """Raises SignatureNotTrusted for another identity."""
        if (facts.subject, facts.issuer) != (self.identity, self.issuer):
            raise SignatureNotTrusted(f"signed by {facts.subject} of {facts.issuer}", reason="signature.identity")


def verify(data: bytes, digest: bytes, who: Who, root: RootFile) -> None:
    """Raises DoneReceiptError unless the bundle is about the file with this SHA-256 digest, signed by `who`."""
    tree = strict_json.loads(data, what="bundle")
    if isinstance(tree, dict) and "messageSignature" in tree and "dsseEnvelope" not in tree:
        _verify_message(tree, digest, who, root)
        return
    bundle = read_bundle(tree)
    if who.key is None:
        who.demand(verify_certified(bundle, root).facts)
    else:
        if bundle.has_certificate or not keys_that_signed(bundle.envelope, (who.key,)):
            raise SignatureNotTrusted("not signed with this key", reason="signature.no_trusted_key")
        verify_seen(bundle, who.key, root, datetime.now(UTC))
    subjects = read_statement(bundle.envelope.payload).subjects
    if digest.hex() not in [subject.digest.get("sha256") for subject in subjects]:
        raise MalformedEnvelope(f"no subject of the statement is sha256:{digest.hex()}")


# --- signatures over files ------------------------------------------------------------------------------------------


def _verify_message(tree: dict[str, Any], digest: bytes, who: Who, root: RootFile) -> None:
    version = VERSIONS.get(tree.get("mediaType", ""))
    if version is None:
        raise MalformedEnvelope("not a bundle of a known version")
    demand_bounded(tree["verificationMaterial"], "bundle")
    material, anchors = read_material(tree["verificationMaterial"], version), load_anchors(root)
    signed = tree["messageSignature"]
    signature = decode_base64(signed["signature"], "signature")
    said = (signed.get("messageDigest") or {}).get("digest")
    if said is not None and decode_base64(said, "digest") != digest:
        raise MalformedEnvelope("the bundle names another digest")
    if len(material.entries) != 1:
        raise MalformedEnvelope(f"{len(material.entries)} log entries")
    if who.key is None:
        certificate, _, _ = verify_material(material, anchors, signature)
        maker, public = maker_of(certificate), certificate.public_key()
        who.demand(certificate_facts(certificate))
    else:
        maker, public = _maker_of(who.key, material)
        demand_form(material.entries[0], version)
        stamped = verified_times(material.stamps, signature, anchors.timestamp_authorities)
        verify_entry(material.entries[0], anchors, otherwise=stamped or (datetime.now(UTC),))
    _demand_signed(public, signature, digest)
    _demand_logged(material.entries[0], digest, signature, maker)


def _maker_of(key: TrustedKey, material: Material) -> tuple[Maker, Any]:
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    if material.certificate is not None:
        raise SignatureNotTrusted("signed with a certificate", reason="signature.no_trusted_identity")
    public = load_der_public_key(key.spki)
    return Maker(certificate=None, spki=key.spki, pair=pair_of(public)), public


def _demand_signed(public: Any, signature: bytes, digest: bytes) -> None:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import Prehashed

    if not isinstance(public, ec.EllipticCurvePublicKey) or public.curve.name != "secp256r1":
        raise SignatureNotTrusted("not a P-256 key, for which SHA-256 is", reason="signature.unsupported")
    try:
        public.verify(signature, digest, ec.ECDSA(Prehashed(hashes.SHA256())))
    except InvalidSignature:
        raise SignatureNotTrusted("the signature is not over this file", reason="signature.sigstore") from None


def _demand_logged(entry: LogEntry, digest: bytes, signature: bytes, maker: Maker) -> None:
    spec = spec_of(entry)
    if entry.kind == "hashedrekord/0.0.2":
        compare_hashed(spec, digest, signature, maker)
        return
    if entry.kind != "hashedrekord/0.0.1":
        raise SignatureNotTrusted(f"a log entry of kind {entry.kind}", reason="signature.unsupported")
    if spec["data"] != {"hash": {"algorithm": "sha256", "value": digest.hex()}}:
        raise SignatureNotTrusted("its log entry is for another file", reason="signature.sigstore")
    if decode_base64(spec["signature"]["content"], "content") != signature:
        raise SignatureNotTrusted("its log entry is for another signature", reason="signature.sigstore")
    demand_made_by(decode_base64(spec["signature"]["publicKey"]["content"], "content"), maker)


# --- signing --------------------------------------------------------------------------------------------------------


def sign_statement(path: Path, token: str, root: Path, config: Path) -> bytes:
    """The bundle of a statement, signed with `token`'s identity."""
    from in_toto_done_receipt.producer.bundle import sign_keyless
    from in_toto_done_receipt.producer.calls import Deadline
    from in_toto_done_receipt.producer.identity_token import read_token
    from in_toto_done_receipt.producer.signing_config import read_instance

    now = datetime.now(UTC)
    instance = read_instance(
        signing_config=(str(config), config.read_bytes()), trusted_root=(str(root), root.read_bytes()), now=now
    )
    identity = read_token(token.encode(), what="--identity-token")
    return sign_keyless(path.read_bytes(), identity, instance, now=now, deadline=Deadline(60)).document


def sign_file(path: Path, token: str, root: Path, config: Path) -> bytes:
    """The bundle of a file, signed with `token`'s identity, by sigstore-python."""
    from sigstore.models import ClientTrustConfig
    from sigstore.oidc import IdentityToken
    from sigstore.sign import SigningContext

    both = {
        "mediaType": "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json",
        "trustedRoot": json.loads(root.read_bytes()),
        "signingConfig": json.loads(config.read_bytes()),
    }
    context = SigningContext.from_trust_config(ClientTrustConfig.from_json(json.dumps(both)))
    with context.signer(IdentityToken(token)) as signer:
        return signer.sign_artifact(path.read_bytes()).to_json().encode()


# --- the command line -----------------------------------------------------------------------------------------------


def _root(path: Path | None, staging: bool) -> RootFile:
    if path is not None:
        return read_root(path.read_bytes(), name=path.name)
    resource = files("sigstore._store") / f"https%3A%2F%2F{_INSTANCES[staging]}" / "trusted_root.json"
    return read_root(resource.read_bytes(), name=_INSTANCES[staging])


def _digest(what: str) -> bytes:
    if what.startswith(_PREFIX) and not Path(what).exists():
        return bytes.fromhex(what.removeprefix(_PREFIX))
    return hashlib.sha256(Path(what).read_bytes()).digest()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sigstore_client")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("verify-bundle", "sign-bundle"):
        command = commands.add_parser(name)
        command.add_argument("--staging", action="store_true")
        command.add_argument("--bundle", type=Path, required=True)
        command.add_argument("--trusted-root", type=Path)
        command.add_argument("what", metavar="FILE")
        if name == "verify-bundle":
            command.add_argument("--certificate-identity", default="")
            command.add_argument("--certificate-oidc-issuer", default="")
            command.add_argument("--key", type=Path)
        else:
            command.add_argument("--in-toto", action="store_true")
            command.add_argument("--identity-token", required=True)
            command.add_argument("--signing-config", type=Path, required=True)
    return parser


def _run(flags: argparse.Namespace) -> None:
    if flags.command == "sign-bundle":
        sign = sign_statement if flags.in_toto else sign_file
        document = sign(Path(flags.what), flags.identity_token, flags.trusted_root, flags.signing_config)
        flags.bundle.write_bytes(document)
        return
    key = None if flags.key is None else load_key(flags.key.read_bytes(), name="key", what=str(flags.key))
    if (key is None) != bool(flags.certificate_identity and flags.certificate_oidc_issuer):
        raise MalformedEnvelope("give either --key, or --certificate-identity and --certificate-oidc-issuer")
    who = Who(key, flags.certificate_identity, flags.certificate_oidc_issuer)
    verify(flags.bundle.read_bytes(), _digest(flags.what), who, _root(flags.trusted_root, flags.staging))


def main(argv: Sequence[str]) -> int:
    """Run one command; the exit code. What fails is said on standard error."""
    flags = _parser().parse_args(argv)
    try:
        _run(flags)
    except DoneReceiptError as error:
        sys.stderr.write(f"error: {error.message}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
