"""Make "done" checkable: verify a done receipt, do its work again, let a policy decide.

    bytes     = Path("receipt.json").read_bytes()
    trust     = load_trust(Path("trust.toml").read_bytes(), base=Path("."), read=Path.read_bytes)
    workspace = DirectoryWorkspace(Path("work"))
    context   = RecomputeContext(evaluated_at=now, settings=Settings(), workspace=workspace)
    outcome   = verify(bytes, trust=trust, context=context, engine=open_engine("embedded"))
    outcome.result, outcome.decision, outcome.exit_code

bytes ─wire─▶ Envelope ─trust─▶ VerifiedStatement ─predicates─▶ DoneReceipt ─recompute─▶ VerificationResult
─admission─▶ Decision ─report─▶ text. What is listed in `__all__` is the public API; it is loaded when it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from in_toto_done_receipt.version import VERSION as __version__

if TYPE_CHECKING:
    from in_toto_done_receipt.admission.engines import PolicyEngine, open_engine
    from in_toto_done_receipt.errors import DoneReceiptError
    from in_toto_done_receipt.handlers.done_receipt import HANDLER
    from in_toto_done_receipt.handlers.protocol import PredicateHandler
    from in_toto_done_receipt.handlers.registry import handlers_by_type, load_plugins
    from in_toto_done_receipt.observe.audit_chain.append import AuditChain
    from in_toto_done_receipt.observe.seal_set import SealSet
    from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
    from in_toto_done_receipt.pipeline import Outcome, verify
    from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
    from in_toto_done_receipt.producer.receipt_builder import ReceiptBuilder
    from in_toto_done_receipt.producer.written import WrittenReceipt, read_receipt
    from in_toto_done_receipt.profile.load import load_profile
    from in_toto_done_receipt.profile.settings import Settings
    from in_toto_done_receipt.profile.union import from_profiles
    from in_toto_done_receipt.recompute.context import RecomputeContext
    from in_toto_done_receipt.results.decision import Decision
    from in_toto_done_receipt.results.findings import Finding
    from in_toto_done_receipt.results.model import VerificationResult
    from in_toto_done_receipt.trust.file import load_trust
    from in_toto_done_receipt.trust.model import UNSIGNED, TrustPolicy

# Public name -> module below the package. Loaded by __getattr__, so that `--help` does not load the pipeline.
_PUBLIC: Final = {
    "AuditChain": "observe.audit_chain.append",
    "Decision": "results.decision",
    "DirectoryWorkspace": "observe.workspace",
    "DoneReceipt": "predicates.done_receipt.model",
    "DoneReceiptError": "errors",
    "Finding": "results.findings",
    "HANDLER": "handlers.done_receipt",
    "Outcome": "pipeline",
    "PolicyEngine": "admission.engines",
    "PredicateHandler": "handlers.protocol",
    "ReceiptBuilder": "producer.receipt_builder",
    "RecomputeContext": "recompute.context",
    "SealSet": "observe.seal_set",
    "Settings": "profile.settings",
    "TrustPolicy": "trust.model",
    "UNSIGNED": "trust.model",
    "VerificationResult": "results.model",
    "WrittenReceipt": "producer.written",
    "from_profiles": "profile.union",
    "handlers_by_type": "handlers.registry",
    "load_plugins": "handlers.registry",
    "load_profile": "profile.load",
    "load_trust": "trust.file",
    "open_engine": "admission.engines",
    "read_receipt": "producer.written",
    "verify": "pipeline",
}

__all__ = [
    "HANDLER",
    "UNSIGNED",
    "AuditChain",
    "Decision",
    "DirectoryWorkspace",
    "DoneReceipt",
    "DoneReceiptError",
    "Finding",
    "Outcome",
    "PolicyEngine",
    "PredicateHandler",
    "ReceiptBuilder",
    "RecomputeContext",
    "SealSet",
    "Settings",
    "TrustPolicy",
    "VerificationResult",
    "WrittenReceipt",
    "__version__",
    "from_profiles",
    "handlers_by_type",
    "load_plugins",
    "load_profile",
    "load_trust",
    "open_engine",
    "read_receipt",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
