"""Several attestations in one file: which line it was, what else is there, and that nothing is put together of two."""

import json

import pytest

from testdata.receipts import generate
from tests.advisories.conftest import IDENTITY, ISSUER, Bundle, Court

OTHER_LINE = '{"a":1}'


def of_type(name: str) -> generate.Change:
    return lambda tree, _predicate: tree.update(predicateType=f"https://example.org/{name}")


def by(court: Court, who: str, change: generate.Change = lambda statement, predicate: None) -> Bundle:
    return court.bundle(change, identity=f"{who}@example.org", signer=who)


def test_cli_9521_blank_lines_and_line_ends_of_windows(court: Court) -> None:
    bundle = json.dumps(court.bundle())
    for text in (bundle + "\n\n", bundle + "\r\n", "\r\n" + bundle + "\r\n\r\n", bundle + "\n" + OTHER_LINE + "\n\n"):
        assert court.judge(text).code == 0


def test_cli_10418_no_matching_attestation_is_no_success(court: Court) -> None:
    assert court.judge(court.bundle(of_type("a")), court.bundle(of_type("b"))).code == 12
    court.refused(by(court, "a"), by(court, "b"), reason="signature.identity")


def test_the_line_that_matched_is_reported(court: Court) -> None:
    seen = court.judge(OTHER_LINE, court.bundle(of_type("a")), "", court.bundle(), by(court, "x"))
    assert seen.code == 0
    assert (seen.result["input"]["lines"], seen.result["input"]["skipped"]) == ([4, 5], 2)
    assert [signer["line"] for signer in seen.result["signers"]] == [4]


def test_the_line_that_matched_is_in_the_text(court: Court) -> None:
    assert court.judge(OTHER_LINE, court.bundle()).code == 0
    out = court.run("verify", "receipt.json", "--trusted-root", "root.json", *identity(), *generate.ROOT).out
    assert f"issuer {ISSUER}, line 2" in " ".join(out.split("\n    | "))


def identity() -> list[str]:
    return ["--certificate-identity", IDENTITY, "--certificate-oidc-issuer", ISSUER, "--at", generate.NOW]


def test_a_file_of_one_attestation_has_no_lines(court: Court) -> None:
    seen = court.judge(json.dumps(court.bundle(), indent=1))
    assert seen.code == 0
    assert "lines" not in seen.result["input"]
    assert "line" not in seen.result["signers"][0]


@pytest.mark.parametrize("asked", ["--predicate-type=https://example.org/c"])
def test_cosign_2264_the_types_that_were_found_are_listed(court: Court, asked: str) -> None:
    """Only those that somebody trusted signed: anybody can write a type into a file."""
    files = [court.bundle(of_type("a")), court.bundle(of_type("b")), by(court, "x", of_type("c"))]
    seen = court.judge(*files)
    assert seen.code == 12
    listed = seen.result["input"]["payloads"]
    assert [payload.get("predicateType") for payload in listed] == [
        "https://example.org/a",
        "https://example.org/b",
        None,
    ]
    assert [payload["lines"] for payload in listed] == [[1], [2], [3]]
    assert [payload.get("signers", []) for payload in listed] == [[IDENTITY], [IDENTITY], []]


def test_cosign_2494_the_types_that_were_found_are_in_the_text(court: Court) -> None:
    court.judge(court.bundle(of_type("a")), court.bundle(of_type("b")), by(court, "x", of_type("c")))
    ended = court.run("verify", "receipt.json", "--trusted-root", "root.json", *identity(), *generate.ROOT)
    text = " ".join(ended.out.replace("\n    | ", " ").split())
    assert ended.code == 12
    assert "none of 3 payloads in the file was admitted" in text
    assert f'line 1: signed by {IDENTITY}, predicate type "https://example.org/a"' in text
    assert f'line 2: signed by {IDENTITY}, predicate type "https://example.org/b"' in text
    assert "line 3: nobody that is trusted signed it" in text
    assert "example.org/c" not in text


@pytest.mark.parametrize(
    "name", ["https://w3id.org/done-receipt/v0.1/", "https://w3id.org/Done-Receipt/v0.1", "custom"]
)
def test_cosign_2158_a_type_is_its_exact_spelling(court: Court, name: str) -> None:
    bundle = court.bundle(lambda tree, _predicate: tree.update(predicateType=name))
    assert court.judge(bundle).code in (3, 12)


def test_a_payload_that_cannot_be_examined_is_in_the_list(court: Court) -> None:
    broken = court.forge.bundle(b"{}")
    seen = court.judge(broken, court.bundle(of_type("a")))
    assert seen.code == 12
    first = seen.result["input"]["payloads"][0]
    assert first["fault"] == "statement: top level: required member _type is missing"
    assert (first["lines"], "signers" in first) == ([1], False)


TWO = """version = 1
[[identity]]
name = "dev"
subject = "dev@example.org"
issuer = "https://accounts.example.org"
predicateTypes = ["https://example.org/other"]
[[identity]]
name = "rev"
subject = "rev@example.org"
issuer = "https://accounts.example.org"
agents = ["another-agent"]
[sigstore]
trustedRoot = "root.json"
"""


def test_stlite_2081_two_conditions_are_not_met_by_two_attestations(court: Court) -> None:
    """One has the right signer, the other the right content; no attestation has both."""
    wrong_content = court.bundle(generate.failed("it does not work"))
    wrong_signer = by(court, "x")
    assert court.judge(wrong_content, wrong_signer).code != 0
    assert court.judge(wrong_signer, wrong_content).code != 0
    assert court.judge(wrong_content, wrong_signer, court.bundle()).code == 0


def test_stlite_2081_scopes_of_two_signers_do_not_add_up(court: Court) -> None:
    court.write("trust.toml", TWO)
    seen = court.judge(court.bundle(), by(court, "rev"), trust=["--trust", "trust.toml"])
    assert (seen.code, "signature.out_of_scope" in seen.reasons) == (10, True)


def test_a_threshold_is_met_within_one_payload(court: Court) -> None:
    head = TWO.replace("version = 1\n", "version = 1\nthreshold = 2\n")
    lines = [line for line in head.splitlines() if not line.startswith(("predicateTypes", "agents"))]
    court.write("trust.toml", "\n".join(lines))
    trust = ["--trust", "trust.toml"]
    apart = (court.bundle(), by(court, "rev", generate.failed("no")))
    assert court.judge(*apart, trust=trust).code == 10
    together = court.judge(court.bundle(), OTHER_LINE, by(court, "rev"), trust=trust)
    assert (together.code, [signer["line"] for signer in together.result["signers"]]) == (0, [1, 3])


def test_dsse_51_the_same_attestation_on_two_lines_is_one(court: Court) -> None:
    bundle = court.bundle()
    seen = court.judge(bundle, bundle)
    assert seen.code == 0
    assert [signer["line"] for signer in seen.result["signers"]] == [1]
    assert seen.result["input"]["lines"] == [1, 2]
    assert "payloads" not in seen.result["input"]
