"""A bundle signed with a managed key: what its log entries and timestamps show, against a trusted root.

The signature itself is a plain DSSE one (`trust.dsse`); the key comes from the verifier, and the bundle's hint decides
nothing. Neither sigstore nor X.509 is needed for a bundle without timestamps.
"""

from datetime import datetime

from in_toto_done_receipt.trust.demands import Time
from in_toto_done_receipt.trust.material.anchors import load_anchors
from in_toto_done_receipt.trust.material.body import Maker, demand_logged
from in_toto_done_receipt.trust.material.entry import demand_form, demand_supported, verify_entry
from in_toto_done_receipt.trust.material.pairs import pair_of
from in_toto_done_receipt.trust.material.read import read_material
from in_toto_done_receipt.trust.material.stamp import verified_times
from in_toto_done_receipt.trust.model import RootFile, TrustedKey
from in_toto_done_receipt.wire.bundle import Bundle
from in_toto_done_receipt.wire.value import Value


class Seen(Value, kw_only=True):
    """What others than the signer vouch for. `log_index` is None without a log entry."""

    times: tuple[Time, ...] = ()
    log_index: int | None = None


def verify_seen(bundle: Bundle, key: TrustedKey, root: RootFile, at: datetime) -> Seen:
    """The verified times and log entry of a bundle that `key` signed; nothing, when it holds neither.

    Everything that is there must be right and of this signature. A log that gave no time, beside no timestamp, must be
    valid at `at`. Raises SignatureNotTrusted (`signature.sigstore`, `signature.unsupported`) and TrustError.
    """
    material = read_material(bundle.tree["verificationMaterial"], bundle.version)
    if not material.entries and not material.stamps:
        return Seen()
    anchors = load_anchors(root)
    demand_supported(material.entries)
    for entry in material.entries:
        demand_form(entry, material.version)
    stamped = verified_times(material.stamps, bundle.envelope.signatures[0].sig, anchors.timestamp_authorities)
    logged = []
    for entry in material.entries:
        logged.append(verify_entry(entry, anchors, otherwise=stamped or (at,)))
        demand_logged(entry, bundle.envelope, _maker_of(key))
    times = tuple((one.time, "rekor") for one in logged if one.time is not None)
    return Seen(
        times=times + tuple((time, "tsa") for time in stamped),
        log_index=logged[0].index if logged else None,
    )


def _maker_of(key: TrustedKey) -> Maker:
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    return Maker(certificate=None, spki=key.spki, pair=pair_of(load_der_public_key(key.spki)))
