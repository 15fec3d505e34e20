"""sigstore-python and `trust.certified` on the same bundles: they agree, but for a list of reasons.

Where the library can judge, both accept or both refuse. Where only we refuse, one of STRICTER is why; where only the
library refuses what it could judge, there is no excuse.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest
from cryptography.x509 import Certificate
from sigstore.models import Bundle as SigstoreBundle

from in_toto_done_receipt.errors import DoneReceiptError, SignatureNotTrusted
from in_toto_done_receipt.trust.certified import Certified, verify_certified
from in_toto_done_receipt.trust.crosscheck import confirm, second_judge
from in_toto_done_receipt.trust.material.guard import guarded
from in_toto_done_receipt.trust.model import RootFile
from in_toto_done_receipt.trust.root import read_root
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.bundle import read_bundle
from tests.forge.plan import MEDIA_TYPES
from tests.forge.sigstore import Forge
from tests.forge.test_forge import GENUINE, LET_PASS, LIES, PAYLOAD
from tests.fuzz.bundle_mutation import mutant

CORPUS: Final = {
    "conf-happy-path-intoto-in-dsse-v3-bundle.json": "root-targets-trusted_root.json",
    "cosign-oci-attestation.sigstore.json": "root-targets-trusted_root.json",
    "gh-reusable-workflow-attestation.sigstore.json": "root-targets-trusted_root.json",
    "js-bundleV03-dsse.sigstore": "root-targets-trusted_root.json",
    "ms-v1.1.0-sigstore-model.sig": "root-targets-trusted_root.json",
    "py-a.dsse.staging-rekor-v2.txt.sigstore.json": "py-https_tuf-repo-cdn.sigstage.dev-trusted_root.json",
    "local-rekor1-bundle.json": "local-rekor1-trusted_root.json",
    "local-rekor2-bundle.json": "local-rekor2-trusted_root.json",
}

# Why we refuse what the library accepts, by what we say.
STRICTER: Final = {
    "loose base64, a second spelling, a member twice": r"not base64|unknown member|another spelling|is there twice|"
    r"duplicate|expected (string|object|array|a decimal)",
    "a media type, an envelope, a document of another shape": r"expected .* got|required member|byte order mark|"
    r"not UTF-8|surrogate|integer|line \d+",
    "a log id of which the library reads four bytes": r"is not in the trusted root",
    "a checkpoint of another size or name, or one that is no signed note": r"than its checkpoint|its checkpoint ",
    "a promise in an entry that has none": r"for which no log gives a promise|and no integratedTime",
    "two names, two issuers": r"has \d+ names|two different issuers|names no issuer",
    "P-384 with SHA-256": r"signs with SHA-256",
    "a timestamp that is wrong beside one that is right": r"timestamp",
    "an entry whose body is no strict JSON": r"the log entry's body|log entry is for another",
    "limits": r"^limit |: limit ",
}


class Anybody:
    """The library's policy object; identities are not what is compared."""

    def verify(self, cert: Certificate) -> None:
        """Accepts."""


def ours(data: bytes, root: RootFile) -> Certified | str:
    """What we make of a bundle: what it shows, or why it is refused."""
    try:
        bundle = read_bundle(strict_json.loads(data))
        return verify_certified(bundle, root)
    except DoneReceiptError as error:
        return error.message


def theirs(data: bytes, root: RootFile) -> bytes | None:
    """What the library makes of the same bytes: the payload, or nothing."""
    try:
        with guarded():
            return second_judge(root).verify_dsse(SigstoreBundle.from_json(data), Anybody())[1]
    except SignatureNotTrusted:
        return None


def compare(data: bytes, root: RootFile) -> str:
    """`both`, `neither`, `ours` for what only we can judge, or the reason of STRICTER."""
    found, payload = ours(data, root), theirs(data, root)
    if isinstance(found, Certified):
        bundle = read_bundle(strict_json.loads(data))
        judged = confirm(bundle, found, root)  # raises when the library refuses what was read
        assert payload is None or payload == bundle.envelope.payload
        return "both" if judged else "ours"
    if payload is None:
        return "neither"
    reasons = [name for name, pattern in STRICTER.items() if re.search(pattern, found)]
    assert reasons, f"only the library accepts it: {found}"
    return reasons[0]


@pytest.fixture(scope="module")
def forge() -> Forge:
    return Forge.of()


@pytest.fixture(scope="module")
def root(forge: Forge) -> RootFile:
    return read_root(json.dumps(forge.trusted_root()).encode(), name="root.json")


@pytest.mark.parametrize("name", CORPUS)
def test_both_accept_what_is_genuine(shared: Any, name: str) -> None:
    folder = shared / "corpus" / "sigstore"
    for other in set(CORPUS.values()):
        root = read_root((folder / other).read_bytes(), name=other)
        expected = "both" if other == CORPUS[name] else "neither"
        assert compare((folder / name).read_bytes(), root) == expected


@pytest.mark.parametrize("name", GENUINE)
def test_what_the_forge_makes(forge: Forge, root: RootFile, name: str) -> None:
    expected = "P-384 with SHA-256" if name == "P-384 over SHA-256" else "both"
    assert compare(json.dumps(forge.bundle(PAYLOAD, **GENUINE[name])).encode(), root) == expected


@pytest.mark.parametrize("name", [*LIES, *LET_PASS])
def test_lies_of_the_forge(forge: Forge, root: RootFile, name: str) -> None:
    bundle = forge.bundle(PAYLOAD, **(LIES | LET_PASS)[name])
    verdict = compare(json.dumps(bundle).encode(), root)
    assert verdict != "both"
    assert (verdict == "ours") == (name.endswith("does not know") or name == "no entry")
    assert (name in LET_PASS) == (verdict in STRICTER)


def seeds(forge: Forge) -> Iterator[bytes]:
    plans: list[dict[str, Any]] = [{"rekor": "v2"}, {"rekor": "v2", "stamps": 2}, {"stamps": 1}, {"curve": "P-384"}]
    for media_type in MEDIA_TYPES:
        for plan in ({}, *plans):
            if plan.get("rekor") != "v2" or not media_type.endswith("0.1"):
                yield json.dumps(forge.bundle(PAYLOAD, media_type=media_type, **plan)).encode()


@pytest.mark.parametrize("part", range(2))
def test_mutants(forge: Forge, root: RootFile, part: int) -> None:
    """No mutant is accepted by one alone, but for a reason. docs/adr/0008-sigstore-verification.md has 20,000."""
    random, known = Random(part), tuple(seeds(forge))  # noqa: S311 - repeatable, not secret
    verdicts = Counter(compare(mutant(random.choice(known), known, random), root) for _ in range(750))
    assert verdicts["neither"] > 400
    assert verdicts["both"] > 20
