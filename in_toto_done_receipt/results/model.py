"""The result document: everything a verification found, as report, Rego and HTTP all see it.

Published as `v0.1.schema.json` beside this file. Written with `wire.record.to_tree`, read with `results.document`.
"""

from typing import Any, Final, Literal

import msgspec

from in_toto_done_receipt.results.findings import Finding, Status
from in_toto_done_receipt.results.states import Assurance, Coverage, ItemState, State
from in_toto_done_receipt.wire.record import Record

RESULT_SCHEMA: Final = "https://w3id.org/done-receipt/result/v0.1"

ContractState = Literal["held", "held_as_reported", "moved", "nothing_sealed", "not_checked"]
SandboxLevel = Literal["bubblewrap", "landlock", "rlimits"]
SANDBOX_LEVELS: Final[tuple[SandboxLevel, ...]] = ("rlimits", "landlock", "bubblewrap")  # weakest first


class Verifier(Record):
    """Who verified."""

    id: str
    version: str


class PayloadFacts(Record):
    """One payload of a file that holds several. What it says of itself is told only if trusted principals signed it.

    `fault` says why it could not be examined at all.
    """

    payload_sha256: str
    lines: tuple[int, ...] = ()
    signers: tuple[str, ...] = ()
    predicate_type: str | None = None
    fault: str | None = None


class InputFacts(Record):
    """The bytes that were verified. `sha256` is the file's, `payload_sha256` the signed payload's.

    Of JSON Lines, `lines` are the ones with this payload, `skipped` counts those of another kind, and `payloads` lists
    all, this one too, if there are several.
    """

    media_type: str
    sha256: str
    bytes: int
    payload_sha256: str
    lines: tuple[int, ...] = ()
    skipped: int = 0
    payloads: tuple[PayloadFacts, ...] = ()


class SignedTime(Record):
    """A time somebody else than the signer vouches for. `source` is `rekor` or `tsa`; `time` is RFC 3339 in UTC."""

    time: str
    source: str


class Signer(Record):
    """One trusted signer of the payload.

    `kind` is `key` or `sigstore`; `claims` are certificate claims named as `gh attestation verify` prints them;
    `key_fingerprint` is `sha256:<SPKI digest>` of the key, or of the one in the certificate. `line` is that of the
    attestation, in JSON Lines.
    """

    name: str
    principal: str
    kind: Literal["key", "sigstore"]
    identity: str | None = None
    issuer: str | None = None
    claims: dict[str, str] = msgspec.field(default_factory=dict)
    key_fingerprint: str | None = None
    log_index: int | None = None
    times: tuple[SignedTime, ...] = ()
    line: int | None = None


class TrustedRoot(Record):
    """The Sigstore trusted root that was used. `age` is in seconds at the time of evaluation, and counts from
    `obtained_on`, which is the verifier's word, or else from its newest validity start.
    """

    sha256: str
    obtained_on: str | None = None
    newest_validity_start: str | None = None
    age: int | None = None


class TrustFacts(Record):
    """What decided whose signature counts. `mode` is `signed` or `unsigned`."""

    mode: Literal["signed", "unsigned"]
    digest: str
    threshold: int
    root: TrustedRoot | None = None


class Check(Record):
    """All findings of one check."""

    id: str
    status: Status
    findings: tuple[Finding, ...]


class EvidenceResult(Record):
    """One evidence item after the recheck. `ok` is the receipt's own word; `path` and `argv` say what it is about."""

    index: int
    kind: str
    ok: bool
    state: ItemState
    reason: str
    message: str
    path: str | None = None
    argv: tuple[str, ...] | None = None
    expected: str | int | bool | None = None
    observed: str | int | bool | None = None


class ClaimResult(Record):
    """One claim; `statement` is the agent's own words."""

    id: str
    statement: str
    state: State
    evidence: tuple[EvidenceResult, ...]


class Movement(Record):
    """A sealed path that moved; `change` is modified, created, deleted or not_a_file."""

    path: str
    change: str


class Contract(Record):
    """The acceptance contract. `breach` is what the receipt itself reports."""

    state: ContractState
    sealed: int
    absent: int
    moved: tuple[Movement, ...] = ()
    breach: str | None = None


class Layer(Record):
    """One layer of the sandbox after its self-test."""

    name: str
    active: bool
    detail: str = ""


class Sandbox(Record):
    """The level at which commands ran (none: nothing ran), and each layer."""

    level: Literal["bubblewrap", "landlock", "rlimits", "none"]
    required: SandboxLevel
    layers: tuple[Layer, ...] = ()


class TestCounts(Record):
    """One run of the tests, without the verifier's own canaries; `exit_code` is that of the run with them in it.

    `name`: `base`; `restored`, head's product with base's tests and harness; `head` as it is; `control`, base's product
    with head's tests.
    """

    __test__ = False

    name: Literal["base", "restored", "head", "control"]
    collected: int
    passed: int
    failed: int
    errored: int
    skipped: int
    xfailed: int
    xpassed: int
    exit_code: int | None
    duration_ms: int


class Listed(Record):
    """Ids of tests: how many there are, and the first hundred of them."""

    total: int
    ids: tuple[str, ...] = ()


class Tests(Record):
    """The clean room: the verifier's test command, its runs, and the layers of canaries that were active.

    `executable` is the sha256 of the command's. `made_to_fail` are existing tests that were red once as canaries.
    """

    __test__ = False

    runner: str
    argv: tuple[str, ...]
    executable: str
    runs: tuple[TestCounts, ...]
    layers: tuple[Literal["planted", "halves", "gate", "value"], ...]
    made_to_fail: Listed
    preexisting: Listed
    flaky: Listed
    red: Listed
    missing: Listed
    newly_skipped: Listed
    expected_failure: Listed
    shrunk: Listed
    unstable: Listed
    new_tests: Listed


class AllowedCommand(Record):
    """A command that the verifier allowed to run again, and what it counted as success."""

    argv: tuple[str, ...]
    exit_code: int = 0
    stdout_contains: str | None = None


class Workspace(Record):
    """What was looked at: a `live` directory or a `git-tree`."""

    kind: Literal["live", "git-tree"]
    root: str


class Change(Record):
    """The change that was read from git: full ids. `tree` is what was examined: head's, or with `onto` the merged one.

    `added` to `renamed` count paths; `stores` are folders that objects were borrowed from beside the repository's own.
    """

    head: str
    tree: str
    base: str | None = None
    onto: str | None = None
    head_ref: str | None = None
    target_ref: str | None = None
    added: int = 0
    changed: int = 0
    deleted: int = 0
    renamed: int = 0
    stores: tuple[str, ...] = ()
    look_alikes: tuple[str, ...] = ()
    confined: bool = False


class Verdict(Record):
    """The receipt's verdict and whether the receipt agrees with itself; `summary` is the receipt's one line."""

    checked: bool
    passed: bool
    reason: str
    coherent: bool
    summary: str


class Untrusted(Record):
    """The statement as signed. No rule may read below it."""

    statement: Any = None


class RunFacts(Record):
    """What the receipt reports about the run, for demands of the profile: present only as far as it says so."""

    agent: str | None = None
    model: str | None = None
    outcome: str | None = None
    finished_on: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    iterations: int | None = None
    tool_calls: int | None = None


class VerificationResult(Record):
    """What one verification found. Made by the recompute engine only; read back by `results.document.read_result`.

    `backdated`: `evaluated_at` had passed when the verification ran. `overrides` are the loosenings that it was told by
    name, `allowed_commands` what could run again, both for whoever decides elsewhere.
    """

    schema: str
    evaluated_at: str
    verifier: Verifier
    input: InputFacts
    trust: TrustFacts
    signers: tuple[Signer, ...]
    attester_names: tuple[str, ...]
    examined: bool
    predicate_type: str | None
    matched_subjects: tuple[str, ...]
    checks: tuple[Check, ...]
    claims: tuple[ClaimResult, ...]
    coverage: Coverage
    assurance: Assurance
    contract: Contract
    sandbox: Sandbox
    run: RunFacts
    workspace: Workspace | None
    verdict: Verdict | None
    summary: str
    profile_digest: str | None
    handlers: tuple[str, ...]
    unrecognized_fields: tuple[str, ...]
    untrusted: Untrusted
    backdated: bool = False
    change: Change | None = None
    overrides: tuple[str, ...] = ()
    allowed_commands: tuple[AllowedCommand, ...] = ()
    tests: Tests | None = None

    def check(self, check: str) -> Check | None:
        """The check with this id, or None."""
        return next((found for found in self.checks if found.id == check), None)
