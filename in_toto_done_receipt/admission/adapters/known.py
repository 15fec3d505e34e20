"""What Python knows beside the rules, as Rego: what to do about a violation, and what a section of the profile demands.

Other tools have neither the catalogue nor the code that makes the list of demands.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from in_toto_done_receipt.admission.catalogue import Catalogue
from in_toto_done_receipt.admission.demands import SECTIONS
from in_toto_done_receipt.admission.failures import ENGINE_CODES

FILE: Final = "done_receipt_adapters/known/known.rego"  # below policy/adapters, and in what is made of it
# Codes of the adapters' own -> what to do.
ADAPTER_CODES: Final[Mapping[str, str]] = {
    "adapter.input": "give it the bytes that verify or admit prints with --format policy-input",
    "adapter.demands": "make the policy input and the adapter with one version of done-receipt; edit neither",
    "adapter.denied": "see what `done-receipt admit` says of the same result",
    "adapter.image": "name the image by its digest, name@sha256:…",
    "adapter.provider": "look at the provider's log; without its answer nothing is admitted",
    "adapter.answer": "repair the provider: one policy input for each image that was asked for",
}
_HEAD: Final = """\
# METADATA
# title: What Python knows beside the rules
# description: Made from the catalogue and the code by tools/generate.py; do not edit.
package done_receipt_adapters.known
"""


def known_rego(catalogue: Catalogue) -> bytes:
    """known.rego, as OPA formats it."""
    ours = {rule.code: rule.solution for rule in catalogue.rules}
    others = {"engine.unsatisfied": ENGINE_CODES["engine.unsatisfied"], **ADAPTER_CODES}
    lines = [
        _HEAD,
        "# Code of a violation to what to do about it.",
        *_object("solutions", {code: _text(text) for code, text in (ours | others).items()}),
        "",
        "# Every rule.",
        *_object("rules", dict.fromkeys(ours, "true")),
        "",
        "# Section of the profile to the rules that it demands.",
        *_object("sections", {name: _array(codes) for name, codes in SECTIONS.items()}),
    ]
    return ("\n".join(lines) + "\n").encode()


def _object(name: str, members: Mapping[str, str]) -> Iterator[str]:
    yield f"{name} := {{"
    yield from (f"\t{_text(key)}: {value}," for key, value in members.items())
    yield "}"


def _array(codes: tuple[str, ...]) -> str:
    if len(codes) == 1:
        return f"[{_text(codes[0])}]"
    return "".join(["[\n", *(f"\t\t{_text(code)},\n" for code in codes), "\t]"])


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
