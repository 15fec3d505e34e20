"""agent-output-manifest/v1 in place: the manifest is this project's own format, and says nothing but what is there.

Nobody checked the work and nobody says that it passed: the receipt that it amounts to is unchecked, and the finding
that counts is `output-manifest.matched`.
"""

from typing import Final

from in_toto_done_receipt.importers.model import OldReceipt, mapped_statement, origin
from in_toto_done_receipt.observe.manifest.model import SCHEMA
from in_toto_done_receipt.observe.manifest.read import read_manifest
from in_toto_done_receipt.predicates.done_receipt import model

MEDIA_TYPE: Final = "application/vnd.agent-output-manifest.v1+json"
NAME: Final = "OUTPUT_MANIFEST.json"
EPOCH: Final = "1970-01-01T00:00:00Z"  # a manifest has no time, and a receipt has to have one


def read(data: bytes, *, what: str) -> OldReceipt:
    """The manifest as a receipt that claims nothing but the manifest. Raises MalformedInput, LimitExceeded."""
    manifest = read_manifest(data, what=what)
    receipt = model.DoneReceipt(
        task=model.Task(description="not said"),
        agent=model.Agent(id=SCHEMA, harness=origin(SCHEMA, MEDIA_TYPE, data)),
        run=model.Run(outcome="completed", finished_on=EPOCH),
        manifest=model.File(name=NAME, digest=model.Digests(sha256=manifest.digest)),
        contract=model.Contract(sealed=(), absent=(), breach=None),
        verdict=model.Verdict(checked=False, passed=False, reason=""),
        claims=(),
    )
    return OldReceipt(
        schema=SCHEMA,
        media_type=MEDIA_TYPE,
        data=data,
        receipt=receipt,
        statement=mapped_statement([(NAME, manifest.digest)], receipt),
        old_place=lambda pointer: pointer,
        manifest=manifest,
    )
