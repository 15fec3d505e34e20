"""Compile, check and test the policy with an OPA: what `policy build`, `policy check` and `policy test` do.

The compiled module's bytes contain the file names as given, so it is always made in the policy's parent folder from
`policy/done_receipt`, and by one version of OPA.
"""

import hashlib
import io
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from in_toto_done_receipt.admission.catalogue import FILE, build_catalogue
from in_toto_done_receipt.admission.opa import look, opa_version
from in_toto_done_receipt.admission.sources import ENTRYPOINT, policy_digest
from in_toto_done_receipt.errors import ConfigurationError

OPA_VERSION: Final = "1.22.3"
MODULE: Final = "admission.wasm"
# Without the tests: their packages lie beside the rules, so the entry point would reach them and what they call.
_OPTIONS: Final = ("--target", "wasm", "--entrypoint", ENTRYPOINT, "--ignore", "*_test.rego")
_SECONDS: Final = 300.0


def build(opa: Path, policy: Path, out: Path) -> str:
    """Compile `policy`/done_receipt and write admission.wasm and catalogue.json into `out`; says what was written.

    Raises ConfigurationError with OPA's output, or when it is not the one version that the module is made with.
    """
    version = opa_version(opa)
    if version != OPA_VERSION:
        raise ConfigurationError(f"{opa}: version is {version}, the policy is compiled by {OPA_VERSION}")
    module = _compile(opa, policy)
    inspected = _opa(opa, policy, "inspect", "--annotations", "--format", "json")
    catalogue = build_catalogue(
        inspected, opa=version, policy_digest=policy_digest(policy), module_sha256=hashlib.sha256(module).hexdigest()
    )
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / MODULE).write_bytes(module)
        (out / FILE).write_bytes(catalogue)
    except OSError as error:
        raise ConfigurationError(f"{out}: {error.strerror}") from None
    return f"{out / MODULE}: {len(module)} bytes, sha256 {hashlib.sha256(module).hexdigest()}\n"


def check(opa: Path, policy: Path) -> str:
    """`opa fmt` finds nothing to change and `opa check --strict` nothing to say. Raises ConfigurationError."""
    _opa(opa, policy, "fmt", "--fail", "--list")
    _opa(opa, policy, "check", "--strict")
    return "policy: formatted, no errors\n"


def test(opa: Path, policy: Path) -> str:
    """What `opa test` prints; all tests passed. Raises ConfigurationError."""
    return _opa(opa, policy, "test").decode(errors="replace")


def _compile(opa: Path, policy: Path) -> bytes:
    with tempfile.TemporaryDirectory(prefix="done-receipt-policy-") as scratch:
        bundle = Path(scratch, "bundle.tar.gz")
        _opa(opa, policy, "build", *_OPTIONS, "--output", str(bundle))
        with tarfile.open(fileobj=io.BytesIO(bundle.read_bytes()), mode="r:gz") as archive:
            member = archive.extractfile("/policy.wasm")
            if member is None:
                raise ConfigurationError("opa build: the bundle holds no module")
            return member.read()


def _opa(opa: Path, policy: Path, *arguments: str) -> bytes:
    folder = policy.resolve()
    words = [*arguments, f"{folder.name}/done_receipt"]
    ran = look(opa, words, cwd=folder.parent, seconds=_SECONDS)
    if ran.code != 0:
        raise ConfigurationError(f"opa {arguments[0]}: {ran.text}")
    return ran.stdout
