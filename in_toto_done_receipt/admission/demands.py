"""What must be positively satisfied: the collection's rules, and what the verifier's profile asks for beside them."""

from collections.abc import Mapping
from typing import Any

from in_toto_done_receipt.admission.catalogue import Catalogue
from in_toto_done_receipt.errors import ConfigurationError


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
    if settings.get("agent") is not None:
        wanted.add("agent.model")
    if settings.get("usage") is not None:
        wanted.add("usage.limits")
    codes = [rule.code for rule in catalogue.rules if rule.code in wanted]
    codes += [f"profile.evidence:{item['claim']}/{item['kind']}" for item in settings["evidence"]]
    return tuple(dict.fromkeys(codes))
