"""What a policy of the verifier's own may well mean and should not say: rules that are silent where they must speak.

Beyond what is refused anyway (admission.custom.packages). Each fault is one line that begins with its place.
"""

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from in_toto_done_receipt.admission.custom.packages import Package
from in_toto_done_receipt.admission.custom.policies import CustomPolicy
from in_toto_done_receipt.admission.custom.syntax import (
    Path_,
    calls,
    dotted,
    line_of,
    nodes,
    package_of,
    parse,
    references,
)
from in_toto_done_receipt.admission.opa import look
from in_toto_done_receipt.errors import ConfigurationError

_NEEDED: Final = ("title", "description")
# Answers that are not the input's: of the network, the machine, chance, the clock, keys. What is verified is verified
# in Python; the time of the decision is input.evaluatedAt.
_FORBIDDEN: Final = re.compile(
    r"http\.|net\.|opa\.runtime$|rego\.|rand\.|uuid\.|time\.now_ns$|trace$|print$|io\.jwt\.|crypto\.|providers\.|graphql\."
)
_MEMBER: Final = ("internal.member_2", "internal.member_3")  # how OPA writes `some … in`
_UNTRUSTED: Final = ("input", "result", "untrusted")


def lint(opa: Path, policy: CustomPolicy, packages: Iterable[Package]) -> list[str]:
    """Every fault of its rules. Raises ConfigurationError when OPA cannot read them."""
    modules = parse(opa, {f"{policy.path}/{name}": data for name, data in policy.sources.items()})
    faults = list(_without_metadata(opa, policy, modules, packages))
    for name, data in policy.sources.items():
        where = f"{policy.path}/{name}"
        faults += _forbidden(modules[where], data, where)
        faults += _silent_when_absent(modules[where], data, where)
        faults += _untrusted(modules[where], data, where)
    return faults


def _without_metadata(
    opa: Path, policy: CustomPolicy, modules: Mapping[str, Any], packages: Iterable[Package]
) -> Iterator[str]:
    """A package that says something says first what it is about."""
    known = _annotated(opa, policy)
    speaking = {package.code for package in packages if package.says}
    places: dict[str, str] = {}
    for where, module in modules.items():
        places.setdefault(dotted(package_of(module)).removeprefix("done_receipt."), where)
    for code, where in places.items():
        missing = [name for name in _NEEDED if not known.get(f"data.done_receipt.{code}", {}).get(name)]
        if code in speaking and missing:
            yield f"{where}: METADATA of the package lacks {' and '.join(missing)}"


def _annotated(opa: Path, policy: CustomPolicy) -> dict[str, Mapping[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="done-receipt-rego-") as name:
        for number, data in enumerate(policy.sources.values()):
            Path(name, f"{number}.rego").write_bytes(data)
        ran = look(opa, ["inspect", "--annotations", "--format", "json", "."], cwd=Path(name))
    if ran.code != 0:
        raise ConfigurationError(f"{policy.path}: OPA cannot read it: {ran.text}")
    found: dict[str, Mapping[str, Any]] = {}
    for entry in json.loads(ran.stdout).get("annotations", ()):
        if entry["annotations"].get("scope") == "package":
            found[".".join(str(step["value"]) for step in entry["path"])] = entry["annotations"]
    return found


def _forbidden(module: Mapping[str, Any], data: bytes, where: str) -> Iterator[str]:
    for name, arguments in calls(module):
        if _FORBIDDEN.match(name):
            yield f"{where}{line_of(data, tuple(name.split('.')))}: calls {name}, whose answer is not the input's"
        if name == "walk" and len(arguments) == 1:
            yield f"{where}{line_of(data, (name,))}: calls walk with one argument; write walk(x, [path, value])"


def _silent_when_absent(module: Mapping[str, Any], data: bytes, where: str) -> Iterator[str]:
    """`!=` on the input is undefined, and so says nothing, when the member is not there."""
    aliases = _aliases(module)
    seen: set[Path_] = set()

    def full_names(terms: Any) -> Iterator[tuple[Path_, Path_]]:
        for steps in references(terms, "input", *aliases):
            yield steps, (*aliases.get(steps[0] or "", steps[:1]), *steps[1:])

    present = {full for negated in _negated(module) for _, full in full_names(negated)}
    for name, arguments in calls(module):
        if name != "neq":
            continue
        for steps, full in full_names(arguments):
            if len(full) > 1 and full not in present and full not in seen:
                seen.add(full)
                fact = f"{dotted(full)} is compared with !=, which is silent when it is absent"
                yield f"{where}{line_of(data, steps)}: {fact}; write `not … ==`"


def _aliases(module: Mapping[str, Any]) -> dict[str, Path_]:
    """Names that stand for a part of the input: by import, by `x := input.…`, by `some x in input.…`."""
    found: dict[str, Path_] = {}
    for imported in module.get("imports", ()):
        for steps in references(imported["path"], "input"):
            found[imported.get("alias") or steps[-1] or ""] = steps
    for name, arguments in calls(module.get("rules", ())):
        if name in ("assign", "eq", *_MEMBER) and len(arguments) > 1 and arguments[-2].get("type") == "var":
            for steps in _input_reference(arguments[-1]):
                found[arguments[-2]["value"]] = (*steps, None) if name in _MEMBER else steps
    return found


def _input_reference(term: Mapping[str, Any]) -> Iterator[Path_]:
    if term.get("type") == "ref" and term["value"][0].get("value") == "input":
        yield next(iter(references(term, "input")))


def _negated(module: Mapping[str, Any]) -> Iterator[Any]:
    return (node.get("terms") for node in nodes(module.get("rules", ())) if node.get("negated") is True)


def _untrusted(module: Mapping[str, Any], data: bytes, where: str) -> Iterator[str]:
    for steps in references(module, "input"):
        if steps[:3] == _UNTRUSTED:
            yield f"{where}{line_of(data, steps)}: reads {dotted(steps)}, which is what the agent says and never there"
