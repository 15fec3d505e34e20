"""More of everything than anybody means: refused early, by its number or its size, never worked through."""

import json
import os
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import pytest

from testdata.receipts import generate
from tests.advisories.conftest import TRUSTED, Bundle, Court, statement
from tests.forge import der

MANY = 100_000
SECONDS = 5.0  # of this process; a hundred times what an honest bundle takes, far less than working through would take


@contextmanager
def quickly() -> Iterator[None]:
    begin = time.process_time()
    yield
    assert time.process_time() - begin < SECONDS


def material(bundle: Bundle) -> Any:
    return bundle["verificationMaterial"]


def entry(bundle: Bundle) -> Any:
    return material(bundle)["tlogEntries"][0]


@pytest.mark.parametrize("place", ["fifo", "/dev/zero", "/dev/full"])
def test_cve_2023_46737_an_endless_file_is_not_read(court: Court, place: str) -> None:
    court.judge(court.bundle())
    os.mkfifo(court.folder / "fifo")
    with quickly():
        assert court.run("verify", place, "--trusted-root", "root.json", *TRUSTED).code == 3


def test_cve_2023_46737_many_attestations_in_one_file(court: Court) -> None:
    with quickly():
        assert court.judge(*[json.dumps(generate.envelope(b"{}"))] * 2_000).code == 3


def test_cve_2024_29902_a_large_file_is_refused_by_its_size(court: Court) -> None:
    bundle = court.bundle()
    bundle["padding"] = "x" * (17 << 20)
    with quickly():
        seen = court.judge(bundle)
    assert (seen.code, "file-bytes" in seen.document["error"]["message"]) == (3, True)


def test_cve_2024_29902_a_large_payload_is_refused_by_its_size(court: Court) -> None:
    envelope = generate.envelope(b" " * (10 * 2**20 + 1))
    with quickly():
        seen = court.judge(envelope)
    assert (seen.code, "payload-bytes" in seen.document["error"]["message"]) == (3, True)


def test_cve_2024_29903_many_signatures(court: Court) -> None:
    envelope = generate.envelope(statement())
    envelope["signatures"] *= MANY
    with quickly():
        assert court.judge(envelope).code == 3


def test_cve_2024_29903_a_number_that_only_claims_to_be_large(court: Court) -> None:
    """Nothing is set aside for a number that the file names."""
    for member in ("treeSize", "logIndex"):
        bundle = court.bundle()
        entry(bundle)["inclusionProof"][member] = str(2**63 - 1)
        with quickly():
            court.refused(bundle)


def repeated(bundle: Bundle, *path: str | int) -> Bundle:
    """The bundle with the list at this place as long as a file may be."""
    changed = deepcopy(bundle)
    node: Any = changed["verificationMaterial"]
    for step in path[:-1]:
        node = node[step]
    each = len(json.dumps(node[path[-1]]))
    node[path[-1]] = node[path[-1]] * min(MANY, (15 << 20) // each)
    return changed


MANY_OF: dict[str, tuple[str | int, ...]] = {
    "log entries": ("tlogEntries",),
    "steps of a proof": ("tlogEntries", 0, "inclusionProof", "hashes"),
    "timestamps": ("timestampVerificationData", "rfc3161Timestamps"),
}


@pytest.mark.parametrize("path", MANY_OF.values(), ids=MANY_OF)
def test_cve_2024_45395_many_of_what_a_bundle_lists(court: Court, path: tuple[str | int, ...]) -> None:
    bundle = repeated(court.bundle(rekor="v2"), *path)
    with quickly():
        assert court.judge(bundle).code in (3, 10)


def test_cve_2024_45395_many_different_timestamps(court: Court) -> None:
    bundle = court.bundle(rekor="v2", stamps=200)
    with quickly():
        assert court.judge(bundle).code in (3, 10)


def of_subjects(subjects: list[Any]) -> generate.Change:
    return lambda tree, _predicate: tree.update(subject=subjects)


def test_cve_2024_45395_many_subjects_and_digests(court: Court) -> None:
    many: list[Any] = [{"name": f"{number}", "digest": {"sha256": "0" * 64}} for number in range(10_001)]
    wide: list[Any] = [{"name": "a", "digest": {f"a{number}": "0" for number in range(MANY)} | {"sha256": "0" * 64}}]
    for subjects, code in ((many, 3), (wide, 11)):
        with quickly():
            assert court.judge(court.bundle(of_subjects(subjects))).code == code


@pytest.mark.parametrize("line", ["\N{EM DASH} x AAAAAA==\n", "\N{EM DASH} {origin} {other}\n", "x\n"])
def test_ghsa_rvrx_rrwh_r9p6_many_signatures_of_a_checkpoint(court: Court, line: str) -> None:
    bundle = court.bundle()
    checkpoint = entry(bundle)["inclusionProof"]["checkpoint"]
    other = b64encode(court.forge.rekor_v1.log_id[:4] + b"0" * 70).decode()
    line = line.replace("{origin}", court.forge.rekor_v1.origin).replace("{other}", other)
    checkpoint["envelope"] += line * MANY
    with quickly():
        assert court.judge(bundle).code in (3, 10)


def test_ghsa_rvrx_rrwh_r9p6_a_signature_without_end(court: Court) -> None:
    for size in (1 << 20, 8 << 20):
        bundle = court.bundle()
        bundle["dsseEnvelope"]["signatures"][0]["sig"] = b64encode(b"0" * size).decode()
        with quickly():
            court.refused(bundle)


SEPARATED = {"dots": ".", "slashes": "/", "lines": "\n", "colons": ":", "semicolons": ";", "spaces": " "}


@pytest.mark.parametrize("mark", SEPARATED.values(), ids=SEPARATED)
def test_cve_2025_66564_a_text_of_nothing_but_separators(court: Court, mark: str) -> None:
    """Texts of the attacker's that somebody takes apart: the kind of an entry, a checkpoint, a media type, a type."""
    many = mark * (4 << 20)
    kind, note, media, payload_type = (court.bundle() for _ in range(4))
    entry(kind)["kindVersion"]["kind"] = many
    entry(note)["inclusionProof"]["checkpoint"]["envelope"] = many
    media["mediaType"] = many
    payload_type["dsseEnvelope"]["payloadType"] = many
    for bundle in (kind, note, media, payload_type):
        with quickly():
            assert court.judge(bundle).code in (3, 10)


def test_cve_2025_66564_an_object_identifier_without_end(court: Court) -> None:
    """A timestamp and a certificate whose identifiers have a million arcs."""
    endless = der.tlv(0x06, b"\x2b" + b"\x01" * 1_000_000)
    token = der.sequence(der.sequence(der.integer(0)), der.sequence(endless, der.tlv(0xA0, b"")))
    stamped, certified = court.bundle(rekor="v2"), court.bundle()
    material(stamped)["timestampVerificationData"]["rfc3161Timestamps"] = [
        {"signedTimestamp": b64encode(token).decode()}
    ]
    material(certified)["certificate"]["rawBytes"] = b64encode(der.sequence(der.sequence(endless))).decode()
    for bundle in (stamped, certified):
        with quickly():
            court.refused(bundle)


@pytest.mark.parametrize("mark", [".", "/", "@", "%"])
def test_cve_2025_66506_an_identity_of_nothing_but_separators(court: Court, mark: str) -> None:
    bundle = court.bundle(identity="https://a/" + mark * (1 << 20), name="uri")
    with quickly():
        court.refused(bundle, reason="signature.identity")


def test_cve_2025_66506_a_claim_of_nothing_but_separators(court: Court) -> None:
    bundle = court.bundle(
        identity="https://forge.example.org/o/r/.github/workflows/w.yml@main",
        claims={"sourceRepositoryURI": "/" * (1 << 20), "githubWorkflowRepository": "/" * (1 << 20)},
    )
    flags = ["--certificate-identity", "https://forge.example.org/o/r/.github/workflows/w.yml@main"]
    with quickly():
        assert court.judge(bundle, flags=flags).code == 10


def test_cve_2025_66506_an_expression_does_not_backtrack(court: Court) -> None:
    bundle = court.bundle(identity="a" * 4_000 + "@example.org")
    expression = ["--certificate-identity-regexp", "(a|aa)+b@example\\.org", *TRUSTED[2:]]
    with quickly():
        court.refused(bundle, trust=["--trusted-root", "root.json", *expression], reason="signature.identity")
