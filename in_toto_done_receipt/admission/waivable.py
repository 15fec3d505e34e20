"""Whether the exceptions of a profile name rules that there are."""

from collections.abc import Mapping
from typing import Any

from in_toto_done_receipt.admission.catalogue import Catalogue
from in_toto_done_receipt.errors import ProfileError
from in_toto_done_receipt.wire.config import nearest


def check_exceptions(catalogue: Catalogue, settings: Mapping[str, Any]) -> None:
    """Raise ProfileError for an exception whose code is no rule's. `settings` is the `profile` of the policy input."""
    codes = [rule.code for rule in catalogue.rules]
    for exception in settings["exceptions"]:
        if (code := exception["code"]) not in codes:
            raise ProfileError(f"exception: {code} is no rule's code", hint=nearest(code, codes))
