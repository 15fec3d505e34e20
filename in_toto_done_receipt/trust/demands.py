"""What an entry of the trust file demands of a signature besides being made by it: when, and vouched for by whom."""

from collections.abc import Sequence
from datetime import datetime

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.trust.model import RootFile, TrustedIdentity, TrustedKey
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.rfc3339 import format_time

Time = tuple[datetime, str]  # a verified time and its source: `rekor` or `tsa`


def unmet(
    signer: TrustedKey | TrustedIdentity, *, times: Sequence[Time], logged: bool, at: datetime
) -> SignatureNotTrusted | None:
    """Why the signature does not count, or None.

    `times` are the verified ones, `logged` says whether a verified log entry is of this signature. A window has to
    hold all verified times; without any, `at`, the time of evaluation. What the receipt says of times plays no part.
    """
    kind = "key" if isinstance(signer, TrustedKey) else "identity"
    where = f"{kind} {quote(signer.name)}"
    if signer.transparency and not logged:
        return SignatureNotTrusted(
            f"{where} demands a log entry, and the signature has none that is verified",
            reason="signature.no_transparency",
            hint="only a Sigstore bundle can hold one; transparency in the trust file says whether it is demanded",
        )
    if signer.timestamp and not any(source == "tsa" for _, source in times):
        return SignatureNotTrusted(
            f"{where} demands an RFC 3161 timestamp, and the signature has none that is verified",
            reason="signature.no_timestamp",
            hint="sign with a signing configuration that names a timestamp authority",
        )
    outside = [moment for moment, _ in times if not signer.valid_at(moment)]
    if outside or (not times and not signer.valid_at(at)):
        judged = f"signed {format_time(outside[0])}" if outside else f"evaluated at {format_time(at)}"
        return SignatureNotTrusted(f"{where} {_window(signer)}, {judged}", reason=f"signature.{kind}_not_valid")
    return None


def demand_young(root: RootFile, at: datetime) -> None:
    """Raises SignatureNotTrusted (root_too_old) when the root is older at `at` than the trust file allows.

    Its age counts from `obtainedOn`, else from its newest entry. Of what was revoked since, an old root knows nothing.
    """
    age = root.age(at)
    if root.max_age is not None and age > root.max_age:
        raise SignatureNotTrusted(
            f"trusted root {quote(root.name)} is {age} s old, at most {root.max_age} s are allowed",
            reason="signature.root_too_old",
            hint="fetch it again, then set obtainedOn and sha256",
        )


def _window(signer: TrustedKey | TrustedIdentity) -> str:
    limits = [
        f"{word} {format_time(moment)}"
        for word, moment in (("from", signer.not_before), ("until", signer.not_after))
        if moment is not None
    ]
    return f"is valid {' '.join(limits)}"
