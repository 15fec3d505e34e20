"""The list of rules and collections, made from the METADATA blocks of the policy and kept beside the compiled module.

So Python knows what a collection demands, and what to do about a violation, without an OPA.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec

from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.errors import ConfigurationError, EngineUnavailable

FILE: Final = "catalogue.json"
RULES_PACKAGE: Final = ("data", "done_receipt", "rules")
COLLECTIONS: Final = ("minimal",)
_CUSTOM_KEYS: Final = frozenset(
    {"short_name", "order", "severity", "failure_msg", "solution", "collections", "depends_on"}
)


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule; the names are those of its METADATA block. `depends_on` are codes that are judged before it."""

    code: str
    title: str
    description: str
    short_name: str
    failure_msg: str
    solution: str
    collections: tuple[str, ...]
    depends_on: tuple[str, ...]
    severity: str


class Catalogue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All rules in pipeline order, what each collection demands, and what the compiled module was made of."""

    opa: str
    policy_digest: str
    module_sha256: str
    collections: dict[str, tuple[str, ...]]
    rules: tuple[Rule, ...]

    def rule(self, code: str) -> Rule | None:
        """The rule with this code; what follows a colon (a term) is not looked at."""
        name = code.partition(":")[0]
        return next((rule for rule in self.rules if rule.code == name), None)


def load_catalogue(folder: Path | None = None) -> Catalogue:
    """The catalogue that is installed. Raises EngineUnavailable when it is missing or not one."""
    path = (folder or policy_folder()) / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Catalogue)
    except OSError as error:
        raise EngineUnavailable(f"{path}: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise EngineUnavailable(f"{path}: is not a catalogue: {error}") from None


def build_catalogue(inspect_json: bytes, *, opa: str, policy_digest: str, module_sha256: str) -> bytes:
    """The catalogue from what `opa inspect -a -f json policy/done_receipt` prints.

    Raises ConfigurationError naming the rule whose METADATA block is missing, incomplete, or does not fit.
    """
    tree = msgspec.json.decode(inspect_json)
    packages = set(map(_rule_package, tree.get("namespaces", {}))) - {None}
    found: dict[str, tuple[int, Rule]] = {}
    for entry in tree.get("annotations", []):
        annotations = entry["annotations"]
        if annotations["scope"] == "package" and (package := _package_of(entry)) in packages:
            found[".".join(package)] = _rule(package, annotations)
    if missing := sorted(".".join(package) for package in packages if package and ".".join(package) not in found):
        raise ConfigurationError(f"policy: no METADATA block: {', '.join(missing)}")
    rules = _in_order(found.values())
    collections = {name: tuple(rule.code for rule in rules if name in rule.collections) for name in COLLECTIONS}
    made = Catalogue(
        opa=opa, policy_digest=policy_digest, module_sha256=module_sha256, collections=collections, rules=rules
    )
    return msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n"


def _rule_package(name: str) -> tuple[str, str] | None:
    parts = tuple(name.split("."))
    if parts[:3] != RULES_PACKAGE or parts[-1].endswith("_test"):
        return None
    if len(parts) != 5:
        raise ConfigurationError(f"policy: {name}: rules are packages done_receipt.rules.CATEGORY.RULE")
    return parts[3], parts[4]


def _package_of(entry: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(step["value"]) for step in entry["path"][3:])


def _rule(package: tuple[str, ...], annotations: dict[str, Any]) -> tuple[int, Rule]:
    code = ".".join(package)
    custom = annotations.get("custom", {})
    if set(custom) != _CUSTOM_KEYS:
        wrong = ", ".join(sorted(set(custom) ^ _CUSTOM_KEYS))
        raise ConfigurationError(f"policy: {code}: METADATA custom keys missing or unknown: {wrong}")
    if custom["short_name"] != package[-1]:
        raise ConfigurationError(f"policy: {code}: METADATA short_name is {custom['short_name']}")
    if unknown := sorted(set(custom["collections"]) - set(COLLECTIONS)):
        raise ConfigurationError(f"policy: {code}: METADATA names unknown collections: {', '.join(unknown)}")
    texts = {"title": annotations.get("title", ""), "description": annotations.get("description", "")}
    texts |= {key: custom[key] for key in ("short_name", "failure_msg", "solution", "severity")}
    values = {key: " ".join(str(text).split()) for key, text in texts.items()}
    if empty := sorted(key for key, text in values.items() if not text):
        raise ConfigurationError(f"policy: {code}: METADATA is empty: {', '.join(empty)}")
    rule = Rule(code=code, collections=tuple(custom["collections"]), depends_on=tuple(custom["depends_on"]), **values)
    return int(custom["order"]), rule


def _in_order(found: Iterable[tuple[int, Rule]]) -> tuple[Rule, ...]:
    placed = sorted(found, key=lambda pair: pair[0])
    if len({order for order, _ in placed}) != len(placed):
        raise ConfigurationError("policy: two rules have the same METADATA order")
    rules = tuple(rule for _, rule in placed)
    before: set[str] = set()
    for rule in rules:
        if missing := sorted(set(rule.depends_on) - before):
            raise ConfigurationError(f"policy: {rule.code}: depends_on names no earlier rule: {', '.join(missing)}")
        before.add(rule.code)
    return rules
