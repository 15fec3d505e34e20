"""What must be positively satisfied: the collection's rules, and what the verifier's profile asks for beside them."""

from collections.abc import Mapping
from typing import Any, Final

from in_toto_done_receipt.admission.catalogue import Catalogue
from in_toto_done_receipt.errors import ConfigurationError

# Section of the profile -> what it demands. Where the policy has no such rule yet, nothing satisfies it: a denial.
_SECTIONS: Final = (
    ("agent", ("agent.model",)),
    ("usage", ("usage.limits",)),
    ("contract", ("contract.coverage",)),
    ("tests", ("tests.inventory", "tests.canary")),
    ("change", ("change.scope",)),
    ("source", ("freshness.source",)),
)


def demanded(catalogue: Catalogue, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The demanded codes in pipeline order, `profile.evidence:<claim>/<kind>` for each [[evidence]] last.

    `settings` is the `profile` member of the policy input. Raises ConfigurationError for a collection that there is
    not.
    """
    name = settings["collection"]
    if name not in catalogue.collections:
        raise ConfigurationError(
            f"collection {name} is not available in this version",
            hint=f"available: {', '.join(sorted(catalogue.collections))}",
        )
    wanted = set(catalogue.collections[name])
    if settings["unsigned"] is True:
        wanted.discard("signature.trusted")
    for section, asked in _SECTIONS:
        if settings.get(section) is not None:
            wanted.update(asked)
    codes = [rule.code for rule in catalogue.rules if rule.code in wanted]
    codes += sorted(wanted - set(codes))
    codes += [f"profile.evidence:{item['claim']}/{item['kind']}" for item in settings["evidence"]]
    return tuple(dict.fromkeys(codes))
