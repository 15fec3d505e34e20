"""What policy of the verifier's own may be: packages done_receipt.custom.CATEGORY.RULE that look at the input, at each
other and at done_receipt.lib, and say `violations` and `warnings`.

Nothing else is taken: not another package, not one that two policies hold, not a reference to our rules or decision,
not `violations` in a form that the decision would silently pass over. Raises ConfigurationError with the place.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from in_toto_done_receipt.admission.custom.policies import CustomPolicy
from in_toto_done_receipt.admission.custom.syntax import Path_, dotted, line_of, package_of, parse, references
from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.wire.value import Value

SAYS: Final = ("violations", "warnings")
_ROOT: Final = ("done_receipt", "custom")
_ALLOWED: Final = (_ROOT, ("done_receipt", "lib"))
NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,99}")
_PLACE: Final = "policy of your own is in packages done_receipt.custom.CATEGORY.RULE"


class Package(Value, kw_only=True):
    """One package: its category and rule, where it was found, and which of SAYS it defines (none: only helpers)."""

    category: str
    rule: str
    says: tuple[str, ...]
    where: str

    @property
    def code(self) -> str:
        """The code of what it says."""
        return f"custom.{self.category}.{self.rule}"


def packages_of(opa: Path, policies: Iterable[CustomPolicy]) -> tuple[Package, ...]:
    """Every package of the sources, checked; sorted by code."""
    found: dict[str, Package] = {}
    owners: dict[str, str] = {}
    for policy in policies:
        modules = parse(opa, {f"{policy.path}/{name}": data for name, data in policy.sources.items()})
        mine = checked(policy, modules)
        if not any(package.says for package in mine):
            raise ConfigurationError(f"{policy.path}: no package says violations or warnings")
        for package in mine:
            if (owner := owners.setdefault(package.code, policy.path)) != policy.path:
                raise ConfigurationError(f"{policy.path}: package {_package(package)} is in {owner} too")
            known = found.get(package.code)
            says = tuple(name for name in SAYS if name in package.says or (known and name in known.says))
            found[package.code] = Package(
                category=package.category, rule=package.rule, says=says, where=known.where if known else package.where
            )
    return tuple(found[code] for code in sorted(found))


def checked(policy: CustomPolicy, modules: Mapping[str, dict[str, Any]]) -> list[Package]:
    """One entry for each module of this policy, in order."""
    found = []
    for name, data in policy.sources.items():
        where = f"{policy.path}/{name}"
        module = modules[where]
        steps = package_of(module)
        category, rule = _checked_package(steps, policy.roots, where)
        _refuse_references(module, data, where)
        says = tuple(name for name in SAYS if _says(module, name, where))
        found.append(Package(category=category, rule=rule, says=says, where=where))
    return found


def _checked_package(steps: Path_, roots: tuple[str, ...], where: str) -> tuple[str, str]:
    shown = f"{where}: package {dotted(steps)}"
    if len(steps) != 4 or steps[:2] != _ROOT:
        raise ConfigurationError(f"{shown} is not allowed", hint=_PLACE)
    category, rule = (step or "" for step in steps[2:])
    for name in (category, rule):
        if not NAME.fullmatch(name):
            raise ConfigurationError(
                f"{shown}: {name!a} is not a name of lower case letters, digits and _", hint=_PLACE
            )
    place = "/".join((*_ROOT, category, rule)) + "/"
    if roots and not any(place.startswith(root.strip("/") + "/") for root in roots):
        raise ConfigurationError(f"{shown} lies outside the bundle's roots {', '.join(roots)}")
    return category, rule


def _refuse_references(module: Mapping[str, Any], data: bytes, where: str) -> None:
    body = {name: part for name, part in module.items() if name in ("imports", "rules")}
    for steps in references(body, "data"):
        if not any(steps[1 : len(allowed) + 1] == allowed for allowed in _ALLOWED):
            raise ConfigurationError(
                f"{where}{line_of(data, steps)}: refers to {dotted(steps)}",
                hint="policy of your own sees input, done_receipt.lib and done_receipt.custom",
            )


def _says(module: Mapping[str, Any], name: str, where: str) -> bool:
    """Whether the module defines `name`, and as a set: `name contains …`. Anything else could be passed over."""
    heads = [head for rule in module.get("rules", ()) for head in _heads(rule) if _defines(head, name)]
    for head in heads:
        if "key" not in head or "value" in head or "args" in head or len(head["ref"]) != 1:
            raise ConfigurationError(
                f"{where}: {name} is not a set of objects", hint=f"write `{name} contains {{…}} if {{…}}`"
            )
    return bool(heads)


def _heads(rule: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [rule["head"], *(_heads(rule["else"]) if "else" in rule else ())]


def _defines(head: Mapping[str, Any], name: str) -> bool:
    return bool(head["ref"][0]["value"] == name)


def _package(package: Package) -> str:
    return ".".join((*_ROOT, package.category, package.rule))
