"""Policy of the verifier's own as WebAssembly: compiled by an OPA, or brought along; evaluated beside ours.

What its modules say is given to our module as data, `data.done_receipt.custom`, so that the same rules of Rego put the
decision together as when an OPA evaluates the sources. A module sees the policy input and nothing else.
"""

import json
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from in_toto_done_receipt.admission.custom.archive import read_archive
from in_toto_done_receipt.admission.custom.packages import NAME, SAYS, Package, packages_of
from in_toto_done_receipt.admission.custom.policies import CustomPolicy
from in_toto_done_receipt.admission.embedded import Policy, load_policy, one_result
from in_toto_done_receipt.admission.opa import GET_OPA, find_opa, look
from in_toto_done_receipt.admission.sources import policy_folder, rego_files
from in_toto_done_receipt.errors import ConfigurationError, EngineError, EngineUnavailable
from in_toto_done_receipt.wire.escape import escape

_SECONDS: Final = 300.0
_GATHERED: Final = "done_receipt/gathered/said"
_ROOT: Final = ("done_receipt", "custom")
_NEED: Final = "use --engine opa, or rules without it"


def compile_policies(opa: Path, policies: Sequence[CustomPolicy]) -> bytes:
    """One module of all sources, with the part of done_receipt.lib that they use. Raises ConfigurationError.

    The bytes depend on the sources, the order of the policies and the version of OPA only.
    """
    packages = packages_of(opa, policies)
    with tempfile.TemporaryDirectory(prefix="done-receipt-own-") as name:
        scratch = Path(name)
        lib = policy_folder() / "done_receipt" / "lib"
        _write(scratch / "lib", {path.relative_to(lib).as_posix(): path.read_bytes() for path in rego_files(lib)})
        for number, policy in enumerate(policies):
            _write(scratch / "custom" / str(number), policy.sources)
        _write(scratch, {"gathered.rego": gathered(packages).encode()})
        words = ["build", "--target", "wasm", "--entrypoint", _GATHERED, "--output", "bundle.tar.gz"]
        ran = look(opa, [*words, "lib", "custom", "gathered.rego"], cwd=scratch, seconds=_SECONDS)
        if ran.code != 0:
            raise ConfigurationError(f"OPA does not compile the policy: {ran.text}")
        files = read_archive((scratch / "bundle.tar.gz").read_bytes(), what="the compiled policy")
    if "policy.wasm" not in files:
        raise ConfigurationError("opa build: the bundle holds no module")
    return files["policy.wasm"]


def gathered(packages: Iterable[Package]) -> str:
    """Rego that asks every package for what it says, in one object: the input is read once, not once for each rule."""
    categories: dict[str, list[str]] = {}
    for package in packages:
        path = f"data.done_receipt.custom.{package.category}.{package.rule}"
        members = ", ".join(f'"{name}": {path}.{name}' for name in package.says)
        if members:
            categories.setdefault(package.category, []).append(f'"{package.rule}": {{{members}}}')
    said = ", ".join(f'"{category}": {{{", ".join(rules)}}}' for category, rules in categories.items())
    return f"package done_receipt.gathered\n\nsaid := {{{said}}}\n"


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


class CompiledPolicies:
    """All policies of the verifier's own, ready to be evaluated beside ours. Threads may share it."""

    def __init__(self, policies: Sequence[CustomPolicy], *, opa: Path | None = None) -> None:
        sources = [policy for policy in policies if policy.module is None]
        self.digests = tuple(policy.digest for policy in policies)
        if sources and opa is None:
            raise ConfigurationError(
                f"{sources[0].path}: is Rego, and no OPA was named to compile it",
                hint=f"{GET_OPA}, then --opa PATH; or once: done-receipt policy build",
            )
        self._modules: list[CustomModule] = []
        try:
            if sources:
                names = ", ".join(policy.path for policy in sources)
                module = compile_policies(find_opa(opa), sources)
                self._modules.append(CustomModule(module, what=names))
            for policy in policies:
                if policy.module is not None:
                    self._modules.append(CustomModule(policy.module, what=policy.path, roots=policy.roots))
            self._refuse_twice()
        except BaseException:
            self.close()
            raise

    def _refuse_twice(self) -> None:
        owners: dict[str, str] = {}
        for module in self._modules:
            for code in module.codes:
                if (owner := owners.setdefault(code, module.what)) != module.what:
                    raise ConfigurationError(f"{module.what}: package done_receipt.{code} is in {owner} too")

    def documents(self, raw: bytes, due: float) -> bytes:
        """What they say of this policy input, as the data document of our module. Raises EngineError."""
        found: dict[str, dict[str, Any]] = {}
        for module in self._modules:
            for category, rules in module.said(raw, due).items():
                found.setdefault(category, {}).update(rules)
        return json.dumps({"done_receipt": {"custom": found}}).encode()

    def close(self) -> None:
        """Give the memory of idle instances back."""
        for module in self._modules:
            module.close()


class CustomModule:
    """One loaded module of the verifier's own. Threads may share it. Raises ConfigurationError when loading."""

    def __init__(self, module: bytes, *, what: str, roots: tuple[str, ...] = ()) -> None:
        self.what = what
        try:
            self._policy: Policy = load_policy(module, what=what)
        except EngineUnavailable as error:
            raise EngineUnavailable(error.message, hint=error.hint or _NEED) from None
        try:
            self._entries = [(number, _place(path, what)) for path, number in self._policy.entrypoints().items()]
            self.codes = self._codes_of(self._asked(b"{}", time.monotonic() + _SECONDS))
            _refuse_outside(self.codes, roots, what)
        except EngineError as error:
            self.close()
            raise EngineUnavailable(error.message) from None
        except BaseException:
            self.close()
            raise

    def said(self, raw: bytes, due: float) -> dict[str, dict[str, Any]]:
        """`{category: {rule: {violations, warnings}}}` on this policy input. Raises EngineError."""
        found = self._asked(raw, due)
        if missing := sorted(self.codes - self._codes_of(found)):
            raise EngineError(f"{self.what}: package done_receipt.{missing[0]} is missing", code="engine.incomplete")
        return found

    def close(self) -> None:
        """Give the memory of idle instances back."""
        self._policy.close()

    def _asked(self, raw: bytes, due: float) -> dict[str, dict[str, Any]]:
        found: dict[str, Any] = {}
        for number, place in self._entries:
            try:
                value = one_result(self._policy.evaluate(raw, due - time.monotonic(), entry=number))
            except EngineError as error:
                raise EngineError(f"{self.what}: {error.message}", code=error.code) from None
            _merge(found, place, value, self.what)
        return {category: _rules(rules, self.what) for category, rules in found.items()}

    def _codes_of(self, found: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
        return frozenset(
            f"custom.{category}.{rule}" for category, rules in found.items() for rule, said in rules.items() if said
        )


def _refuse_outside(codes: Iterable[str], roots: tuple[str, ...], what: str) -> None:
    """The packages of a module lie in the roots of its bundle, and there is one."""
    places = {code: "done_receipt/" + code.replace(".", "/") + "/" for code in codes}
    if not places:
        raise ConfigurationError(f"{what}: no package says violations or warnings")
    for code, place in places.items():
        if not all(NAME.fullmatch(name) for name in place.split("/")[2:4]) or place.count("/") != 4:
            raise ConfigurationError(f"{what}: package done_receipt.{escape(code)} is not allowed")
        if roots and not any(place.startswith(root.strip("/") + "/") for root in roots):
            raise ConfigurationError(f"{what}: package done_receipt.{code} lies outside the bundle's roots")


def _place(path: str, what: str) -> tuple[str, ...]:
    """Where below done_receipt.custom the value of this entry point belongs."""
    if path == _GATHERED:
        return ()
    steps = tuple(path.split("/"))
    if steps[:2] != _ROOT or len(steps) > 5 or (len(steps) == 5 and steps[4] not in SAYS):
        raise ConfigurationError(
            f"{what}: entry point {escape(path)} is not allowed",
            hint="compile it with `done-receipt policy build`, or name done_receipt/custom/CATEGORY/RULE/violations",
        )
    return steps[2:]


def _merge(found: dict[str, Any], place: tuple[str, ...], value: Any, what: str) -> None:
    """Put the value there; what two entry points both say must be the same."""
    if not place:
        if not isinstance(value, dict):
            raise EngineError(f"{what}: gave something else than packages", code="engine.shape")
        for name, part in value.items():
            _merge(found, (name,), part, what)
    elif len(place) == 1:
        if found.setdefault(place[0], value) != value:
            raise EngineError(f"{what}: two entry points disagree on {escape(place[0])}", code="engine.results")
    else:
        inner = found.setdefault(place[0], {})
        if not isinstance(inner, dict):
            raise EngineError(f"{what}: {escape(place[0])} is no package", code="engine.shape")
        _merge(inner, place[1:], value, what)


def _rules(rules: Any, what: str) -> dict[str, dict[str, Any]]:
    """What counts of each rule's package. A value that the decision would pass over is an error."""
    if not isinstance(rules, dict) or not all(isinstance(rule, dict) for rule in rules.values()):
        raise EngineError(f"{what}: gave something else than packages", code="engine.shape")
    found = {rule: {name: said[name] for name in SAYS if name in said} for rule, said in rules.items()}
    for rule, said in found.items():
        for name, value in said.items():
            if not isinstance(value, list):
                raise EngineError(f"{what}: {name} of {escape(rule)} is not a set", code="engine.shape")
    return found
