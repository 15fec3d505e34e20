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

from in_toto_done_receipt.admission.catalogue import FILE, Rule
from in_toto_done_receipt.admission.metadata import REGO_FILE, catalogue_json, catalogue_rego, rules_of
from in_toto_done_receipt.admission.opa import look, opa_version
from in_toto_done_receipt.admission.sources import ENTRYPOINT, GROUNDS, policy_digest
from in_toto_done_receipt.errors import ConfigurationError

OPA_VERSION: Final = "1.22.3"
MODULE: Final = "admission.wasm"
SCHEMAS: Final = "schemas"  # below the policy folder: what `opa check --schema` gets
# Without the tests: their packages lie beside the rules, so the entry point would reach them and what they call.
_OPTIONS: Final = (
    *("--target", "wasm", "--ignore", "*_test.rego"),
    *("--entrypoint", ENTRYPOINT, "--entrypoint", GROUNDS),
)
_SECONDS: Final = 300.0


def build(opa: Path, policy: Path, out: Path) -> str:
    """Compile `policy`/done_receipt and write admission.wasm and catalogue.json into `out`; says what was written.

    The policy's own file catalogue.rego is written before, where it differs from the METADATA blocks. Raises
    ConfigurationError with OPA's output, or when it is not the one version that the module is made with.
    """
    version = opa_version(opa)
    if version != OPA_VERSION:
        raise ConfigurationError(f"{opa}: version is {version}, the policy is compiled by {OPA_VERSION}")
    rules = _rules(opa, policy)
    own, wanted = policy / "done_receipt" / REGO_FILE, catalogue_rego(rules)
    try:
        if not own.is_file() or own.read_bytes() != wanted:
            own.parent.mkdir(exist_ok=True)
            own.write_bytes(wanted)
        module = _compile(opa, policy)
        digests = {
            "policy_digest": policy_digest(policy),
            "module_sha256": hashlib.sha256(module).hexdigest(),
        }
        catalogue = catalogue_json(rules, opa=version, **digests)
        out.mkdir(parents=True, exist_ok=True)
        (out / MODULE).write_bytes(module)
        (out / FILE).write_bytes(catalogue)
    except OSError as error:
        raise ConfigurationError(f"{error.filename or out}: {error.strerror}") from None
    return f"{out / MODULE}: {len(module)} bytes, sha256 {digests['module_sha256']}\n"


def check(opa: Path, policy: Path) -> str:
    """`opa fmt` finds nothing to change, `opa check --strict` nothing to say, and the METADATA blocks are complete.

    Every reference into the input is held against the schema that lies beside the policy. Raises ConfigurationError.
    """
    _opa(opa, policy, "fmt", "--fail", "--list")
    schemas = policy.resolve() / SCHEMAS
    _opa(opa, policy, "check", "--strict", *(["--schema", str(schemas)] if schemas.is_dir() else []))
    own = policy / "done_receipt" / REGO_FILE
    if not own.is_file() or own.read_bytes() != catalogue_rego(_rules(opa, policy)):
        raise ConfigurationError(f"{own}: is not what the METADATA blocks say", hint="`policy build` writes it")
    return "policy: formatted, no errors\n"


def test(opa: Path, policy: Path) -> str:
    """What `opa test` prints; all tests passed. Raises ConfigurationError."""
    return _opa(opa, policy, "test").decode(errors="replace")


def _rules(opa: Path, policy: Path) -> tuple[Rule, ...]:
    return rules_of(_opa(opa, policy, "inspect", "--annotations", "--format", "json"))


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
