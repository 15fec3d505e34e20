"""What the verifier's own packages may be; OPA's parser reads them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.admission.custom.packages import packages_of
from in_toto_done_receipt.admission.custom.policies import CustomPolicy, read_policies
from in_toto_done_receipt.errors import ConfigurationError
from tests.unit.admission.custom.conftest import MANIFEST, bundle

pytestmark = pytest.mark.integration
SAYS = 'violations contains {"code": "custom.a.b", "message": "m", "facts": []} if input.x\n'
Write = Callable[..., CustomPolicy]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def made(*texts: str, name: str = "own") -> CustomPolicy:
        (tmp_path / name).mkdir()
        for number, text in enumerate(texts):
            (tmp_path / name / f"{number}.rego").write_text(text)
        (policy,) = read_policies([str(tmp_path / name)])
        return policy

    return made


def refused(opa: Path, policy: CustomPolicy, match: str) -> ConfigurationError:
    with pytest.raises(ConfigurationError, match=match) as caught:
        packages_of(opa, [policy])
    return caught.value


def test_packages_and_what_they_say(opa: Path, write: Write) -> None:
    policy = write(
        f"package done_receipt.custom.a.b\n{SAYS}",
        "package done_receipt.custom.a.b\nwarnings contains x if x := input.y\n",
        "package done_receipt.custom.a.helpers\nf(x) := x\n",
    )
    found = packages_of(opa, [policy])
    assert [(package.code, package.says) for package in found] == [
        ("custom.a.b", ("violations", "warnings")),
        ("custom.a.helpers", ()),
    ]


@pytest.mark.parametrize(
    "package",
    [
        "done_receipt.admission",
        "done_receipt.rules.verdict.passed",
        "done_receipt.lib",
        "done_receipt.custom",
        "done_receipt.custom.team",
        "done_receipt.custom.team.a.b",
        "done_receipt.customs.team.a",
        "done_receipt.gathered",
        "other",
        "system",
        'done_receipt.custom.team["a b"]',
        "done_receipt.custom.Team.a",
        'done_receipt.custom["a.b"].c',
    ],
)
def test_another_package_is_refused_with_its_place(opa: Path, write: Write, package: str) -> None:
    refused(opa, write(f"package {package}\n{SAYS}"), r"own/0\.rego: package .* is not")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("data.done_receipt.rules.verdict.passed.satisfied", r"data\.done_receipt\.rules\.verdict\.passed\.satisfied"),
        ("data.done_receipt.admission.allow", r"data\.done_receipt\.admission\.allow"),
        ("data.other", r"data\.other"),
        ("x := data", "data"),
        ("data[input.x]", r"data\._"),
        ("some k; data.done_receipt[k]", r"data\.done_receipt\._"),
        ("walk(data, [p, v])", "data"),
        ("count([x | x := data.done_receipt.rules[_][_]]) > 1", r"data\.done_receipt\.rules\._\._"),
        ("every x in [1] { x == data.q }", r"data\.q"),
        ("input.x with data.done_receipt.rules as {}", r"data\.done_receipt\.rules"),
        ("not data.done_receipt.customs", r"data\.done_receipt\.customs"),
        ("{1: data.q}", r"data\.q"),
    ],
)
def test_a_reference_to_anything_else_is_refused_with_its_line(opa: Path, write: Write, body: str, what: str) -> None:
    text = f"package done_receipt.custom.a.b\n\n{SAYS}\nhelper if {{\n\t{body}\n}}\n"
    refused(opa, write(text), rf"own/0\.rego:6: refers to {what}$")


@pytest.mark.parametrize(
    "name", ["data.done_receipt.rules", "data.done_receipt", "data.done_receipt.admission", "data.x"]
)
def test_an_import_of_anything_else_is_refused(opa: Path, write: Write, name: str) -> None:
    text = f"package done_receipt.custom.a.b\nimport data.{name} as q\n{SAYS}"
    refused(opa, write(text), rf"own/0\.rego:2: refers to data\.{name}")


def test_an_else_is_looked_at(opa: Path, write: Write) -> None:
    text = f"package done_receipt.custom.a.b\n{SAYS}h := 1 if input.y\nelse := data.q if input.x\n"
    refused(opa, write(text), r":4: refers to data\.q")


def test_our_library_and_each_other_may_be_used(opa: Path, write: Write) -> None:
    policy = write(
        "package done_receipt.custom.a.b\nimport rego.v1\nimport data.done_receipt.lib\nimport input.result\n"
        "import data.done_receipt.custom.a.c\nviolations contains x if { x := lib.at(result, []); c.y; input.data }\n",
        "package done_receipt.custom.a.c\ny := data.done_receipt.lib.examined\n",
    )
    assert len(packages_of(opa, [policy])) == 2


@pytest.mark.parametrize(
    "rule",
    [
        "violations := true",
        'violations := "no"',
        "violations if input.x",
        "violations := {1} if input.x",
        "default violations := set()",
        "violations[x] := 1 if x := input.y",
        "violations.x contains 1",
        "violations(x) := x",
        "warnings := [1]",
    ],
)
def test_what_the_decision_would_pass_over_is_refused(opa: Path, write: Write, rule: str) -> None:
    text = f"package done_receipt.custom.a.b\n{rule}\n"
    error = refused(opa, write(text), r"own/0\.rego: (violations|warnings) is not a set of objects")
    assert "contains {…} if {…}" in (error.hint or "")


def test_a_policy_that_says_nothing_is_refused(opa: Path, write: Write) -> None:
    refused(opa, write("package done_receipt.custom.a.b\ndeny contains 1 if input.x\n"), "no package says violations")


def test_a_package_has_one_owner(opa: Path, write: Write) -> None:
    text = f"package done_receipt.custom.a.b\n{SAYS}"
    with pytest.raises(ConfigurationError, match=r"two: package done_receipt\.custom\.a\.b is in .*one too"):
        packages_of(opa, [write(text, name="one"), write(text, name="two")])


def test_a_package_lies_in_its_bundles_roots(opa: Path, tmp_path: Path) -> None:
    rules = {"a.rego": f"package done_receipt.custom.a.b\n{SAYS}".encode()}
    (tmp_path / "b.tar.gz").write_bytes(bundle(rules, manifest=MANIFEST | {"roots": ["done_receipt/custom/other"]}))
    (policy,) = read_policies([str(tmp_path / "b.tar.gz")])
    refused(opa, policy, "lies outside the bundle's roots done_receipt/custom/other")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("package done_receipt.custom.a.b\nx if {\n", r"own/0\.rego:3: rego_parse_error"),
        ("package done_receipt.custom.a.b\nviolations[x] { x := 1 }\n", r"own/0\.rego:2: rego_parse_error"),
        ("", "empty|rego_parse_error"),
        ("# a comment\n", "empty|rego_parse_error"),
    ],
)
def test_what_is_no_rego_is_refused_with_opas_words(opa: Path, write: Write, text: str, why: str) -> None:
    refused(opa, write(text), why)


def test_what_is_no_utf8_is_refused(opa: Path, tmp_path: Path) -> None:
    (tmp_path / "a.rego").write_bytes(b"package done_receipt.custom.a.b # \xff\n")
    (policy,) = read_policies([str(tmp_path)])
    refused(opa, policy, r"a\.rego: is not UTF-8")
