"""The file with a result that `admit` and `attest-result` take: pinned by its digest, made with the same profile."""

from pathlib import Path

from in_toto_done_receipt.cli.options import read_document
from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.results.past import Past, read_past
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.escape import escape


def read_pinned(path: Path, expected_digest: str | None) -> tuple[bytes, str]:
    """The file's bytes and their sha256; `-` is standard input. Raises InputError when another digest was expected."""
    data = read_document(path, what="result", limit=LIMITS["manifest-bytes"].default, limit_name="result-bytes")
    digest = sha256_hex(data)
    if expected_digest is not None and digest != expected_digest.removeprefix("sha256:"):
        raise MalformedInput(f"{escape(str(path))}: sha256 is {digest}, expected {escape(expected_digest)}")
    return data, digest


def demand_profile(result: VerificationResult, settings: Settings, path: Path, *, job: str) -> None:
    """Raises MalformedInput for a result that was made with another profile than this one."""
    if result.profile_digest != settings.digest:
        raise MalformedInput(
            f"{escape(str(path))}: made with profile {result.profile_digest or 'none'}, "
            f"this one is {settings.digest or 'none'}",
            hint=f"give {job} the profiles that recompute was given",
        )


def read_one_result(data: bytes, path: Path) -> Past:
    """The one result in the file, with the decision beside it if there is one. Raises MalformedInput."""
    found = read_past(data, what=str(path))
    if len(found) > 1:
        raise MalformedInput(f"{escape(str(path))}: holds {len(found)} results, expected one")
    if found[0].settings is not None:
        raise MalformedInput(
            f"{escape(str(path))}: is a policy input, which does not say what the receipt is about",
            hint="give what recompute writes, or what verify --format json prints",
        )
    return found[0]
