"""Each published advisory on software that does what this does has tests here, named by it, for its whole kind.

The list is of advisories on Sigstore's and in-toto's clients in all languages, and on what they build on.
"""

import re
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent

ADVISORIES: Final = {
    "CVE-2021-41087": "in-toto-golang, GHSA-vrxp-mg9f-hwf3: a rule about a path gone around by spelling it otherwise",
    "CVE-2022-23649": "cosign, GHSA-ccxc-vr6p-4858: a log entry that is not of the signature",
    "CVE-2022-35929": "cosign, GHSA-vjxv-45g9-9296: an attestation of any type counts as one of the type asked for",
    "CVE-2022-35930": "policy-controller, GHSA-739f-hw6h-7wq8: the same, of several attestations",
    "CVE-2022-36056": "cosign, GHSA-8gw7-4j42-w388: identity flags without effect; an invalid entry is a success",
    "CVE-2023-32076": "in-toto: settings read from the current directory",
    "CVE-2023-46737": "cosign, GHSA-vfp6-jrw2-99g9: attestations without end",
    "CVE-2023-47122": "gitsign: the log's keys fetched from the log",
    "CVE-2024-29902": "cosign, GHSA-88jx-383q-w4qc: a large file is read into memory",
    "CVE-2024-29903": "cosign, GHSA-95pr-fxf5-86gv: memory set aside for a number that the attacker names",
    "CVE-2024-45395": "sigstore-go, GHSA-cq38-jh5f-37mq: entries, timestamps and digests without end",
    "CVE-2024-51746": "gitsign, GHSA-8pmp-678w-c8xx: of several log entries the wrong one",
    "CVE-2025-25204": "gh, GHSA-fgw4-v983-mgp8: nothing to verify is a success",
    "CVE-2025-52556": "rfc3161-client, GHSA-6qhv-4h7r-2g9m: a token's signature not checked in full",
    "CVE-2025-66506": "fulcio, GHSA-f83f-xpx7-ffpw: an identity taken apart at each of its separators",
    "CVE-2025-66564": "timestamp-authority, GHSA-4qg8-fj49-pxjh: an object identifier or a header without end",
    "CVE-2026-22703": "cosign, GHSA-whqx-f9j3-ch6m: any genuine log entry counts as the bundle's own",
    "CVE-2026-24122": "cosign, GHSA-wfqv-66vq-46rm: an issuing certificate that had ended",
    "CVE-2026-33753": "rfc3161-client, GHSA-3xxc-pwj6-jgrj: a certificate added to a token is the one that is judged",
    "CVE-2026-39395": "cosign, GHSA-w6c6-c85g-mmv6: a malformed payload is verified OK",
    "CVE-2026-39984": "timestamp-authority, GHSA-xm5m-wgh2-rrg3: checks made on another certificate than the signer's",
    "CVE-2026-49834": "sigstore-go, GHSA-9vcr-p3rj-q5q6: a threshold counts one authority twice",
    "CVE-2026-54787": "sigstore-go, GHSA-wqqc-jjcq-vfxm: the validity of a key without effect",
    "GHSA-HM8F-75XX-W2VR": "sigstore-python: an answer to the browser that was not asked for",
    "GHSA-R2XV-VPR2-42M9": "slsa-verifier: the second of two attestations not verified",
    "GHSA-RVRX-RRWH-R9P6": "notation: signatures without end",
    "IN-TOTO-AUDIT-2023": "in-toto: valid metadata of another run or another layout replayed",
    "TOB-SIGSTORE-10": "sigstore-rust: a cached trusted root is believed without a signature",
    "TOB-SIGSTORE-11": "sigstore-rust: a timestamp authority borrows another's validity",
}


def test_every_advisory_has_tests_and_every_test_an_advisory() -> None:
    tested = set()
    for path in HERE.glob("test_*.py"):
        for name in re.findall(r"^def test_(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            known = [one for one in ADVISORIES if name.startswith(one.lower().replace("-", "_") + "_")]
            assert known or name.startswith(("the_", "two_people", "every_")), f"{path.name}: {name}"
            tested.update(known)
    assert tested == set(ADVISORIES)
