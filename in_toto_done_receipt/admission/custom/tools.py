"""What `policy build`, `check`, `test` and `bundle` do with policy of the verifier's own, and with ours beside it."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from in_toto_done_receipt.admission.custom.bundle import bundle
from in_toto_done_receipt.admission.custom.compiled import CustomModule, compile_policies
from in_toto_done_receipt.admission.custom.lint import lint
from in_toto_done_receipt.admission.custom.manifest import OWN_ROOT
from in_toto_done_receipt.admission.custom.packages import packages_of
from in_toto_done_receipt.admission.custom.policies import CustomPolicy, refuse_modules
from in_toto_done_receipt.admission.opa import look, offline_capabilities
from in_toto_done_receipt.admission.sources import lines_digest, policy_digest, rego_files
from in_toto_done_receipt.errors import EngineUnavailable

OUR_ROOT: Final = "done_receipt"
_SECONDS: Final = 300.0
_THEIRS: Final = r"^data\.done_receipt\.custom\."  # names of tests
_SCHEMAS: Final = "schemas"  # below the policy folder: the policy input, as OPA's type checker reads it


def build(opa: Path, policies: Sequence[CustomPolicy]) -> bytes:
    """One module of all of them. Raises ConfigurationError, also for one that would not run embedded."""
    refuse_modules(policies, "there is nothing to build")
    module = compile_policies(opa, policies)
    CustomModule(module, what=", ".join(policy.path for policy in policies)).close()
    return module


def check(opa: Path, folder: Path, policies: Sequence[CustomPolicy]) -> tuple[list[str], list[str]]:
    """What is wrong with them, each with its place, and what there is to say about them when nothing is."""
    refuse_modules(policies, "there is no source to check")
    packages = packages_of(opa, policies)
    faults = [fault for policy in policies for fault in lint(opa, policy, packages)]
    if said := _type_checked(opa, folder, policies):
        faults.append(said)
    notes = [f"{policy.path}: sha256 {policy.digest}" for policy in policies]
    notes += [f"done_receipt.{package.code}: says {' and '.join(package.says) or 'nothing'}" for package in packages]
    if not faults:
        notes.append(_runs_embedded(opa, policies))
    return faults, notes


def test(opa: Path, folder: Path, policies: Sequence[CustomPolicy]) -> tuple[bool, str]:
    """Whether all their tests passed, which may ask ours for its decision, and what `opa test` prints.

    Ours are about the decision without theirs, and are run by `policy test` alone.
    """
    refuse_modules(policies, "there are no tests to run")
    packages_of(opa, policies)
    with _laid_out(folder, policies, tests=True) as place:
        ran = look(opa, ["test", "--run", _THEIRS, "."], cwd=place, seconds=_SECONDS)
    return ran.code == 0, _named(ran.text, policies) + "\n"


def whole_bundle(folder: Path, policies: Sequence[CustomPolicy] = ()) -> bytes:
    """Ours with theirs, for a server; its revision is the digest that `--engine opa-server` wants to see."""
    digest = policy_digest(folder, [policy.digest for policy in policies])
    return bundle(_together(folder, policies), revision=digest, roots=(OUR_ROOT,))


def own_bundle(policies: Sequence[CustomPolicy], *, revision: str | None = None) -> bytes:
    """Theirs alone, for `--policy`. The revision is the digest of the sources unless there is a better word."""
    files = _own(policies)
    return bundle(files, revision=revision or lines_digest(files), roots=(OWN_ROOT,))


def _together(folder: Path, policies: Sequence[CustomPolicy], *, tests: bool = False) -> dict[str, bytes]:
    rules = folder / "done_receipt"
    paths = rules.rglob("*.rego") if tests else rego_files(rules)
    files = {f"done_receipt/{path.relative_to(rules).as_posix()}": path.read_bytes() for path in paths}
    for number, policy in enumerate(policies):
        theirs = {**policy.sources, **policy.tests} if tests else policy.sources
        files |= {f"{_place(number)}{name}": data for name, data in theirs.items()}
    return files


def _own(policies: Sequence[CustomPolicy]) -> dict[str, bytes]:
    """The files under their own names when there is one policy, else below its number."""
    if len(policies) == 1:
        return dict(policies[0].sources)
    return {f"{number}/{name}": data for number, policy in enumerate(policies) for name, data in policy.sources.items()}


def _place(number: int) -> str:
    return f"own/{number}/"


def _named(text: str, policies: Sequence[CustomPolicy]) -> str:
    """What OPA printed, with the paths that the verifier knows."""
    for number, policy in enumerate(policies):
        text = text.replace(_place(number), f"{policy.path}/")
    return text


@contextmanager
def _laid_out(folder: Path, policies: Sequence[CustomPolicy], *, tests: bool) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="done-receipt-policy-") as name:
        for path, data in _together(folder, policies, tests=tests).items():
            (Path(name) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(name) / path).write_bytes(data)
        yield Path(name)


def _type_checked(opa: Path, folder: Path, policies: Sequence[CustomPolicy]) -> str | None:
    """What `opa check --strict` says, with the input's schema and without network and chance; None for nothing."""
    schemas = folder.resolve() / _SCHEMAS
    with _laid_out(folder, policies, tests=False) as place:
        (place / "capabilities.json").write_bytes(offline_capabilities(opa))
        words = ["check", "--strict", "--capabilities", "capabilities.json"]
        words += ["--schema", str(schemas)] if schemas.is_dir() else []
        ran = look(opa, [*words, "done_receipt", "own"], cwd=place, seconds=_SECONDS)
    return _named(ran.text, policies) if ran.code != 0 else None


def _runs_embedded(opa: Path, policies: Sequence[CustomPolicy]) -> str:
    try:
        build(opa, policies)
    except EngineUnavailable as error:
        return f"needs --engine opa: {error.message}"
    return "runs embedded"
