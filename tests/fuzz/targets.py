"""What is fuzzed: every reader of bytes that somebody else wrote, with what must hold for any bytes at all.

A target runs one input. It ends quietly, or with an error that the reader is allowed to raise; every other exception,
an answer that contradicts itself, and a message that could act on a terminal are findings.
"""

import gzip
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final
from unicodedata import category

from msgspec.structs import replace

from in_toto_done_receipt.admission.custom.archive import read_archive
from in_toto_done_receipt.admission.custom.bundle import bundle
from in_toto_done_receipt.admission.custom.manifest import read_manifest as read_bundle_manifest
from in_toto_done_receipt.errors import (
    ConfigurationError,
    DoneReceiptError,
    MalformedInput,
    ProfileError,
    SignatureNotTrusted,
    TrustError,
)
from in_toto_done_receipt.handlers.registry import handlers_by_type
from in_toto_done_receipt.importers import agent_receipt, harness_receipt
from in_toto_done_receipt.importers.harness_format import file_bytes
from in_toto_done_receipt.importers.model import statement_of
from in_toto_done_receipt.observe.audit_chain.line import NotALineError, read_line
from in_toto_done_receipt.observe.manifest.read import read_manifest
from in_toto_done_receipt.observe.runners.junit_xml import read_junit
from in_toto_done_receipt.observe.runners.node_source import found_tests
from in_toto_done_receipt.observe.seals import read_contract, write_contract
from in_toto_done_receipt.pipeline import recompute
from in_toto_done_receipt.predicates.done_receipt.coherence import coherence_faults
from in_toto_done_receipt.predicates.done_receipt.summary import summary_line
from in_toto_done_receipt.predicates.done_receipt.v0_1 import PREDICATE_TYPE, read_predicate, unrecognized
from in_toto_done_receipt.profile.load import load_profile
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.profile.show import described
from in_toto_done_receipt.profile.union import from_profiles
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.report.json import dump
from in_toto_done_receipt.results.document import read_result
from in_toto_done_receipt.results.outcome import refutation_code
from in_toto_done_receipt.trust.file import load_trust
from in_toto_done_receipt.trust.model import UNSIGNED
from in_toto_done_receipt.trust.verify import verify_group
from in_toto_done_receipt.wire.bundle import Bundle
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.dsse import read_envelope, write_envelope
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.paths import check_path, twin_key
from in_toto_done_receipt.wire.reader import read_receipts
from in_toto_done_receipt.wire.record import to_tree
from in_toto_done_receipt.wire.rfc3339 import parse_time
from in_toto_done_receipt.wire.statement import Statement, read_statement
from in_toto_done_receipt.wire.strict_json import loads
from tests.conformance import harness_original as original
from tests.fuzz import compiled, genuine
from tests.fuzz.bundle_mutation import WORDS, mutant
from tests.fuzz.mutation import mutated, spliced

ROOT: Final = Path(__file__).parents[2]
DATA: Final = ROOT / "testdata"
NOW: Final = parse_time("2026-11-30T13:00:00Z")
MAX_MESSAGE_CHARACTERS: Final = 20_000  # a path of 4,096 bytes, each spelled out, named once

_ACTING: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # what moves the cursor, hides itself or starts a line

Seeds = Callable[[], Iterable[bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """`allowed` are the errors that the reader may raise, `words` what its dictionary holds besides JSON itself.

    `mutate` knows the form of the inputs better than `mutation.mutated` does.
    """

    name: str
    run: Callable[[bytes], None]
    allowed: tuple[type[DoneReceiptError], ...] = (MalformedInput,)
    seeds: Seeds
    words: tuple[str, ...] = ()
    toml: bool = False
    mutate: Callable[[bytes, Random], bytes] | None = None

    def mutated(self, data: bytes, random: Random) -> bytes:
        """The input with a few changes that keep its form."""
        if self.mutate is not None:
            return self.mutate(data, random)
        return mutated(data, words=self.words, toml=self.toml, random=random)


def attempt(target: Target, data: bytes) -> None:
    """One input. Whatever this raises is a finding."""
    try:
        target.run(data)
    except target.allowed as error:
        said = [error.message, error.hint or "", *getattr(error, "faults", ())]
        for text in said:
            assert len(text) <= MAX_MESSAGE_CHARACTERS, f"a message of {len(text)} characters"
            assert _ACTING.isdisjoint(map(category, escape(text))), f"a message that acts: {text!a}"


# --- the targets ----------------------------------------------------------------------------------------------------


def _json(data: bytes) -> None:
    tree = loads(data)
    assert tree == json.loads(data), "the standard library reads something else"
    assert loads(canonical(tree)) == tree, "canonical bytes read back differ"


def _receipt(data: bytes) -> None:
    file = read_receipts(data, what="receipt", allow_statement=True)
    for group in file.groups:
        for part in group.parts:
            envelope = part.envelope if isinstance(part, Bundle) else part
            again = read_envelope(loads(write_envelope(envelope)))
            assert (again.payload, again.payload_type) == (group.payload, group.payload_type)
            assert again.signatures == envelope.signatures
        if file.kind != "statement":
            _refused_unless_signed(group)


def _refused_unless_signed(group: Any) -> None:
    """Nobody is trusted: a signature that counts all the same would be the finding of findings."""
    try:
        verify_group(group, _TRUST, at=NOW)
    except SignatureNotTrusted:
        return
    raise AssertionError("a signature by nobody is trusted")


def _statement(data: bytes) -> None:
    statement = read_statement(data)
    assert 1 <= len(statement.subjects) <= 10_000
    assert all(subject.digest for subject in statement.subjects)
    assert statement.tree == json.loads(data)


def _predicate(data: bytes) -> None:
    """The input is a predicate, or a statement that has one."""
    tree = loads(data)
    if isinstance(tree, dict) and "predicate" in tree:
        statement = read_statement(data)
    else:
        whole = _STATEMENT | {"predicate": tree}
        statement = read_statement(canonical(whole))
    receipt = read_predicate(statement)
    assert "\n" not in summary_line(receipt)
    assert all(fault.reason.startswith("statement.") for fault in coherence_faults(receipt, statement))
    unrecognized(receipt, statement)
    _same_predicate(receipt, statement)


def _same_predicate(receipt: Any, statement: Statement) -> None:
    """What was read says nothing that was not there."""
    assert isinstance(statement.predicate, dict)
    assert receipt.task.description == statement.predicate["task"]["description"]
    assert len(receipt.claims) == len(statement.predicate["claims"])


def _recompute(data: bytes) -> None:
    """An unsigned statement through steps 1 to 6; nothing to look at is given, so nothing may be confirmed."""
    found = recompute(data, trust=UNSIGNED, context=_CONTEXT, handlers=_HANDLERS)
    assert refutation_code(found.result) in (0, 10, 11)
    assert found.result.signers == ()
    assert not any(item.state == "confirmed" for claim in found.result.claims for item in claim.evidence)
    written = dump(to_tree(found.result), indent=None).encode()
    assert read_result(written, what="result", max_bytes=len(written)) == found.result


def _profile(data: bytes) -> None:
    settings = from_profiles({"acceptance.toml": load_profile(data, what="acceptance.toml")})
    described(settings)
    canonical(settings.policy_document())


def _trust(data: bytes) -> None:
    policy = load_trust(data, base=Path("/base"), read=_read)
    assert policy.threshold >= 1
    assert policy.keys or policy.identities, "a policy that trusts nobody"


def _agent_receipt(data: bytes) -> None:
    old = agent_receipt.read(data, what="receipt")
    context = RecomputeContext(evaluated_at=NOW, settings=Settings())
    found = recompute(data, trust=UNSIGNED, context=context, as_format="agent-receipt")
    assert found.result.examined
    statement = read_statement(statement_of(old, what="receipt"))
    read_predicate(statement)
    assert summary_line(old.receipt) == summary_line(read_predicate(statement))


def _harness_receipt(data: bytes) -> None:
    receipt = harness_receipt.read_harness_receipt(data)
    again = harness_receipt.read_harness_receipt(file_bytes(receipt))
    assert replace(again, digest=receipt.digest) == receipt
    context = RecomputeContext(evaluated_at=NOW, settings=Settings())
    assert recompute(data, trust=UNSIGNED, context=context, as_format="harness-receipt").result.examined


def _audit_line(data: bytes) -> None:
    try:
        line = read_line(data)
    except NotALineError:
        return
    assert line.raw in data
    assert json.loads(line.raw).get("request") == line.request


def _harness_receipts() -> Iterable[bytes]:
    yield original.pretty(original.receipt(contract={"entries": {"a/b": "0" * 64, "a-b": None}}, audit_request="r"))
    yield original.pretty(original.receipt(passed=False, reason="\x00\u2028", seal_breach="a was modified"))


def _audit_lines() -> Iterable[bytes]:
    yield from (line.rstrip(b"\n") for line in original.chain(original.run_records(breach=True)))


def _contract(data: bytes) -> None:
    contract = read_contract(data)
    assert read_contract(write_contract(contract)) == contract


def _manifest(data: bytes) -> None:
    manifest = read_manifest(data)
    again = read_manifest(manifest.canonical())
    assert again == manifest
    assert json.loads(data) == json.loads(manifest.canonical())


def _result(data: bytes) -> None:
    result = read_result(data, what="result", max_bytes=len(data))
    refutation_code(result)
    written = dump(to_tree(result), indent=None).encode()
    assert read_result(written, what="result", max_bytes=len(written)) == result


def _bundle(data: bytes) -> None:
    """A mutant of an attestation that others signed: what verifies is what they signed."""
    genuine.attestation_mutant(data)


def _root(data: bytes) -> None:
    """A mutant of a trusted root: what verifies all the same is genuine."""
    genuine.root_mutant(data)


def _policy_bundle(data: bytes) -> None:
    """A tar file in a bundle: its files have names that stay inside it, each once."""
    files = read_archive(gzip.compress(data, 1), what="bundle")
    assert all(check_path(name) is None for name in files)
    assert len({twin_key(name) for name in files}) == len(files)
    read_bundle_manifest(files.get(".manifest"), what="bundle")


def _policy_bundles() -> Iterable[bytes]:
    rules = {path.name: path.read_bytes() for path in (DATA / "own-policy" / "rules").rglob("*.rego")}
    yield gzip.decompress(bundle(rules, revision="1", roots=("done_receipt/custom",)))


def _junit(data: bytes) -> None:
    """A report of tests: each test is counted once, and what is said of it fits on a line."""
    report = read_junit(data, what="report")
    total = report.passed + report.failed + report.errored + report.skipped
    assert len(report.states) <= total
    assert total <= len(report.states) or report.repeated
    assert all(fault.isprintable() for fault in report.faults)


def _javascript(data: bytes) -> None:
    """A test file of Node: a test can be made to fail after a brace, and nowhere else."""
    for test in found_tests(data):
        assert data[test.position - 1 : test.position] == b"{"


def _of_attestations(data: bytes, random: Random) -> bytes:
    return mutant(data, tuple(genuine.bundles().values()), random)


def _of_roots(data: bytes, random: Random) -> bytes:
    return mutant(data, (genuine.root(),), random)


# --- what they need -------------------------------------------------------------------------------------------------

_STATEMENT: Final[dict[str, Any]] = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [{"name": "greeting.txt", "digest": {"sha256": "ab" * 32}}],
    "predicateType": PREDICATE_TYPE,
}
_JUNIT: Final = (
    b'<?xml version="1.0" encoding="utf-8"?><testsuites tests="3" failures="1">'
    b'<testsuite name="s" tests="3" failures="1" skipped="1"><testcase classname="c" name="a" time="0.1"/>'
    b'<testcase classname="c" name="b"><failure message="x">y</failure></testcase>'
    b'<testcase classname="c" name="c"><skipped type="pytest.xfail"/></testcase></testsuite></testsuites>'
)
_XML_WORDS: Final = ("<testsuites>", "<testsuite ", "<testcase ", "<failure/>", "<error/>", "</", "/>", "classname='")
_XML_MORE: Final = ("name='", "tests='", "errors='", "<!ENTITY", "<![CDATA[", "&#0;", "<?xml", "encoding='", "xmlns='")
_CODE_WORDS: Final = ("test(", "it('a', ", "describe(`", "=> {", "${", "/*", "function", "async ", "/[", "')", "}", "`")
_JAVASCRIPT: Final = (
    b"const r = /[/']/g; test('a', { timeout: 1 }, async (t) => { x(`${ {a: 1} }`); });\n"
    b"describe('s', function () { it('b', () => { /* } */ }); });\n"
)
_PEM: Final = (DATA / "receipts" / "trust" / "third.pub").read_bytes()
_KEY_ONLY: Final = b'version = 1\n[[key]]\nname = "third"\npath = "third.pub"\n'
_CONTEXT: Final = RecomputeContext(settings=Settings(), evaluated_at=NOW)
_HANDLERS: Final = handlers_by_type()


def _read(path: Path) -> bytes:
    """Instead of the disk: a key for every path but a few that are something else."""
    return {".json": b"{}", ".txt": b"not a key"}.get(path.suffix, _PEM)


_TRUST: Final = load_trust(_KEY_ONLY, base=Path("/base"), read=_read)


def _files(*patterns: str) -> Seeds:
    def read() -> Iterable[bytes]:
        for pattern in patterns:
            for path in sorted(DATA.glob(pattern)):
                yield path.read_bytes()

    return read


def _payloads() -> Iterable[bytes]:
    for path in sorted((DATA / "receipts").glob("*/receipt.json")):
        try:
            file = read_receipts(path.read_bytes(), what=path.name, allow_statement=True)
        except MalformedInput:
            continue
        yield from (group.payload for group in file.groups)


def _predicates() -> Iterable[bytes]:
    for payload in _payloads():
        tree = json.loads(payload)
        if isinstance(tree, dict) and isinstance(tree.get("predicate"), dict):
            yield canonical(tree["predicate"])
    yield from _files("predicate/*/*/*.json")()


def _manifests() -> Iterable[bytes]:
    yield b'{"file_count":0,"files":[],"schema":"agent-output-manifest/v1","total_bytes":0}'
    yield from _files("receipts/*/manifest.json")()


def _results() -> Iterable[bytes]:
    yield canonical(json.loads((DATA / "policy-input" / "admitted.json").read_bytes())["result"])
    for payload in _payloads():
        try:
            found = recompute(payload, trust=UNSIGNED, context=_CONTEXT, handlers=_HANDLERS)
        except MalformedInput:
            continue
        yield dump(to_tree(found.result), indent=None).encode()


_RECEIPTS: Final = _files("receipts/*/receipt.json")
_DSSE_WORDS: Final = (
    "payload", "payloadType", "signatures", "keyid", "sig", "mediaType", "dsseEnvelope", "messageSignature",
    "verificationMaterial", "publicKey", "hint", "certificate", "rawBytes", "x509CertificateChain", "tlogEntries",
    "timestampVerificationData", "application/vnd.in-toto+json", "application/vnd.dev.sigstore.bundle.v0.3+json",
)  # fmt: skip
_STATEMENT_WORDS: Final = (
    "_type", "subject", "name", "uri", "digest", "sha256", "sha384", "sha512", "predicateType", "predicate",
    "predicate_type", "type", "https://in-toto.io/Statement/v1", "https://in-toto.io/Statement/v0.1", PREDICATE_TYPE,
)  # fmt: skip
_PREDICATE_WORDS: Final = (
    "task", "agent", "run", "source", "context", "manifest", "contract", "verdict", "claims", "evidence", "kind", "ok",
    "observed", "error", "path", "file", "text", "command", "tests", "output", "expect", "directory", "present",
    "absent", "symlink", "other", "literal", "argv", "expected", "exitCode", "stdoutContains", "stdoutMatched",
    "stdout", "stderr", "bytes", "matched", "report", "passed", "failed", "errored", "skipped", "cited", "{junit}",
    "artifact", "sealed", "breach", "checked", "reason", "outcome", "completed", "budgetExhausted", "finishedOn",
    "startedOn", "usage", "inputTokens", "outputTokens", "auditLog", "requestId", "records", "head", "base",
    "gitCommit", "gitTree", "packet", "input", "outputManifest", "expectedSha256", "2026-11-30T12:00:00Z",
)  # fmt: skip
_PROFILE_WORDS: Final = (
    "version = 1", "collection", "minimal", "minimumAssurance", "include", "exclude", "[[evidence]]", "[[command]]",
    "[tests]", "[contract]", "[sandbox]", "[freshness]", "[agent]", "[usage]", "[limits]", "[[exception]]", "argv",
    "exitCode", "stdoutContains", "timeout", "required", "readOnly", "variables", "maxAge", "skew", "models",
    "maxInputTokens", "predicateTypes", "plugins", "sealed", "protected", "inf", "nan", "1979-05-27T07:32:00Z",
)  # fmt: skip
_TRUST_WORDS: Final = (
    "version = 1", "threshold", "[[key]]", "[[identity]]", "[sigstore]", "name", "principal", "path", "pem",
    "notBefore", "notAfter", "agents", "models", "repositories", "predicateTypes", "subject", "subjectRegexp",
    "issuer", "issuerRegexp", "claims", "trustedRoot", "sha256", "obtainedOn", "maxAge", "2026-11-30T12:00:00Z",
    "(?:", "[^", "{1,3}", "\\\\d", ".*", "|",
)  # fmt: skip
_TRUST_SEED: Final = rb"""version = 1
threshold = 1
[[key]]
name = "worker"
path = "worker.pub"
principal = "worker"
notBefore = 2026-01-01T00:00:00Z
notAfter = 2027-01-01T00:00:00Z
agents = ["worker-agent"]
[[identity]]
name = "ci"
subjectRegexp = 'https://github\.com/org/[a-z]+/\.github/workflows/.*@refs/(heads|tags)/.{1,20}'
issuer = "https://token.actions.githubusercontent.com"
claims = { sourceRepositoryURI = "https://github.com/org/repo" }
[sigstore]
trustedRoot = "root.json"
maxAge = 86400
"""

TARGETS: Final = (
    Target(name="json", run=_json, seeds=_RECEIPTS),
    Target(name="receipt", run=_receipt, seeds=_RECEIPTS, words=_DSSE_WORDS + _STATEMENT_WORDS),
    Target(name="statement", run=_statement, seeds=_payloads, words=_STATEMENT_WORDS),
    Target(name="predicate", run=_predicate, seeds=_predicates, words=_PREDICATE_WORDS),
    Target(name="recompute", run=_recompute, seeds=_payloads, words=_STATEMENT_WORDS + _PREDICATE_WORDS),
    Target(
        name="profile",
        run=_profile,
        allowed=(ProfileError,),
        seeds=_files("receipts/*/acceptance.toml"),
        words=_PROFILE_WORDS,
        toml=True,
    ),
    Target(
        name="trust",
        run=_trust,
        allowed=(TrustError,),
        seeds=lambda: [_KEY_ONLY, _TRUST_SEED, *_files("receipts/*/trust.toml")()],
        words=_TRUST_WORDS,
        toml=True,
    ),
    Target(
        name="agent-receipt",
        run=_agent_receipt,
        seeds=_files("agent_receipt/*/receipt.json"),
        words=("detail", "observed", "expect_sha256", "must_be_file", "stdout_contains", "created_at", "overall_ok"),
    ),
    Target(name="harness-receipt", run=_harness_receipt, seeds=_harness_receipts, words=("entries", "seal_breach")),
    Target(name="audit-line", run=_audit_line, seeds=_audit_lines, words=("seq", "prev", "hash", "record", "detail")),
    Target(name="contract", run=_contract, seeds=_files("receipts/*/contract.json"), words=("schema", "absent")),
    Target(name="manifest", run=_manifest, seeds=_manifests, words=("file_count", "files", "bytes", "total_bytes")),
    Target(
        name="bundle",
        run=_bundle,
        seeds=lambda: genuine.bundles().values(),
        words=WORDS,
        mutate=_of_attestations,
    ),
    Target(
        name="root", run=_root, allowed=(TrustError,), seeds=lambda: [genuine.root()], words=WORDS, mutate=_of_roots
    ),
    Target(
        name="junit",
        run=_junit,
        seeds=lambda: [_JUNIT],
        mutate=lambda data, random: spliced(data, _XML_WORDS + _XML_MORE, random),
    ),
    Target(
        name="javascript",
        run=_javascript,
        seeds=lambda: [(DATA / "receipts" / "clean_room" / "node_suites" / "history.json").read_bytes(), _JAVASCRIPT],
        mutate=lambda data, random: spliced(data, _CODE_WORDS, random),
    ),
    Target(
        name="go",
        run=compiled.go,
        seeds=lambda: compiled.GO,
        mutate=lambda data, random: spliced(data, compiled.GO_WORDS, random),
    ),
    Target(
        name="rust",
        run=compiled.rust,
        seeds=lambda: compiled.RUST,
        mutate=lambda data, random: spliced(data, compiled.RUST_WORDS, random),
    ),
    Target(name="result", run=_result, seeds=_results, words=_PREDICATE_WORDS),
    Target(
        name="policy-bundle",
        run=_policy_bundle,
        allowed=(ConfigurationError,),
        seeds=_policy_bundles,
        words=("ustar", "roots", "rego_version", "done_receipt/custom", "../", "._", ".manifest", "path=", "size="),
    ),
)


def by_name(name: str) -> Target:
    """The target of this name; KeyError if there is none."""
    return {target.name: target for target in TARGETS}[name]
