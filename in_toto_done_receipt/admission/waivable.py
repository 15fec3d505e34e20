"""Whether the exceptions of a profile name rules that there are."""

from collections.abc import Sequence

from in_toto_done_receipt.admission.catalogue import Catalogue
from in_toto_done_receipt.errors import ProfileError
from in_toto_done_receipt.wire.config import nearest
from in_toto_done_receipt.wire.escape import escape


def check_exceptions(catalogue: Catalogue, codes: Sequence[str]) -> None:
    """Raise ProfileError for the first of these codes of exceptions that is no rule's, naming its place."""
    known = [rule.code for rule in catalogue.rules]
    for position, code in enumerate(codes):
        if code not in known:
            raise ProfileError(
                f"exception[{position}].code: {escape(code)} is no rule's code", hint=nearest(code, known)
            )
