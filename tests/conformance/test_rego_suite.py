"""The whole suite of Rego tests, beyond `opa test`: every test evaluated by the embedded engine, and every input of a
test decided by the engines alike.
"""

import base64
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission import embedded, wasm
from in_toto_done_receipt.admission.clock import Clock
from in_toto_done_receipt.admission.custom.archive import read_archive
from in_toto_done_receipt.admission.custom.syntax import package_of, parse
from in_toto_done_receipt.admission.custom.tools import whole_bundle
from in_toto_done_receipt.admission.engines import close_engine, open_engine
from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.errors import EngineError
from in_toto_done_receipt.wire.canonical import canonical
from tests.running_opa import running_opa

pytestmark = pytest.mark.integration
RULES = policy_folder() / "done_receipt"


def patched(document: Any, patches: list[dict[str, Any]]) -> Any:
    """RFC 6902 as the tests use it: the one built-in that they need and no rule has."""
    for patch in patches:
        steps = [step.replace("~1", "/").replace("~0", "~") for step in patch["path"].split("/")[1:]]
        document = _patched(document, steps, patch)
    return document


def _patched(value: Any, steps: list[str], patch: dict[str, Any]) -> Any:
    if not steps:
        return patch["value"]
    made: Any = dict(value) if isinstance(value, dict) else list(value)
    step: Any = steps[0] if isinstance(made, dict) else len(made) if steps[0] == "-" else int(steps[0])
    if len(steps) > 1:
        made[step] = _patched(made[step], steps[1:], patch)
    elif patch["op"] == "remove":
        del made[step]
    elif isinstance(made, list) and patch["op"] == "add":
        made.insert(step, patch["value"])
    else:
        made[step] = patch["value"]
    return made


class TestsInstance(embedded.Instance):
    """The runner of the embedded engine, with json.patch beside it."""

    __test__ = False

    def refuse_builtins(self, asked: dict[str, int]) -> None:
        assert set(asked) <= {"json.patch"}

    def _builtin(self, arity: int) -> Any:
        def call(_number: int, _context: int, *addresses: int) -> int:
            document, patches = (self._get(address & 0xFFFFFFFF) for address in addresses)
            return self._put(json.dumps(patched(document, patches)).encode())

        return self.store.function(arity, call, results=1)


Loaded = tuple[TestsInstance, Clock]


@pytest.fixture(scope="module")
def opa(tool: Callable[[str], Path]) -> Path:
    return tool("opa")


@pytest.fixture(scope="module")
def names(opa: Path) -> list[str]:
    """Every test's rule, as an entry point."""
    texts = {path.relative_to(RULES).as_posix(): path.read_bytes() for path in RULES.rglob("*_test.rego")}
    found = set()
    for module in parse(opa, texts).values():
        package = "/".join(step or "" for step in package_of(module))
        heads = (rule["head"]["ref"][0]["value"] for rule in module["rules"])
        found |= {f"{package}/{name}" for name in heads if name.startswith("test_")}
    return sorted(found)


@pytest.fixture(scope="module")
def loaded(opa: Path, names: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    out = tmp_path_factory.mktemp("suite") / "bundle.tar.gz"
    entries = [word for name in names for word in ("--entrypoint", name)]
    argv = [str(opa), "build", "--target", "wasm", *entries, "--output", str(out), "done_receipt"]
    subprocess.run(argv, cwd=policy_folder(), check=True)
    module = read_archive(out.read_bytes(), what="the tests")["policy.wasm"]
    engine = wasm.Engine(jit=True)
    made = TestsInstance(engine, wasm.Module(engine, module))
    yield made, Clock(engine)
    made.store.close()


def test_the_embedded_engine_passes_every_test(loaded: Loaded, names: list[str]) -> None:
    instance, clock = loaded
    entries = instance.entrypoints()
    assert set(names) <= set(entries)  # beside the entry points that the sources name
    assert len(names) > 150
    failed = [
        name for name in names if instance.evaluate(b"null", clock, 60.0, entry=entries[name]) != [{"result": True}]
    ]
    assert failed == []


CAPTURE = """
violations contains captured if {
	print("INPUT", json.marshal(input))
	captured := input.nowhere.at.all
}
"""


@pytest.fixture(scope="module")
def inputs(opa: Path, tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Every input that some test gives to a rule: a rule that prints its input stands in each package of a copy."""
    folder = tmp_path_factory.mktemp("captured")
    for path in RULES.rglob("*.rego"):
        place = folder / path.relative_to(RULES)
        place.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8")
        is_rule = re.search(r"^violations contains ", text, re.MULTILINE) and not path.name.endswith("_test.rego")
        place.write_text(text + CAPTURE if is_rule else text, encoding="utf-8")
    argv = [str(opa), "test", "--format", "json", str(folder)]
    done = subprocess.run(argv, check=True, capture_output=True)
    printed = [base64.b64decode(result.get("output") or "") for result in json.loads(done.stdout)]
    lines = {line for text in printed for line in text.splitlines() if line.startswith(b"INPUT {")}
    return sorted(line.removeprefix(b"INPUT ") for line in lines)


def decision(value: Any) -> bytes:
    return canonical(
        {key: sorted(part, key=canonical) if isinstance(part, list) else part for key, part in value.items()}
    )


@pytest.mark.loopback
def test_every_input_of_a_test_is_decided_alike(opa: Path, inputs: list[bytes]) -> None:
    assert len(inputs) > 150
    here, differing, stopped = open_engine("embedded"), [], 0
    with running_opa(opa, whole_bundle(policy_folder())) as url:
        there = open_engine(f"opa-server={url}")
        for raw in inputs:
            ours = here.decide(raw, 30.0)
            try:
                theirs = there.decide(raw, 30.0)
            except EngineError:  # strict: a type error ends the evaluation there, here it makes a rule silent
                stopped += 1
                theirs = ours
            if decision(ours) != decision(theirs) or (theirs is ours and ours["allow"]):
                differing.append(raw)
        close_engine(there)
    close_engine(here)
    assert differing == []
    assert stopped < len(inputs) // 20
