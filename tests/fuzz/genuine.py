"""Genuine attestations and what a verifier may say of their mutants: exactly this payload, by exactly this signer.

A mutant that verifies is right only if what was verified and who signed it are one of the genuine ones, and no time or
log index is reported that nobody vouched for.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from in_toto_done_receipt.errors import DoneReceiptError
from in_toto_done_receipt.results.model import Signer
from in_toto_done_receipt.trust.file import load_trust
from in_toto_done_receipt.trust.model import TrustPolicy, VerifiedStatement
from in_toto_done_receipt.trust.verify import verify_group
from in_toto_done_receipt.wire.reader import read_receipts
from in_toto_done_receipt.wire.rfc3339 import parse_time
from testdata.receipts import generate
from tests.forge.keys import pem
from tests.forge.plan import V01, V02
from tests.forge.sigstore import Forge

NOW: Final = parse_time("2026-11-30T13:00:00Z")
WORKFLOW: Final = "https://forge.example.org/o/r/.github/workflows/w.yml@refs/heads/main"
CLAIMS: Final = {
    "sourceRepositoryURI": "https://forge.example.org/o/r",
    "sourceRepositoryDigest": "0" * 40,
    "buildSignerURI": WORKFLOW,
    "githubWorkflowTrigger": "push",
    "runnerEnvironment": "hosted",
}
TRUST: Final = f"""version = 1
[[identity]]
name = "dev"
subject = "dev@example.org"
issuer = "https://accounts.example.org"
[[identity]]
name = "workflow"
subject = "{WORKFLOW}"
issuer = "https://token.example.org"
claims = {{ sourceRepositoryURI = "https://forge.example.org/o/r", runnerEnvironment = "hosted" }}
[[identity]]
name = "robot"
subject = "robot"
issuer = "https://accounts.example.org"
timestamp = true
[[key]]
name = "worker"
path = "worker.pub"
[[key]]
name = "logged"
path = "logged.pub"
transparency = true
[[key]]
name = "stamped"
path = "stamped.pub"
transparency = true
timestamp = true
[sigstore]
trustedRoot = "root.json"
"""

# Who signs what: the payload is another one for each, so that parts cannot be exchanged without anybody noticing.
_PLANS: Final[dict[str, dict[str, Any]]] = {
    "v1": {},
    "v1, the same signer": {"index": 5},
    "v1, 0.1": {"media_type": V01},
    "v1, 0.2 and a timestamp": {"media_type": V02, "stamps": 1},
    "v1, intoto": {"entry": "intoto/0.0.2"},
    "v2": {"rekor": "v2"},
    "v2, the same signer": {"rekor": "v2", "index": 5},
    "v2, P-384": {"rekor": "v2", "curve": "P-384"},
    "workflow": {"identity": WORKFLOW, "issuer": "https://token.example.org", "claims": CLAIMS, "signer": "runner"},
    "robot, two timestamps": {"identity": "robot", "rekor": "v2", "stamps": 2, "signer": "robot"},
}
_MANAGED: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "key": ("worker", {}),
    "key, logged": ("logged", {"rekor": "v1"}),
    "key, logged as intoto": ("logged", {"rekor": "v1", "entry": "intoto/0.0.2"}),
    "key, stamped": ("stamped", {"rekor": "v2"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Everything about a verified signature that a mutant must not change."""

    payload: bytes
    payload_type: str
    name: str
    identity: str | None
    issuer: str | None
    claims: tuple[tuple[str, str], ...]
    fingerprint: str | None


class Wrong(AssertionError):
    """A mutant was accepted as something that nobody signed."""


@cache
def forge() -> Forge:
    """The Sigstore that the attestations come from."""
    return Forge.of("fuzz")


@cache
def bundles() -> dict[str, bytes]:
    """The attestations by name, each a file."""
    made: dict[str, Any] = {}
    for number, (name, plan) in enumerate(_PLANS.items()):
        made[name] = forge().bundle(_payload(number), **plan)
    for number, (name, (label, plan)) in enumerate(_MANAGED.items(), 100):
        made[name] = forge().managed(_payload(number), forge().key(label), **plan)
    worker = forge().managed(_payload(200), forge().key("worker"))
    made["envelope"] = worker["dsseEnvelope"]
    return {name: json.dumps(tree).encode() for name, tree in made.items()}


def _payload(number: int) -> bytes:
    tree = generate.base()
    tree["predicate"]["run"]["iterations"] = number
    return generate.payload_of(tree)


@cache
def root() -> bytes:
    """The trusted root."""
    return json.dumps(forge().trusted_root()).encode()


def trust(root_bytes: bytes) -> TrustPolicy:
    """Whose signature counts, with this root."""
    keys = {f"{label}.pub": pem(forge().key(label).public_key()) for label in ("worker", "logged", "stamped")}

    def read(path: Path) -> bytes:
        return root_bytes if path.name == "root.json" else keys[path.name]

    return load_trust(TRUST.encode(), base=Path("/base"), read=read)


@cache
def own_trust() -> TrustPolicy:
    """The same with the genuine root."""
    return trust(root())


def verified(data: bytes, policy: TrustPolicy) -> Iterable[VerifiedStatement]:
    """Every statement in the file that verifies. Raises an error of ours when the file cannot be read."""
    for group in read_receipts(data, what="receipt", allow_statement=False).groups:
        try:
            yield verify_group(group, policy, at=NOW)
        except DoneReceiptError:
            continue


def fact(statement: VerifiedStatement, signer: Signer) -> Fact:
    """What was verified, of one of its signers."""
    return Fact(
        payload=statement.payload,
        payload_type=statement.payload_type,
        name=signer.name,
        identity=signer.identity,
        issuer=signer.issuer,
        claims=tuple(sorted(signer.claims.items())),
        fingerprint=signer.key_fingerprint,
    )


@cache
def known() -> dict[Fact, tuple[frozenset[Any], frozenset[int | None]]]:
    """The genuine facts, each with the times and the log indexes that may be reported with it."""
    found: dict[Fact, tuple[frozenset[Any], frozenset[int | None]]] = {}
    for name, data in bundles().items():
        statements = list(verified(data, own_trust()))
        assert statements, f"{name}: the genuine attestation does not verify"
        for signer in statements[0].signers:
            indexes: set[int | None] = {signer.log_index, None}
            for entry in json.loads(data).get("verificationMaterial", {}).get("tlogEntries", []):
                indexes.add(int(entry["logIndex"]))  # promised by a v1 log; of a bundle without a proof
            times = frozenset((time.time, time.source) for time in signer.times)
            found[fact(statements[0], signer)] = times, frozenset(indexes)
    return found


def attestation_mutant(data: bytes) -> int:
    """How many signers of a changed attestation count."""
    return demand_genuine(data, own_trust())


def root_mutant(data: bytes) -> int:
    """How many signers count with a changed root, of two attestations that the change picks."""
    policy = trust(data)
    names = list(bundles())
    picked = sha256(data).digest()
    return sum(demand_genuine(bundles()[names[number % len(names)]], policy) for number in picked[:2])


def demand_genuine(data: bytes, policy: TrustPolicy) -> int:
    """How many signers of what may be a mutant count. Raises Wrong unless they are genuine, or an error of ours."""
    accepted = 0
    for statement in verified(data, policy):
        if not statement.signers:
            raise Wrong("a statement without a signer")
        for signer in statement.signers:
            said = fact(statement, signer)
            if said not in known():
                raise Wrong(f"nobody signed this: {said}")
            times, indexes = known()[said]
            told = {(time.time, time.source) for time in signer.times}
            if not told <= times or signer.log_index not in indexes:
                raise Wrong(f"nobody vouched for this: {told}, {signer.log_index}")
            accepted += 1
    return accepted
