"""Whole verifications: cold processes against the peers' commands, warm calls against Sigstore's verifier alone."""

import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.pipeline import verify
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.trust.flags import SOURCE_FLAG, from_flags
from testdata.receipts import generate
from tests.benchmarks.measure import Row, in_turn, once, warm
from tests.benchmarks.policies import OPA
from tests.benchmarks.receipts import make

SHARED = Path(os.environ.get("SHARED") or Path(__file__).parents[3] / "shared") / "corpus" / "sigstore"
BIN = Path(sys.executable).parent
OURS = [sys.executable, "-I", "-m", "in_toto_done_receipt"]
VERIFY = [*OURS, "verify", "receipt.json", "--trusted-key", "worker=worker.pub", "--root", "work", "--at", generate.NOW]
BUNDLE = "conf-happy-path-intoto-in-dsse-v3-bundle.json"
IDENTITY = (
    "https://github.com/sigstore-conformance/extremely-dangerous-public-oidc-beacon/"
    ".github/workflows/extremely-dangerous-oidc-beacon.yml@refs/heads/main"
)
ISSUER = "https://token.actions.githubusercontent.com"
ARTIFACT = "sha256:a0cfc71271d6e278e57cd332ff957c3f7043fdda354c4cbb190a30d56efa01bf"


def rows(scratch: Path, rounds: int) -> Iterator[Row]:
    """Start-up, key-signed receipts, Sigstore bundles."""
    yield from _start(scratch, rounds)
    yield from _key_signed(scratch, rounds)
    yield from _linear(scratch, rounds)
    if SHARED.is_dir():
        yield from _sigstore(scratch, rounds)
        yield from _warm(rounds)


def _start(scratch: Path, rounds: int) -> Iterator[Row]:
    commands: dict[str, tuple[list[Any], int]] = {
        "interpreter": ([sys.executable, "-I", "-c", "pass"], 0),
        "import in_toto_done_receipt": ([sys.executable, "-I", "-c", "import in_toto_done_receipt"], 0),
        "done-receipt --help": ([*OURS, "--help"], 0),
    }
    costs = in_turn(commands, cwd=scratch, rounds=rounds)
    for what, note in (
        ("import in_toto_done_receipt", "target: 0.08 s"),
        ("done-receipt --help", "target: 0.15 s"),
    ):
        bare = costs["interpreter"].wall
        yield Row(what=what, ours=costs[what].wall, peer="interpreter", theirs=bare, memory=costs[what].peak, note=note)


def _key_signed(scratch: Path, rounds: int) -> Iterator[Row]:
    folder = make(scratch / "cold", items=20)
    build = [
        BIN / "agent-receipt",
        "build",
        "--workspace-root",
        "work",
        "--agent",
        "a",
        "--task",
        "t",
        "--claim",
        "c=c",
    ]
    for number in range(20):
        build += ["--file-hash", f"c=f{number:05}.txt"]
    once([*build, "--out", "old.json"], cwd=folder)
    old = [BIN / "agent-receipt", "verify", "old.json", "--recheck", "--recheck-root", "work"]
    evaluate = [OPA, "eval", "--data", "policy.rego", "--input", "old.json", "data.p.allow"]
    (folder / "policy.rego").write_text("package p\n\nallow if input.overall_ok\n")
    commands: dict[str, tuple[list[Any], int]] = {
        "ours": (VERIFY, 0),
        "agent-receipt": (old, 0),
        "opa eval": (evaluate, 0),
    }
    costs = in_turn(commands, cwd=folder, rounds=rounds)
    what, ours = "verify, key-signed, 20 file items, cold", costs["ours"]
    both = costs["agent-receipt"].wall + costs["opa eval"].wall
    yield Row(
        what=what,
        ours=ours.wall,
        peer="agent-receipt verify",
        theirs=costs["agent-receipt"].wall,
        target=3.0,
        memory=ours.peak,
        note="target also: 0.16 s",
    )
    yield Row(what=what, ours=ours.wall, peer="agent-receipt verify + opa eval", theirs=both, memory=ours.peak)


def _linear(scratch: Path, rounds: int) -> Iterator[Row]:
    sizes = {"5,000 subjects": make(scratch / "half", items=200, subjects=5_000)}
    sizes["10,000 subjects"] = make(scratch / "whole", items=200, subjects=10_000)
    costs = {name: in_turn({name: (VERIFY, 0)}, cwd=folder, rounds=rounds)[name] for name, folder in sizes.items()}
    half, whole = costs["5,000 subjects"], costs["10,000 subjects"]
    size = (sizes["10,000 subjects"] / "receipt.json").stat().st_size / 2**20
    note = (
        f"twice the subjects; memory is {whole.peak / size:.0f} times the file of {size:.1f} MiB, interpreter included"
    )
    yield Row(
        what="verify, 200 items, 10,000 subjects",
        ours=whole.wall,
        peer="5,000 subjects",
        theirs=half.wall,
        target=2.2,
        memory=whole.peak,
        note=note,
    )


def _sigstore(scratch: Path, rounds: int) -> Iterator[Row]:
    who = ["--cert-identity", IDENTITY, "--cert-oidc-issuer", ISSUER]
    theirs = [BIN / "sigstore", "verify", "identity", "--offline", "--bundle", SHARED / BUNDLE, *who, ARTIFACT]
    ours: list[Any] = [*OURS, "verify", SHARED / BUNDLE, "--trusted-root", SHARED / "root-targets-trusted_root.json"]
    ours += ["--certificate-identity", IDENTITY, "--certificate-oidc-issuer", ISSUER]
    ours += ["--certificate-source-repository", IDENTITY.partition("/.github")[0]]
    commands: dict[str, tuple[list[Any], int]] = {"ours": (ours, 12), "sigstore": (theirs, 0)}
    costs = in_turn(commands, cwd=scratch, rounds=rounds)
    yield Row(
        what="verify, Sigstore bundle, cold",
        ours=costs["ours"].wall,
        peer="sigstore verify identity --offline",
        theirs=costs["sigstore"].wall,
        target=1.0,
        memory=costs["ours"].peak,
        note="with decision; a foreign predicate, so denied",
    )


def _warm(rounds: int) -> Iterator[Row]:
    from sigstore.models import Bundle, TrustedRoot
    from sigstore.verify import Verifier, policy

    root = SHARED / "root-targets-trusted_root.json"
    data = (SHARED / BUNDLE).read_bytes()
    verifier = Verifier(trusted_root=TrustedRoot.from_file(str(root)))
    identity = policy.Identity(identity=IDENTITY, issuer=ISSUER)
    trust = from_flags(
        certificate_identity=IDENTITY,
        certificate_oidc_issuer=ISSUER,
        claims={SOURCE_FLAG: IDENTITY.partition("/.github")[0]},
        trusted_root=root,
        read=Path.read_bytes,
    )
    engine = EmbeddedEngine(jit=True)
    context = RecomputeContext(evaluated_at=datetime.now(UTC), settings=Settings())
    times = warm(
        {
            "ours": lambda: verify(data, trust=trust, context=context, engine=engine),
            "theirs": lambda: verifier.verify_dsse(Bundle.from_json(data), identity),
        },
        rounds=rounds * 10,
    )
    engine.close()
    yield Row(
        what="verify, Sigstore bundle, warm, per receipt",
        ours=times["ours"],
        peer="Verifier.verify_dsse alone",
        theirs=times["theirs"],
        target=2.0,
    )
