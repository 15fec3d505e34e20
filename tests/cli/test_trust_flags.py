"""The flags that demand a claim of a certificate, from the command line, on genuine bundles."""

import json
from pathlib import Path

import pytest

from in_toto_done_receipt.cli import main
from in_toto_done_receipt.trust.flags import CLAIM_FLAGS
from testdata.receipts import generate
from tests.forge.sigstore import Forge

SOURCE = "https://github.com/acme/tool"
CLAIMS = {claim: f"{SOURCE}/{claim}" for claim in CLAIM_FLAGS.values()} | {
    "sourceRepositoryURI": SOURCE,
    "runnerEnvironment": "github-hosted",
}
WHO = [
    *("--certificate-identity", "dev@example.org", "--certificate-oidc-issuer", "https://accounts.example.org"),
    *("--trusted-root", "root.json"),
]


@pytest.fixture
def verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> "Verify":
    monkeypatch.chdir(tmp_path)
    forge = Forge.of()
    Path("root.json").write_text(json.dumps(forge.trusted_root()))
    Path("work/tests").mkdir(parents=True)
    for path, text in generate.WORK.items():
        (Path("work") / path).write_text(text)
    return Verify(forge, capsys)


class Verify:
    """Runs `verify` on a bundle with these claims."""

    def __init__(self, forge: Forge, capsys: pytest.CaptureFixture[str]) -> None:
        self._forge = forge
        self._capsys = capsys

    def __call__(self, *flags: str, claims: dict[str, str] = CLAIMS) -> tuple[int, str]:
        bundle = self._forge.bundle(generate.payload_of(generate.base()), claims=claims)
        Path("r.json").write_text(json.dumps(bundle))
        code = main.run(["verify", "r.json", "--root", "work", "--at", generate.NOW, *flags])
        captured = self._capsys.readouterr()
        return code, captured.out + captured.err


@pytest.mark.parametrize(("flag", "claim"), CLAIM_FLAGS.items())
def test_a_claim_is_demanded_exactly(verify: Verify, flag: str, claim: str) -> None:
    assert verify(*WHO, flag, CLAIMS[claim])[0] == 0
    for wrong in (CLAIMS[claim] + "x", CLAIMS[claim].upper(), CLAIMS[claim][:-1]):
        code, out = verify(*WHO, flag, wrong)
        assert (code, f"certificate claim {claim} is" in out) == (10, True)


def test_a_hosted_runner_is_demanded(verify: Verify) -> None:
    assert verify(*WHO, "--deny-self-hosted-runners")[0] == 0
    for claims in (CLAIMS | {"runnerEnvironment": "self-hosted"}, {"sourceRepositoryURI": SOURCE}):
        assert verify(*WHO, "--deny-self-hosted-runners", claims=claims)[0] == 10


def test_all_claims_are_demanded_of_one_certificate(verify: Verify) -> None:
    flags = [part for flag, claim in CLAIM_FLAGS.items() for part in (flag, CLAIMS[claim])]
    assert verify(*WHO, *flags)[0] == 0
    assert verify(*WHO, *flags, claims=CLAIMS | {"sourceRepositoryRef": "refs/heads/other"})[0] == 10


@pytest.mark.parametrize("flag", [*CLAIM_FLAGS, "--deny-self-hosted-runners"])
def test_a_claim_without_an_identity_is_a_usage_error(verify: Verify, flag: str) -> None:
    given = [flag] if flag.startswith("--deny") else [flag, SOURCE]
    code, out = verify(*given, "--trusted-root", "root.json")
    assert (code, "--certificate-oidc-issuer is missing" in out) == (2, True)
    for other in (["--trust", "root.json"], ["--unsigned"]):
        assert verify(*given, *other)[0] == 2
