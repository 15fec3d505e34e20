"""Receipts that agent-receipt 0.1.1 wrote, and ones that were tampered with: the same bytes, digests and signatures.

Whether the two verdicts agree is in `test_agent_receipt_differential`.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.importers.agent_receipt import read
from in_toto_done_receipt.importers.agent_receipt_export import export
from in_toto_done_receipt.importers.model import statement_of
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.trust.dsse import keys_over
from in_toto_done_receipt.trust.keys import load_key
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.statement import read_statement

# Files of the folder `tampered` that are whole receipts by the original's schema, and what is wrong with them here.
READ = {
    "crlf": [],
    "flip_statement": ["statement.content_digest"],
    "flip_statement_rehash": [],
    "flip_statement_rehash_nosigcheck": [],
    "hole_hash_bytes_wrong": [],
    "hole_hash_error_obs": ["statement.overall_ok"],
    "overall_false": ["statement.overall_ok"],
    "overall_true_on_failed": ["statement.overall_ok"],
    "sig_bad_then_good": [],
    "sig_flip_bit": [],
    "sig_keyid_not_covered": [],
    "absent": [],
    "path_double_slash": ["statement.path_spelling"],
    "path_trailing_slash_dot": ["statement.path_spelling"],
    "five_cmds": [],
}


@pytest.fixture
def corpus(shared: Path) -> Path:
    return shared / "corpus" / "agent-receipt"


def body(data: bytes) -> dict[str, Any]:
    tree = json.loads(data)
    return {name: value for name, value in tree.items() if name not in ("content_digest", "signatures")}


def test_every_digest_vector(corpus: Path) -> None:
    vectors = json.loads((corpus / "digest_vectors.json").read_bytes())
    assert len(vectors) > 30
    seen = 0
    for vector in vectors:
        path = corpus / vector["file"]
        if not path.is_file():
            continue  # some were overwritten by later commands of the same session
        written = canonical(body(path.read_bytes()))
        if sha256_hex(written) == vector["canonical_sha256"]:
            assert len(written) == vector["canonical_len"]
            assert read(path.read_bytes(), what=vector["file"]).findings == ()
            seen += 1
    assert seen > 30


@pytest.mark.parametrize("name", ["r24_unicode", "r65_signed"])
def test_canonical_bytes(corpus: Path, name: str) -> None:
    written = canonical(body((corpus / f"{name}.json").read_bytes()))
    assert written == (corpus / f"{name}.canonical").read_bytes().rstrip(b"\n")


@pytest.mark.parametrize(
    ("name", "key", "made"),
    [
        ("r65_signed.json", "worker", True),
        ("r65_signed.json", "other", False),
        ("r72_signed_failed.json", "worker", True),
        ("tampered/sig_flip_bit.json", "worker", False),
        ("tampered/sig_bad_then_good.json", "worker", True),
        ("tampered/sig_keyid_not_covered.json", "worker", True),
        ("tampered/flip_statement.json", "worker", False),
        ("tampered/flip_statement_rehash.json", "worker", False),
    ],
)
def test_signatures(corpus: Path, name: str, key: str, made: bool) -> None:
    trusted = load_key((corpus / "keys" / f"{key}.pub").read_bytes(), name=key, what=key)
    signed = read((corpus / name).read_bytes(), what=name).signed
    assert signed is not None
    assert bool(keys_over(signed.message, signed.signatures, (trusted,))) is made


def test_every_tampered_file_is_read_or_refused_as_listed(corpus: Path) -> None:
    found: dict[str, Any] = {}
    for path in sorted((corpus / "tampered").glob("*.json")):
        try:
            old = read(path.read_bytes(), what=path.name)
        except MalformedInput:
            continue
        found[path.stem] = [finding.reason for finding in old.findings]
    assert found == READ


def test_every_receipt_goes_to_a_statement_and_back(corpus: Path) -> None:
    count = 0
    for path in sorted(corpus.glob("r[0-9]*.json")):
        data = path.read_bytes()
        statement = read_statement(statement_of(read(data, what=path.name), what=path.name))
        back = json.loads(export(statement, read_predicate(statement), what=path.name))
        original = json.loads(data)
        for tree in (back, original):
            for claim in tree["claims"]:
                for item in claim["evidence"]:
                    item["detail"].pop("timeout", None)  # the worker's own; no verifier uses it
                    if "path" in item["detail"]:
                        item["detail"]["path"] = item["detail"]["path"].removeprefix("./")
        assert {key: back[key] for key in body(data)} == {
            key: value for key, value in original.items() if key in back and key in body(data)
        }
        count += 1
    assert count > 30
