"""Sigstore bundles: cold against other clients' commands, warm against the library's verifier, memory, many at once."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.pipeline import verify
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.trust.flags import SOURCE_FLAG, from_flags
from in_toto_done_receipt.trust.model import TrustPolicy
from in_toto_done_receipt.trust.verify import verify_group
from in_toto_done_receipt.wire.reader import read_receipts
from in_toto_done_receipt.wire.rfc3339 import parse_time
from testdata.receipts import generate
from tests.benchmarks.measure import Row, in_turn, once, warm
from tests.benchmarks.verifications import BIN, OURS
from tests.forge.sigstore import Forge

SHARED: Final = Path(os.environ.get("SHARED") or Path(__file__).parents[3] / "shared") / "corpus" / "sigstore"
COSIGN: Final = Path(__file__).parents[2] / ".tools" / "bin" / "cosign"
MIB: Final = 2**20
MANY: Final = 1_000

_CONFIG: Final = "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json"
_SIGNING: Final = {"mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A bundle and whom to trust for it; `code` is what `verify` ends with, `work` the tree that it is about."""

    name: str
    path: Path
    root: Path
    identity: str
    issuer: str
    repository: str | None
    subject: str
    predicate_type: str
    at: str | None
    code: int
    work: Path | None = None

    def ours(self) -> list[Any]:
        words = [*OURS, "verify", self.path, "--trusted-root", self.root, "--certificate-identity", self.identity]
        words += ["--certificate-oidc-issuer", self.issuer]
        words += ["--certificate-source-repository", self.repository] if self.repository else []
        words += ["--root", self.work] if self.work else []
        return words + (["--at", self.at] if self.at else [])

    def sigstore(self, config: Path) -> list[Any]:
        who = ["--cert-identity", self.identity, "--cert-oidc-issuer", self.issuer]
        return [
            BIN / "sigstore", "--trust-config", config, "verify", "identity", "--offline", "--bundle", self.path,
            *who, self.subject,
        ]  # fmt: skip

    def cosign(self) -> list[Any]:
        who = ["--certificate-identity", self.identity, "--certificate-oidc-issuer", self.issuer]
        words = [COSIGN, "verify-blob-attestation", "--bundle", self.path, "--trusted-root", self.root, *who]
        words += ["--type", self.predicate_type]
        if self.subject.startswith("sha256:"):
            return [*words, "--digest", self.subject.removeprefix("sha256:"), "--digestAlg", "sha256"]
        return [*words, self.subject]

    def trust(self) -> TrustPolicy:
        claims = {SOURCE_FLAG: self.repository} if self.repository else {}
        return from_flags(
            certificate_identity=self.identity,
            certificate_oidc_issuer=self.issuer,
            claims=claims,
            trusted_root=self.root,
            read=Path.read_bytes,
        )


def rows(scratch: Path, rounds: int) -> Iterator[Row]:
    """All of it; the public Sigstore's bundle only where the real files are."""
    folder = scratch / "bundles"
    made = [_forged(folder, rekor) for rekor in ("v1", "v2")]
    public = [_public()] if SHARED.is_dir() else []
    for bundle in public + made:
        yield from _cold(folder, bundle, rounds)
        yield from _warm(folder, bundle, rounds)
    yield from _large(folder, rounds)
    yield from _many(folder, rounds)


def _public() -> Bundle:
    identity = (
        "https://github.com/sigstore-conformance/extremely-dangerous-public-oidc-beacon/"
        ".github/workflows/extremely-dangerous-oidc-beacon.yml@refs/heads/main"
    )
    return Bundle(
        name="public Sigstore",
        path=SHARED / "conf-happy-path-intoto-in-dsse-v3-bundle.json",
        root=SHARED / "root-targets-trusted_root.json",
        identity=identity,
        issuer="https://token.actions.githubusercontent.com",
        repository=identity.partition("/.github")[0],
        subject="sha256:a0cfc71271d6e278e57cd332ff957c3f7043fdda354c4cbb190a30d56efa01bf",
        predicate_type="https://slsa.dev/provenance/v1",
        at=None,
        code=12,  # a foreign predicate
    )


def _forged(folder: Path, rekor: str, *, name: str = "", payload: bytes = b"", code: int = 0, kind: str = "") -> Bundle:
    """A bundle of an honest receipt, or of this payload, with the work that it is about."""
    forge = Forge.of("bench")
    for path, text in generate.WORK.items():
        place = folder / "work" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    receipt = folder / f"{name or rekor}.json"
    receipt.write_text(json.dumps(forge.bundle(payload or generate.payload_of(generate.base()), rekor=rekor)))
    (folder / "root.json").write_text(json.dumps(forge.trusted_root()))
    return Bundle(
        name=f"Rekor {rekor}",
        path=receipt,
        root=folder / "root.json",
        identity="dev@example.org",
        issuer="https://accounts.example.org",
        repository=None,
        subject=str(folder / "work" / "greeting.txt"),
        predicate_type=kind or "https://w3id.org/done-receipt/v0.1",
        at=generate.NOW,
        code=code,
        work=folder / "work",
    )


def _config(folder: Path, bundle: Bundle) -> Path:
    path = folder / "config.json"
    root = json.loads(bundle.root.read_bytes())
    path.write_text(json.dumps({"mediaType": _CONFIG, "trustedRoot": root, "signingConfig": _SIGNING}))
    return path


def _cold(folder: Path, bundle: Bundle, rounds: int) -> Iterator[Row]:
    peers = {"sigstore verify identity --offline": bundle.sigstore(_config(folder, bundle))}
    if COSIGN.exists():
        peers["cosign verify-blob-attestation"] = bundle.cosign()
    commands: dict[str, tuple[list[Any], int]] = {name: (words, 0) for name, words in peers.items()}
    costs = in_turn({"ours": (bundle.ours(), bundle.code)} | commands, cwd=folder, rounds=rounds)
    for peer in peers:
        yield Row(
            what=f"verify, bundle, {bundle.name}, cold",
            ours=costs["ours"].wall,
            peer=peer,
            theirs=costs[peer].wall,
            target=1.0 if peer.startswith("sigstore") else None,
            memory=costs["ours"].peak,
            note="recheck and decision included" if not bundle.code else "a foreign predicate: decision included",
        )


def _warm(folder: Path, bundle: Bundle, rounds: int) -> Iterator[Row]:
    from sigstore.models import Bundle as Theirs
    from sigstore.models import ClientTrustConfig
    from sigstore.verify import Verifier, policy

    data, trust = bundle.path.read_bytes(), bundle.trust()
    verifier = Verifier(trusted_root=ClientTrustConfig.from_json(_config(folder, bundle).read_text()).trusted_root)
    identity = policy.Identity(identity=bundle.identity, issuer=bundle.issuer)
    at = parse_time(bundle.at) if bundle.at else datetime.now(UTC)
    engine = EmbeddedEngine(jit=True)
    with DirectoryWorkspace(bundle.work or folder) as workspace:
        context = RecomputeContext(evaluated_at=at, settings=Settings(), workspace=workspace if bundle.work else None)

        def signature() -> None:
            for group in read_receipts(data, what="receipt", allow_statement=False).groups:
                verify_group(group, trust, at=at)

        times = warm(
            {
                "signature": signature,
                "all": lambda: verify(data, trust=trust, context=context, engine=engine),
                "theirs": lambda: verifier.verify_dsse(Theirs.from_json(data), identity),
            },
            rounds=rounds * 20,
        )
    engine.close()
    # A small receipt under a small root leaves the library little to do: recheck and decision weigh the more.
    whole = 2.0 if bundle.name.startswith("public") else None
    for what, target, note in (
        ("signature", 2.0, "the same work: bundle, signature and statement"),
        ("all", whole, "and recheck, and decision"),
    ):
        yield Row(
            what=f"verify, bundle, {bundle.name}, warm, {what}",
            ours=times[what],
            peer="Verifier.verify_dsse",
            theirs=times["theirs"],
            target=target,
            note=note,
        )


def _large(folder: Path, rounds: int) -> Iterator[Row]:
    """How much more memory a large payload takes than a small one, in its own size."""
    small = once(_forged(folder, "v2").ours(), cwd=folder).peak
    for name, change, code, target in (
        ("10,000 subjects with long names", _subjects, 11, None),
        ("one long text", _text, 12, 8.0),
        ("270,000 small objects", _objects, 12, None),
    ):
        payload = generate.payload_of(change(generate.base()))
        kind = "https://example.org/large" if change is not _subjects else ""
        bundle = _forged(folder, "v2", name="large", payload=payload, code=code, kind=kind)
        ours = once(bundle.ours(), cwd=folder, expected=code).peak
        theirs = once(bundle.sigstore(_config(folder, bundle)), cwd=folder).peak
        yield Row(
            what=f"memory for a payload: {name}",
            ours=ours - small,
            peer="the payload",
            theirs=len(payload) / MIB,
            target=target,
            memory=ours,
            note=f"sigstore verify identity: {theirs:.0f} MiB in all",
            unit="MiB",
        )


def _subjects(tree: dict[str, Any]) -> dict[str, Any]:
    names = (f"{number:05}" + "/n" * 460 for number in range(9_999))
    tree["subject"] += [{"name": name, "digest": {"sha256": "0" * 64}} for name in names]
    return tree


def _text(tree: dict[str, Any]) -> dict[str, Any]:
    return tree | {"predicateType": "https://example.org/large", "predicate": {"text": "x" * (10 * MIB - 600)}}


def _objects(tree: dict[str, Any]) -> dict[str, Any]:
    listed = [{"name": f"item{number:07}", "value": number} for number in range(270_000)]
    return tree | {"predicateType": "https://example.org/large", "predicate": {"list": listed}}


def _many(folder: Path, rounds: int) -> Iterator[Row]:
    """Many bundles in one call, on all processors and on one."""
    forge, many = Forge.of("bench"), folder / "many"
    many.mkdir(exist_ok=True)
    names = []
    for number in range(MANY):
        statement = generate.base()
        statement["predicate"]["run"]["iterations"] = number
        made = forge.bundle(generate.payload_of(statement), rekor=("v1", "v2")[number % 2], signer=f"{number % 7}")
        names.append(many / f"{number:04}.json")
        names[-1].write_text(json.dumps(made))
    words = _forged(folder, "v1").ours()
    line = [*words[: len(OURS) + 1], *names, *words[len(OURS) + 2 :], "--json"]
    commands: Mapping[str, tuple[list[Any], int]] = {
        "all": (line, 0),
        "one": ([sys.executable, "-I", "-S", "-c", _ON_ONE, *line], 0),
    }
    costs = in_turn(commands, cwd=folder, rounds=max(2, rounds // 2))
    wall = costs["all"].wall
    yield Row(
        what=f"verify, {MANY:,} bundles in one call",
        ours=wall,
        peer="the same on one processor",
        theirs=costs["one"].wall,
        target=0.7 if len(os.sched_getaffinity(0)) > 1 else None,
        memory=costs["all"].peak,
        note=f"{costs['all'].cpu / wall:.2f} processors busy, {wall / MANY * 1000:.1f} ms each",
    )


_ON_ONE: Final = "import os, sys; os.sched_setaffinity(0, {0}); os.execv(sys.argv[1], sys.argv[1:])"
