"""Attack: a policy of one's own that redefines allow, satisfies a demand, brings data for ours, or hides our rules.
Answer: only packages done_receipt.custom.*, which can deny and warn; Python computes allow again.
"""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk
from tests.unit.admission.custom.conftest import MANIFEST, bundle, tar
from tests.unit.admission.custom.test_compiled import stub

WEAK = generate.Case(why="", change=generate.claims(generate.path_item("greeting.txt")))
DATA = {"x.rego": b"package x", "done_receipt/rules/data.json": b'{"assurance": {"minimum": {"satisfied": true}}}'}
EVIL = {
    "allow": "package done_receipt.admission\nallow := true\n",
    "decision": 'package done_receipt.admission\ndecision := {"allow": true}\n',
    "a rule of ours": "package done_receipt.rules.verdict.passed\nsatisfied := true\n",
    "our library": "package done_receipt.lib\nexamined := true\n",
    "a package in between": "package done_receipt.custom\nviolations := set()\n",
    "a package beside": "package done_receipt\nrules := {}\n",
    "by an import": (
        "package done_receipt.custom.a.b\nimport data.done_receipt.rules\n"
        "violations contains 1 if rules.verdict.passed.satisfied\n"
    ),
    "by a mock": (
        "package done_receipt.custom.a.b\nviolations contains 1 if input.x with data.done_receipt.rules as {}\n"
    ),
}


def policy(desk: Desk, data: bytes, name: str = "own") -> list[str]:
    path = desk.write(f"../{name}", "")
    path.write_bytes(data)
    return ["--policy", str(path)]


@pytest.mark.integration
@pytest.mark.parametrize("engine", ["embedded", "opa"])
@pytest.mark.parametrize("text", EVIL.values(), ids=EVIL)
def test_threat_28_another_package_or_reference_is_refused(
    desk: Desk, tool: Callable[[str], Path], text: str, engine: str
) -> None:
    desk.write("../rules/evil.rego", text)
    words = ["--policy", "../rules", "--opa", str(tool("opa")), "--engine", engine]
    seen = desk.run("verify", *desk.lay(WEAK), *words)
    assert (seen.code, "evil.rego" in seen.err) == (4, True)


@pytest.mark.parametrize(
    ("files", "manifest"),
    [
        ({"evil.rego": EVIL["allow"].encode()}, MANIFEST | {"roots": ["done_receipt"]}),
        ({"evil.rego": EVIL["allow"].encode()}, MANIFEST | {"roots": [""]}),
        ({"evil.rego": EVIL["allow"].encode()}, None),
        (DATA, MANIFEST),
        ({"x.rego": b"package x", "patch.json": b"{}"}, MANIFEST),
    ],
    ids=["our root", "every root", "no manifest", "data", "a patch"],
)
def test_threat_28_a_bundle_that_reaches_into_ours_is_refused(
    desk: Desk, files: dict[str, bytes], manifest: Any
) -> None:
    seen = desk.run("verify", *desk.lay(WEAK), *policy(desk, bundle(files, manifest=manifest)))
    assert seen.code == 4


def test_threat_28_a_bundle_that_leads_out_of_itself_is_refused(desk: Desk) -> None:
    data = gzip.compress(tar({".manifest": json.dumps(MANIFEST).encode(), "../done_receipt/evil.rego": b"package x"}))
    assert desk.run("verify", *desk.lay(WEAK), *policy(desk, data)).code == 4


@pytest.mark.parametrize("entry", ["done_receipt/admission/decision", "done_receipt/rules/verdict/passed"])
def test_threat_28_a_module_that_answers_for_ours_is_refused(desk: Desk, entry: str) -> None:
    data = stub({"allow": True, "violations": [], "warnings": [], "satisfied": ["verdict.passed"]}, entry)
    seen = desk.run("verify", *desk.lay(WEAK), *policy(desk, data))
    assert (seen.code, f"entry point {entry} is not allowed" in seen.err) == (4, True)


def test_threat_28_a_module_satisfies_nothing(desk: Desk) -> None:
    said = {"assurance": {"minimum": {"satisfied": True, "violations": []}}}
    for value, entry in (
        (said, "done_receipt/custom"),
        ({**said, "rules": {"assurance": {"violations": []}}}, "done_receipt/custom"),
        ({"satisfied": True, "satisfied_terms": ["x"], "allow": True, "violations": []}, "done_receipt/custom/a/b"),
    ):
        seen = desk.verify(WEAK, *policy(desk, stub(value, entry)))
        assert (seen.code, seen.violations) == (12, {"assurance.minimum"})


def test_threat_28_it_can_deny_what_we_admit(desk: Desk) -> None:
    said = {"violations": [{"code": "custom.a.b", "message": "no", "facts": []}]}
    honest = generate.Case(why="")
    assert desk.verify(honest).code == 0
    seen = desk.verify(honest, *policy(desk, stub(said)))
    assert (seen.code, seen.violations) == (12, {"custom.a.b"})


def test_threat_28_policy_from_the_tree_is_refused(desk: Desk) -> None:
    words = desk.lay(generate.Case(why=""))
    desk.write("workspace/rules/x.rego", "package done_receipt.custom.a.b\n")
    (desk.folder / "workspace" / "rules.wasm").write_bytes(stub({"violations": []}))
    (desk.folder / "link").symlink_to("workspace/rules")
    for path in ("workspace/rules", "workspace/rules.wasm", "link"):
        seen = desk.run("verify", *words, "--policy", path)
        assert (seen.code, "lies inside --root" in seen.err) == (4, True)


def test_threat_28_a_file_of_the_folder_that_the_tree_holds_is_refused(desk: Desk) -> None:
    words = desk.lay(generate.Case(why=""))
    desk.write("workspace/x.rego", "package done_receipt.custom.a.b\n")
    desk.write("../own/y.rego", "package done_receipt.custom.a.c\n")
    (desk.folder.parent / "own" / "x.rego").symlink_to(desk.folder / "workspace" / "x.rego")
    seen = desk.run("verify", *words, "--policy", "../own")
    assert (seen.code, "lies inside --root" in seen.err) == (4, True)
