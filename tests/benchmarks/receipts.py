"""Receipts of any size, with the work that they are about, and the results that they lead to."""

from pathlib import Path
from typing import Any

from in_toto_done_receipt.handlers.registry import handlers_by_type
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.pipeline import recompute
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.trust.flags import from_flags
from in_toto_done_receipt.wire.rfc3339 import parse_time
from testdata.receipts import generate

ITEMS_OF_A_CLAIM = 20


def make(folder: Path, *, items: int, subjects: int = 1) -> Path:
    """receipt.json, worker.pub and work/ in a new folder: `items` files as evidence, `subjects` files as subjects."""
    work = folder / "work"
    work.mkdir(parents=True)
    statement = generate.base()
    predicate: dict[str, Any] = statement["predicate"]
    predicate["contract"]["sealed"] = []
    names = [f"f{number:05}.txt" for number in range(max(items, subjects))]
    for name in names:
        (work / name).write_text(f"content of {name}\n")
    statement["subject"] = [generate.file(name, f"content of {name}\n") for name in names[:subjects]]
    evidence = [generate.file_item(name, f"content of {name}\n") for name in names[:items]]
    predicate["claims"] = [
        {
            "id": f"c{start}",
            "statement": "these files are there",
            "evidence": evidence[start : start + ITEMS_OF_A_CLAIM],
        }
        for start in range(0, items, ITEMS_OF_A_CLAIM)
    ]
    (folder / "receipt.json").write_text(generate.pretty(generate.envelope(generate.payload_of(statement))))
    (folder / "worker.pub").write_text(generate.public_pem("worker"))
    return folder


def result_of(scratch: Path, *, items: int, subjects: int = 1) -> VerificationResult:
    """The result of verifying such a receipt, all of it confirmed."""
    folder = scratch / f"receipt-{items}-{subjects}"
    if not folder.exists():
        make(folder, items=items, subjects=subjects)
    trust = from_flags(trusted_keys=(f"worker={folder / 'worker.pub'}",), read=Path.read_bytes)
    with DirectoryWorkspace(folder / "work") as workspace:
        context = RecomputeContext(evaluated_at=parse_time(generate.NOW), settings=Settings(), workspace=workspace)
        data = (folder / "receipt.json").read_bytes()
        return recompute(data, trust=trust, context=context, handlers=handlers_by_type()).result
