"""witness: its contract, on OPA. witness and go-witness cannot be had as modules, so what they do is done here:

every module is read as Rego of before v1, and one query asks for the `deny` of every package at once, each on a line of
its own (go-witness, policy/rego.go). No result is a pass there, whatever single packages have to say.
"""

import base64
import json
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.integration.adapters.deciding import Decided

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("adapters")]

Witness = Callable[..., list[str]]


@pytest.fixture(scope="module")
def modules(adapter: Callable[..., Path]) -> dict[str, str]:
    """Name -> module, as they stand in a policy of witness."""
    policies = json.loads((adapter("witness") / "regopolicies.json").read_bytes())
    return {policy["name"]: base64.b64decode(policy["module"]).decode() for policy in policies}


@pytest.fixture(scope="module")
def witness(tool: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Witness:
    """What go-witness takes for the reasons to deny; none is a pass."""

    def ask(modules: Mapping[str, str], document: Any) -> list[str]:
        folder = tmp_path_factory.mktemp("modules")
        argv = [str(tool("opa")), "eval", "--v0-compatible", "--format", "json", "--stdin-input"]
        for number, text in enumerate(modules.values()):
            (folder / f"{number}.rego").write_text(text)
            argv += ["--data", str(folder / f"{number}.rego")]
        packages = {re.search(r"^package (\S+)$", text, re.MULTILINE)[1] for text in modules.values()}  # type: ignore[index]
        query = "\n".join(f"data.{package}.deny" for package in sorted(packages))
        done = subprocess.run(
            [*argv, query], input=json.dumps(document), capture_output=True, text=True, check=True, timeout=60
        )
        reasons: list[str] = []
        for result in json.loads(done.stdout).get("result", ()):
            for expression in result["expressions"]:
                assert isinstance(expression["value"], list)  # anything else is an error there
                reasons += expression["value"]
        assert all(isinstance(reason, str) for reason in reasons)
        return reasons

    return ask


def run_of(document: Any) -> dict[str, Any]:
    """The attestation of a command that printed this."""
    return {"cmd": ["done-receipt", "verify"], "exitcode": 0, "stdout": json.dumps(document), "stderr": ""}


def test_it_decides_as_admit_does(witness: Witness, modules: dict[str, str], decided: list[Decided]) -> None:
    for case in decided[::6]:
        reasons = witness(modules, run_of(case.document))
        assert {re.split(r"[:\[]", reason)[0] for reason in reasons} == case.codes, case.name


def test_both_forms_of_an_attestation_are_read(
    witness: Witness, modules: dict[str, str], decided: list[Decided]
) -> None:
    admitted = next(case for case in decided if case.allow)
    assert witness(modules, admitted.document) == witness(modules, run_of(admitted.document)) == []


@pytest.mark.parametrize("other", [None, {}, [], {"stdout": ""}, {"stdout": "{}"}, {"stdout": 1}, {"exitcode": 0}])
def test_anything_else_is_denied(witness: Witness, modules: dict[str, str], other: Any) -> None:
    (reason,) = witness(modules, other)
    assert reason.startswith("adapter.input: ")


def test_every_package_has_a_deny_so_that_none_hides_another(
    witness: Witness, modules: dict[str, str], decided: list[Decided]
) -> None:
    """Asked for one by one, each is a list; without its set, one library would let everything pass."""
    denied = next(case for case in decided if not case.allow)
    assert witness(modules, run_of(denied.document)) != []
    name = "done_receipt/lib/lib.rego"
    without = modules | {name: re.sub(r"^deny contains .*$", "", modules[name], flags=re.MULTILINE)}
    assert witness(without, run_of(denied.document)) == []


def test_the_limit_a_package_of_somebody_elses_without_a_deny_lets_everything_pass(
    witness: Witness, modules: dict[str, str], decided: list[Decided]
) -> None:
    """It cannot be noticed from inside; the page says so."""
    denied = next(case for case in decided if not case.allow)
    misspelt = modules | {"theirs": 'package theirs\nimport rego.v1\ndney contains "x" if input.y\n'}
    assert witness(misspelt, run_of(denied.document)) == []


@pytest.mark.parametrize("missing", ["done_receipt_witness.rego", "done_receipt/admission/admission.rego"])
def test_without_a_module_nothing_is_admitted(
    witness: Witness, modules: dict[str, str], decided: list[Decided], missing: str
) -> None:
    """All but the entry itself, of which nothing is left to deny; then witness asks libraries, which the page says."""
    admitted = next(case for case in decided if case.allow)
    less = {name: text for name, text in modules.items() if name != missing}
    if missing == "done_receipt_witness.rego":
        assert witness(less, run_of(admitted.document)) == []
        return
    assert witness(less, run_of(admitted.document)) != []
