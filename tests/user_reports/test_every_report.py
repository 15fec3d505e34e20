"""Each report by users of other verifiers that concerns what this does has a test that is named by it."""

import re
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent

REPORTS: Final = {
    "sigstore-python#1384": "an attestation of npm's gave an error of the JSON library",
    "sigstore-python#1244": "a bundle cannot be verified with a public key",
    "sigstore-python#1088": "an old bundle was called malformed, without a word on what was missing",
    "cpython#122785": "an old bundle was called maliciously modified",
    "sigstore-python#1175": "offline, a very old trusted root was used silently",
    "sigstore-python#483": "offline, the network was used",
    "sigstore-python#1826": "a malformed checkpoint gave an error of another library",
    "sigstore-python#1442": "times were counted otherwise than the specification says",
    "sigstore-python#999": "a valid bundle was taken for valid content",
    "cosign#2264": "attestations of other types than the default's were not found",
    "cosign#2494": "nothing said which types there were",
    "cosign#2158": "another spelling of a type did not match, or did",
    "cosign#1249": "another payload type was accepted",
    "cosign#2194": "an expired certificate was accepted without a log entry",
    "cosign#3224": "a timestamp was not verified for want of an authority",
    "cosign#1816": "an entry of an unknown log was accepted",
    "cosign#3599": "a large predicate failed without saying so",
    "cosign#4347": "offline, trust was updated in every run",
    "cli#10418": "no matching attestation was a success",
    "cli#9521": "a line end at the end of a file was an error",
    "stlite#2081": "two conditions were met by two attestations",
    "wirelog#1287": "an identity expression matched a part of the identity",
    "sigstore-js#1656": "an identity was taken for an expression",
    "securesystemslib#416": "a signature without a key id was refused",
    "dsse#51": "what a threshold counts",
    "pypi-attestations#55": "verification failed with exit code 0",
    "warehouse#18221": "a subject was looked up by its name",
    "gh-action-sigstore-python#158": "a file of another format was called a malformed bundle",
    "sigstore-ruby#304": "a timestamp without a nonce was refused",
    "model-transparency#663": "the time of verification was the certificate's own",
    "kyverno#16267": "a key given for a bundle was silently ignored",
    "chainloop#3398": "a bundle that was not verified passed",
}


def test_every_report_has_a_test() -> None:
    names = [
        name
        for path in HERE.glob("test_*.py")
        for name in re.findall(r"^def test_(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    marks = {report: re.sub(r"[-#]", "_", report) + "_" for report in REPORTS}
    assert [report for report, mark in marks.items() if not any(name.startswith(mark) for name in names)] == []
