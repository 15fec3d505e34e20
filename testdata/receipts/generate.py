"""Writes the case directories: python testdata/receipts/generate.py [FOLDER].

<case>[_fail]/ has receipt.json, workspace/, sometimes more inputs, README.md (why it exists) and expected.json:
`arguments` of `done-receipt verify` run inside the directory, `exitCode`, `violations` and `warnings` (codes), and,
where it matters, `claims` (id -> state), `assurance`, `contract`, `reasons` (codes that some finding has).

Deterministic: a test writes them again and compares. What is expected is written here by hand, never by running.
The keys are made from fixed seeds, so that no private key lies in the repository.
"""

import base64
import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

Json = dict[str, Any]
Change = Callable[[Json, Json], object]  # of the statement, and of its predicate
Files = dict[str, str]

NOW = "2026-11-30T13:00:00Z"
GREETING = "hello, world\n"
CHECK = "grep -q hello greeting.txt\n"
WORK: Files = {"greeting.txt": GREETING, "tests/check.sh": CHECK}
ARGV = ["/bin/sh", "tests/check.sh"]
TRUST = ["--trusted-key", "worker=../trust/worker.pub"]
ROOT = ["--root", "workspace"]
COMMANDS = ["--recheck-commands", "--allow-command", "/bin/sh tests/check.sh"]
PACKET, COMMIT, OUTPUT = "a" * 64, "b" * 40, "c" * 64
CONTEXT_FLAGS = ["--packet-digest", PACKET, "--input-commit", COMMIT, "--output-manifest-digest", OUTPUT]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def file(name: str, content: str) -> Json:
    return {"name": name, "digest": {"sha256": sha256(content)}}


def blob(content: str) -> Json:
    return {"sha256": sha256(content), "bytes": len(content.encode())}


def file_item(path: str = "greeting.txt", content: str = GREETING) -> Json:
    return {"kind": "file", "path": path, "observed": blob(content), "ok": True}


def tests_item() -> Json:
    counts = {"passed": 1, "failed": 0, "errored": 0, "skipped": 0}
    return {
        "kind": "tests",
        "argv": ["/usr/bin/python3", "-m", "pytest", "--junitxml={junit}"],
        "observed": {"exitCode": 0, "report": blob("x"), **counts},
        "ok": True,
    }


def text_item(literal: str = "hello", matched: bool = True) -> Json:
    observed = {"matched": matched, "bytes": len(GREETING)}
    return {"kind": "text", "path": "greeting.txt", "literal": literal, "observed": observed, "ok": matched}


def path_item(path: str = "greeting.txt", expect: str = "file") -> Json:
    return {"kind": "path", "path": path, "expect": expect, "observed": {"type": expect}, "ok": True}


def command_item(argv: list[str] | None = None, code: int = 0) -> Json:
    observed = {"exitCode": code, "stdout": blob(""), "stderr": blob("")}
    return {"kind": "command", "argv": argv or ARGV, "observed": observed, "ok": code == 0}


def base() -> Json:
    """An honest receipt of a small change: one file, two looks at it, a sealed test."""
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [file("greeting.txt", GREETING)],
        "predicateType": "https://w3id.org/done-receipt/v0.1",
        "predicate": {
            "task": {"description": "Say hello to the world."},
            "agent": {"id": "worker-agent", "model": "model-1"},
            "run": {"outcome": "completed", "finishedOn": "2026-11-30T12:00:00Z", "iterations": 3, "toolCalls": 5},
            "contract": {"sealed": [file("tests/check.sh", CHECK)], "absent": [], "breach": None},
            "verdict": {"checked": True, "passed": True, "reason": ""},
            "claims": [{"id": "greets", "statement": "it greets", "evidence": [file_item(), text_item()]}],
        },
    }


def key(seed: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(f"done-receipt test key {seed}".encode()).digest())


def public_pem(seed: str) -> str:
    return key(seed).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def payload_of(statement: Json) -> bytes:
    return json.dumps(statement, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def envelope(payload: bytes, signers: tuple[str, ...] = ("worker",), payload_type: str = "") -> Json:
    kind = payload_type or "application/vnd.in-toto+json"
    pae = b"DSSEv1 %d %b %d %b" % (len(kind.encode()), kind.encode(), len(payload), payload)
    signatures = [{"keyid": seed, "sig": base64.b64encode(key(seed).sign(pae)).decode()} for seed in signers]
    return {"payload": base64.b64encode(payload).decode(), "payloadType": kind, "signatures": signatures}


def pretty(tree: Json) -> str:
    return json.dumps(tree, indent=1, ensure_ascii=False) + "\n"


@dataclass(kw_only=True)
class Case:
    """One directory. `change` edits the statement before it is signed, `work` and `links` the workspace after that."""

    why: str
    code: int = 0
    violations: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    change: Change = lambda statement, predicate: None
    write: Callable[[bytes], str] = lambda payload: pretty(envelope(payload))
    work: Files = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    links: Files = field(default_factory=dict)
    inputs: Files = field(default_factory=dict)
    trust: list[str] = field(default_factory=lambda: list(TRUST))
    flags: list[str] = field(default_factory=list)
    root: bool = True
    needs: str = ""
    more: Json = field(default_factory=dict)

    def files(self) -> Files:
        """Path below the case directory -> text."""
        statement = base()
        self.change(statement, statement["predicate"])
        work = {**WORK, **self.work}
        for path in (*self.remove, *self.links):
            work.pop(path, None)
        arguments = ["receipt.json", *self.trust, *(ROOT if self.root else []), "--at", NOW, *self.flags]
        expected: Json = {"arguments": arguments, "exitCode": self.code}
        if self.code not in (2, 3, 4):
            expected |= {"violations": list(self.violations), "warnings": list(self.warnings)}
        expected |= self.more | ({"needs": self.needs} if self.needs else {})
        return {
            "README.md": self.why + "\n",
            "receipt.json": self.write(payload_of(statement)),
            "expected.json": pretty(expected),
            **self.inputs,
            **{f"workspace/{path}": text for path, text in work.items()},
        }


def claims(*evidence: Json) -> Change:
    """Replace the evidence of the one claim."""
    return lambda _statement, predicate: predicate["claims"][0].update(evidence=list(evidence))


def update(*path: str | int, **members: Any) -> Change:
    """Update the object at this path of the predicate."""

    def change(_statement: Json, predicate: Json) -> None:
        node: Any = predicate
        for step in path:
            node = node[step]
        node.update(members)

    return change


def both(*changes: Change) -> Change:
    def change(statement: Json, predicate: Json) -> None:
        for one in changes:
            one(statement, predicate)

    return change


def failed(reason: str) -> Change:
    return update("verdict", passed=False, reason=reason)


def context(packet: str = PACKET) -> Change:
    def change(statement: Json, predicate: Json) -> None:
        digest = {"digest": {"sha256": OUTPUT}}
        predicate["context"] = {
            "packet": {"digest": {"sha256": packet}},
            "input": {"digest": {"gitCommit": COMMIT}},
            "outputManifest": digest,
        }

    return change


def manifest_bytes(files: Files) -> str:
    rows: list[Json] = [
        {"bytes": len(text.encode()), "path": path, "sha256": sha256(text)} for path, text in sorted(files.items())
    ]
    total = sum(row["bytes"] for row in rows)
    tree = {"file_count": len(rows), "files": rows, "schema": "agent-output-manifest/v1", "total_bytes": total}
    return json.dumps(tree, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def with_manifest(statement: Json, predicate: Json) -> None:
    named = file("output-manifest.json", manifest_bytes(WORK))
    statement["subject"].append(named)
    predicate["manifest"] = named


def contract_text(sealed: list[Json], absent: list[str]) -> str:
    tree = {"absent": absent, "schema": "https://w3id.org/done-receipt/contract/v0.1", "sealed": sealed}
    return json.dumps(tree, sort_keys=True, separators=(",", ":")) + "\n"


RECORDS: list[Json] = [
    {"kind": "request", "detail": {"question": "Say hello to the world."}},
    {"kind": "response", "detail": {"answer": "on it", "input_tokens": 60, "output_tokens": 15, "tool_calls": 5}},
    *({"kind": "tool_use", "detail": {"args": {"n": number}, "ok": True, "tool": "write"}} for number in range(5)),
    {"kind": "response", "detail": {"answer": "done", "input_tokens": 40, "output_tokens": 5, "tool_calls": 0}},
    {"kind": "acceptance", "detail": {"check": "check.sh", "passed": True, "reason": ""}},
]


def chain(records: list[Json] = RECORDS, request: str = "req-7") -> list[str]:
    """The lines of an audit log: each names the hash of the one before it."""
    lines, previous = [], "genesis"
    for number, said in enumerate(records):
        head = {"ts": f"2026-11-30T11:00:0{number}Z", "request": request}
        record = json.dumps(head | said, separators=(",", ":"))
        digest = sha256(previous + record)
        lines.append(f'{{"seq":{number},"prev":"{previous}","hash":"{digest}","record":{record}}}\n')
        previous = digest
    return lines


def audited(lines: list[str], request: str = "req-7") -> Change:
    """The receipt pins this audit log, and says how many tokens the run took."""
    log = {"requestId": request, "records": len(lines), "head": json.loads(lines[-1])["hash"]}
    return update("run", auditLog=log, usage={"inputTokens": 100, "outputTokens": 20})


AUDITED: Json = {"change": audited(chain()), "flags": ["--audit-log", "audit.jsonl"]}


def audit_file(lines: list[str]) -> Files:
    return {"audit.jsonl": "".join(lines)}


CONTRACT = {"contract.json": contract_text([file("tests/check.sh", CHECK)], [])}
PROFILE = "version = 1\n"
EVIDENCE_REFUTED = ("subjects.matched", "evidence.unrefuted")


def duplicate_key(payload: bytes) -> str:
    return pretty(envelope(payload.replace(b'{"_type":', b'{"_type":"https://in-toto.io/Statement/v1","_type":', 1)))


def url_safe(payload: bytes) -> str:
    tree = envelope(payload)
    tree["payload"] = tree["payload"].replace("+", "-").replace("/", "_").rstrip("=")
    for signature in tree["signatures"]:
        signature["sig"] = signature["sig"].replace("+", "-").replace("/", "_").rstrip("=")
        del signature["keyid"]
    return pretty(tree)


def json_lines(payload: bytes) -> str:
    lines = [json.dumps(envelope(payload, (seed,))) for seed in ("worker", "second")]
    return "\n".join([lines[0], "", '{"note": "of another kind"}', lines[1]]) + "\n"


def changed(payload: bytes, change: Change) -> str:
    """One line: the same statement with this change, signed by the same."""
    statement = json.loads(payload)
    change(statement, statement["predicate"])
    return json.dumps(envelope(payload_of(statement)))


def beside(*changes: Change) -> Callable[[bytes], str]:
    """JSON Lines: for each change a receipt of its own, and the statement itself last."""
    return lambda payload: "\n".join([*(changed(payload, c) for c in changes), json.dumps(envelope(payload))]) + "\n"


def two_formats(payload: bytes) -> str:
    tree = envelope(payload)
    return pretty(tree | {"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json", "dsseEnvelope": tree})


def changed_payload(payload: bytes) -> str:
    tree = envelope(payload)
    tree["payload"] = base64.b64encode(payload.replace(b"hello", b"howdy")).decode()
    return pretty(tree)


SCOPED = 'version = 1\n[[key]]\nname = "worker"\nprincipal = "worker"\npath = "../trust/worker.pub"\n'
TWO = SCOPED + '[[key]]\nname = "second"\nprincipal = "{}"\npath = "../trust/second.pub"\n'
STRANGER = '[[key]]\nname = "third"\nprincipal = "third"\npath = "../trust/third.pub"\n'
THRESHOLD = "version = 1\nthreshold = 2\n" + TWO.removeprefix("version = 1\n")

HONEST = {
    "honest": Case(
        why="An honest receipt: every check that a directory allows passes.",
        more={"claims": {"greets": "confirmed"}, "assurance": "fully_rechecked", "contract": "held_as_reported"},
    ),
    "own_contract": Case(
        why="The verifier brings the contract it sealed itself: the seals held, not only as reported.",
        inputs=CONTRACT,
        flags=["--contract", "contract.json"],
        more={"contract": "held"},
    ),
    "nothing_sealed": Case(
        why="A receipt that seals nothing is admitted with a warning.",
        change=update("contract", sealed=[]),
        warnings=("contract.held",),
        more={"contract": "nothing_sealed"},
    ),
    "sealed_absent": Case(
        why="A path sealed as absent is still absent.",
        change=update("contract", absent=["conftest.py"]),
    ),
    "command": Case(
        why="An allowed command runs again in a copy of the tree, in the sandbox.",
        change=claims(file_item(), command_item()),
        flags=COMMANDS,
        needs="bubblewrap",
        more={"claims": {"greets": "confirmed"}, "reasons": ["evidence-command.confirmed"]},
    ),
    "unsealed_script": Case(
        why="A script of the tree decides how an allowed command ends, and only LICENSE is sealed: admitted, and said.",
        change=both(claims(file_item(), command_item()), update("contract", sealed=[file("LICENSE", "free\n")])),
        work={"LICENSE": "free\n"},
        flags=COMMANDS,
        needs="bubblewrap",
        warnings=("contract.held",),
        more={"contract": "held_as_reported", "reasons": ["evidence-command.unsealed_script"]},
    ),
    "script_sealed_by_the_agent": Case(
        why="The verifier's own contract does not seal the script; that the receipt does says nothing about it then.",
        change=both(
            claims(file_item(), command_item()),
            update("contract", sealed=[file("LICENSE", "free\n"), file("tests/check.sh", CHECK)]),
        ),
        work={"LICENSE": "free\n"},
        inputs={"contract.json": contract_text([file("LICENSE", "free\n")], [])},
        flags=[*COMMANDS, "--contract", "contract.json"],
        needs="bubblewrap",
        warnings=("contract.held",),
        more={"contract": "held", "reasons": ["evidence-command.unsealed_script"]},
    ),
    "contradicted": Case(
        why="Two trusted receipts of the same outputs, one of which says that the work failed: admitted, and said.",
        write=beside(failed("the tests were red")),
        warnings=("statement.coherent",),
        more={"reasons": ["statement.contradicted"]},
    ),
    "contradicted_by_a_refuted_one": Case(
        why="Another trusted receipt of the same outputs is refuted by the workspace.",
        write=beside(claims(file_item(), text_item("goodbye"))),
        warnings=("statement.coherent",),
        more={"reasons": ["statement.contradicted"]},
    ),
    "failed_elsewhere": Case(
        why="A trusted receipt in the file says that other work failed: no contradiction, and no warning.",
        write=beside(both(failed("red"), lambda statement, _predicate: statement.update(subject=[file("b.txt", "b")]))),
    ),
    "output": Case(
        why="An output item is confirmed by the subject that the verifier read.",
        change=claims(
            file_item(),
            {"kind": "output", "artifact": file("greeting.txt", GREETING), "ok": True, "observed": {"matched": True}},
        ),
        more={"reasons": ["evidence-output.confirmed"]},
    ),
    "path": Case(
        why="A path item is shown and raises nothing; the file beside it does.",
        change=claims(path_item(), path_item("nothing", "absent"), file_item()),
        more={"assurance": "fully_rechecked"},
    ),
    "manifest": Case(
        why="The canonical manifest is computed again; its subject is matched by that, never by opening its name.",
        change=with_manifest,
        more={"reasons": ["output-manifest.matched"]},
    ),
    "context": Case(
        why="The receipt was made for exactly the handoff that the verifier knows.",
        change=context(),
        flags=CONTEXT_FLAGS,
        more={"reasons": ["context.equal"]},
    ),
    "artifact": Case(
        why="The verifier has the artifact and no workspace, and asks for no more than the receipt's own report.",
        root=False,
        flags=["--artifact", "workspace/greeting.txt", "--minimum-assurance", "reported"],
        warnings=("contract.held",),
        more={"assurance": "reported", "contract": "not_checked"},
    ),
    "reported": Case(
        why="Attribution only: no workspace, and the verifier says that reported is enough.",
        root=False,
        flags=["--minimum-assurance", "reported"],
        warnings=("subjects.matched", "contract.held"),
        more={"assurance": "reported"},
    ),
    "unsigned": Case(
        why="A bare statement, and a verifier that asks for no signature: admitted with a warning, no signer named.",
        write=lambda payload: payload.decode() + "\n",
        trust=["--unsigned"],
        warnings=("signature.unsigned",),
    ),
    "url_safe_base64": Case(
        why="DSSE allows url-safe base64, no padding and no keyid.",
        write=url_safe,
    ),
    "threshold": Case(
        why="Two single-signature envelopes over one payload meet a threshold of two; other lines are skipped.",
        write=json_lines,
        inputs={"trust.toml": THRESHOLD.format("second")},
        trust=["--trust", "trust.toml"],
    ),
    "unknown_fields": Case(
        why="Unknown members are ignored, as in-toto demands, and listed.",
        change=both(
            lambda statement, predicate: statement.update(note="x"),
            update("agent", mood="good"),
        ),
        more={"unrecognizedFields": ["/note", "/predicate/agent/mood"]},
    ),
    "multi_line_task": Case(
        why="A task of several lines with emoji, and a name that macOS would decompose, are nothing unusual.",
        change=both(
            update("task", description="First line\nsecond line 👩‍💻\u202e"),
            claims(file_item("caf\u00e9.txt", "x")),
        ),
        work={"caf\u00e9.txt": "x"},
    ),
    "demands_met": Case(
        why="Every demand of the profile that this version knows, and all of them met.",
        change=both(
            update("run", usage={"inputTokens": 10, "outputTokens": 5}),
        ),
        inputs={
            "acceptance.toml": PROFILE
            + 'minimumAssurance = "fully_rechecked"\n[[evidence]]\nclaim = "greets"\nkind = "file"\n'
            'paths = ["greeting.txt"]\n[agent]\nmodels = ["model-1"]\n'
            "[usage]\nmaxInputTokens = 10\nmaxIterations = 3\n[freshness]\nmaxAge = 7200\n"
        },
        flags=["--profile", "acceptance.toml"],
    ),
    "end_of_the_calendar": Case(
        why="The verifier's clock stands at the last second of the last year: no time beside it overflows.",
        inputs={"acceptance.toml": PROFILE + "[freshness]\nmaxAge = 3162240000\nskew = 86400\n"},
        change=update("run", finishedOn="9999-12-31T23:59:59.999999999Z"),
        flags=["--profile", "acceptance.toml", "--at", "9999-12-31T23:59:59Z"],
    ),
    "audit_log": Case(
        why="The harness's audit log is the one that the receipt pins, and tells of the run what the receipt does.",
        inputs=audit_file(chain()),
        **AUDITED,
        more={"reasons": ["audit-log.consistent"], "assurance": "fully_rechecked"},
    ),
    "clock_skew": Case(
        why="A clock that runs two minutes ahead is no fraud.",
        change=update("run", finishedOn="2026-11-30T13:02:00Z"),
    ),
}

REFUSED = {
    "changed_file": Case(
        why="The file was changed after the receipt was signed.",
        code=11,
        work={"greeting.txt": "hello, moon!\n"},
        violations=EVIDENCE_REFUTED,
        more={"claims": {"greets": "refuted"}, "reasons": ["subjects.differs", "evidence-file.differs"]},
    ),
    "deleted_file": Case(
        why="The file is gone.",
        code=11,
        remove=("greeting.txt",),
        violations=EVIDENCE_REFUTED,
        more={"reasons": ["subjects.missing", "evidence-file.missing", "evidence-text.missing"]},
    ),
    "symlink": Case(
        why="The file was replaced by a link to a file with the same bytes.",
        code=11,
        links={"greeting.txt": "elsewhere.txt"},
        work={"elsewhere.txt": GREETING},
        violations=EVIDENCE_REFUTED,
        more={"reasons": ["subjects.not_a_file", "evidence-file.not_a_file", "evidence-text.not_a_file"]},
    ),
    "linked_folder": Case(
        why="A folder on the way to the file is a link.",
        code=11,
        change=both(
            lambda statement, predicate: statement.update(subject=[file("real/a.txt", "a")]),
            claims(file_item("real/a.txt", "a"), path_item("real/a.txt")),
        ),
        work={"other/a.txt": "a"},
        links={"real": "other"},
        violations=EVIDENCE_REFUTED,
        more={"reasons": ["subjects.not_a_file", "evidence-path.differs"]},
    ),
    "path_differs": Case(
        why="A path that was absent when the receipt was made is there.",
        code=11,
        change=claims(file_item(), path_item("new.txt", "absent")),
        work={"new.txt": "x"},
        violations=("evidence.unrefuted",),
        more={"reasons": ["evidence-path.differs"]},
    ),
    "text_differs": Case(
        why="The receipt says that a text was found which is not there.",
        code=11,
        change=claims(text_item("goodbye")),
        violations=("evidence.unrefuted",),
        more={"reasons": ["evidence-text.differs"]},
    ),
    "error_now_readable": Case(
        why="The receipt says that a file could not be read, and it can.",
        code=11,
        change=both(
            claims(file_item(), {"kind": "file", "path": "greeting.txt", "observed": {"error": "gone"}, "ok": False}),
            failed("not done"),
        ),
        violations=("verdict.passed", "evidence.unrefuted", "evidence.succeeded"),
        more={"reasons": ["evidence-file.now_readable"]},
    ),
    "sealed_modified": Case(
        why="A sealed test was weakened after the receipt was signed.",
        code=11,
        work={"tests/check.sh": "exit 0\n"},
        violations=("contract.held",),
        more={"contract": "moved", "reasons": ["contract-seals.modified"]},
    ),
    "sealed_deleted": Case(
        why="A sealed test is gone.",
        code=11,
        remove=("tests/check.sh",),
        violations=("contract.held",),
        more={"contract": "moved", "reasons": ["contract-seals.deleted"]},
    ),
    "sealed_link": Case(
        why="A sealed test became a link to a file with the same bytes.",
        code=11,
        links={"tests/check.sh": "../copy.sh"},
        work={"copy.sh": CHECK},
        violations=("contract.held",),
        more={"contract": "moved", "reasons": ["contract-seals.not_a_file"]},
    ),
    "absent_created": Case(
        why="A path sealed as absent exists: a configuration that wins over the sealed one.",
        code=11,
        change=update("contract", absent=["conftest.py"]),
        work={"conftest.py": "raise SystemExit(0)\n"},
        violations=("contract.held",),
        more={"contract": "moved", "reasons": ["contract-seals.created"]},
    ),
    "other_contract": Case(
        why="The test was edited and then sealed; the verifier's own contract knows the original.",
        code=11,
        change=update("contract", sealed=[file("tests/check.sh", "exit 0\n")]),
        work={"tests/check.sh": "exit 0\n"},
        inputs=CONTRACT,
        flags=["--contract", "contract.json"],
        violations=("contract.held",),
        more={"contract": "moved", "reasons": ["contract-seals.other_contract", "contract-seals.modified"]},
    ),
    "contract_left_out": Case(
        why="The receipt leaves the sealed test out of its list; leaving something out never helps.",
        code=11,
        change=update("contract", sealed=[]),
        inputs=CONTRACT,
        flags=["--contract", "contract.json"],
        violations=("contract.held",),
        more={"reasons": ["contract-seals.other_contract"]},
    ),
    "manifest_differs": Case(
        why="A file was added to the tree after its inventory; with the manifest at hand it is named.",
        code=11,
        change=with_manifest,
        work={"extra.txt": "x"},
        inputs={"manifest.json": manifest_bytes(WORK)},
        flags=["--manifest", "manifest.json"],
        violations=("subjects.matched", "subjects.manifest"),
        more={"reasons": ["output-manifest.differs", "subjects.differs"]},
    ),
    "manifest_refused": Case(
        why="The tree holds a link, which no manifest can say.",
        code=11,
        change=with_manifest,
        links={"link": "greeting.txt"},
        violations=("subjects.matched", "subjects.manifest"),
        more={"reasons": ["output-manifest.refused"]},
    ),
    "manifest_of_another": Case(
        why="The manifest given is not the one that the receipt names.",
        code=11,
        change=with_manifest,
        inputs={"manifest.json": manifest_bytes({"greeting.txt": GREETING})},
        flags=["--manifest", "manifest.json"],
        violations=("subjects.manifest",),
        more={"reasons": ["output-manifest.other_file", "output-manifest.matched"]},
    ),
    "audit_log_cut": Case(
        why="The last record of the audit log is gone: nothing but the receipt's pin can tell.",
        code=11,
        inputs=audit_file(chain()[:-1]),
        **AUDITED,
        violations=("audit.log",),
        more={"reasons": ["audit-log.count"]},
    ),
    "audit_log_edited": Case(
        why="A record of the audit log was edited, its hash left as it was.",
        code=11,
        inputs=audit_file([line.replace('"input_tokens":60', '"input_tokens":10') for line in chain()]),
        **AUDITED,
        violations=("audit.log",),
        more={"reasons": ["audit-log.edited"]},
    ),
    "audit_log_disagrees": Case(
        why="The audit log is sound and is the pinned one, and its last acceptance failed.",
        code=11,
        change=audited(chain([*RECORDS[:-1], {"kind": "acceptance", "detail": {"passed": False}}])),
        inputs=audit_file(chain([*RECORDS[:-1], {"kind": "acceptance", "detail": {"passed": False}}])),
        flags=["--audit-log", "audit.jsonl"],
        violations=("audit.log",),
        more={"reasons": ["audit-log.acceptance"]},
    ),
    "audit_log_left_out": Case(
        why="The verifier has the audit log, and the receipt does not name it; leaving something out never helps.",
        code=11,
        inputs=audit_file(chain()),
        flags=["--audit-log", "audit.jsonl"],
        violations=("audit.log",),
        more={"reasons": ["audit-log.missing"]},
    ),
    "audit_log_empty": Case(
        why="An empty audit log is no log of nothing.",
        code=11,
        inputs={"audit.jsonl": ""},
        **AUDITED,
        violations=("audit.log",),
        more={"reasons": ["audit-log.empty"]},
    ),
    "context_differs": Case(
        why="The receipt was made for another packet.",
        code=11,
        change=context("d" * 64),
        flags=CONTEXT_FLAGS,
        violations=("context.equal",),
        more={"reasons": ["context.differs"]},
    ),
    "context_missing": Case(
        why="The verifier demands a context and the receipt has none.",
        code=11,
        flags=CONTEXT_FLAGS,
        violations=("context.equal",),
        more={"reasons": ["context.missing"]},
    ),
    "artifact_unmatched": Case(
        why="The verifier's artifact is no subject of the receipt.",
        code=11,
        inputs={"other.txt": "other\n"},
        flags=["--artifact", "other.txt"],
        violations=("subjects.matched",),
        more={"reasons": ["subjects.artifact_unmatched"]},
    ),
    "expected_digest": Case(
        why="The payload is not the one that the verifier was told to expect.",
        code=11,
        flags=["--expected-digest", "0" * 64],
        violations=("statement.coherent",),
        more={"reasons": ["statement.payload_digest"]},
    ),
    "incoherent": Case(
        why="It says passed and gives a reason for a failure.",
        code=11,
        change=update("verdict", reason="not really"),
        violations=("statement.coherent",),
        more={"reasons": ["statement.passed"]},
    ),
    "expectation_ignored": Case(
        why="An expected digest that the file does not have, called ok: what the first receipts let through.",
        code=11,
        change=claims(file_item() | {"expectedSha256": "0" * 64}),
        violations=("statement.coherent", "evidence.unrefuted"),
        more={"reasons": ["statement.evidence_ok", "evidence-file.expectation"]},
    ),
    "command_differs": Case(
        why="The command succeeded when the receipt was made and does not now.",
        code=11,
        change=claims(file_item(), command_item(["/bin/sh", "-c", "exit 1"])),
        flags=["--recheck-commands", "--allow-command", '["/bin/sh", "-c", "exit 1"]'],
        needs="bubblewrap",
        violations=("evidence.unrefuted",),
        more={"reasons": ["evidence-command.differs"]},
    ),
    "unknown_signer": Case(
        why="Signed by somebody whom the verifier does not trust.",
        code=10,
        write=lambda payload: pretty(envelope(payload, ("stranger",))),
        violations=("signature.trusted",),
        more={"reasons": ["signature.no_trusted_key"]},
    ),
    "changed_envelope": Case(
        why="The payload was changed inside its envelope.",
        code=10,
        write=changed_payload,
        violations=("signature.trusted",),
        more={"reasons": ["signature.no_trusted_key"]},
    ),
    "key_expired": Case(
        why="The key's validity had ended; what the receipt says of its own time does not matter.",
        code=10,
        inputs={"trust.toml": SCOPED + "notAfter = 2026-11-30T12:30:00Z\n"},
        trust=["--trust", "trust.toml"],
        violations=("signature.trusted",),
        more={"reasons": ["signature.key_not_valid"]},
    ),
    "one_principal_twice": Case(
        why="Two keys of one principal are one signer.",
        code=10,
        write=json_lines,
        inputs={"trust.toml": THRESHOLD.format("worker") + STRANGER},
        trust=["--trust", "trust.toml"],
        violations=("signature.trusted",),
        more={"reasons": ["signature.threshold"]},
    ),
    "out_of_scope": Case(
        why="A trusted signer claims another agent's name.",
        code=10,
        inputs={"trust.toml": SCOPED + 'agents = ["another-agent"]\n'},
        trust=["--trust", "trust.toml"],
        violations=("signature.scope",),
        more={"reasons": ["signature.out_of_scope"]},
    ),
    "no_evidence": Case(
        why="A claim without evidence stays reported for ever.",
        code=12,
        change=lambda statement, predicate: predicate["claims"].append(
            {"id": "fast", "statement": "twice as fast", "evidence": []}
        ),
        violations=("assurance.minimum",),
        more={"claims": {"greets": "confirmed", "fast": "reported"}, "assurance": "partially_rechecked"},
    ),
    "no_claims": Case(
        why="No claims, no evidence: nothing was shown.",
        code=12,
        change=lambda statement, predicate: predicate.update(claims=[]),
        violations=("assurance.minimum",),
        more={"assurance": "reported"},
    ),
    "claims_of_two": Case(
        why="Two trusted receipts, each of which confirms what the other leaves open: they do not add up.",
        code=12,
        change=lambda statement, predicate: predicate["claims"].append(
            {"id": "fast", "statement": "fast", "evidence": []}
        ),
        write=beside(
            both(update("claims", 0, evidence=[]), update("claims", 1, evidence=[text_item()])),
        ),
        violations=("assurance.minimum",),
        more={"claims": {"greets": "reported", "fast": "confirmed"}, "assurance": "partially_rechecked"},
    ),
    "weak_only": Case(
        why="That a file exists, a made-up name does not, and a subject is a subject, raises nothing.",
        code=12,
        change=claims(
            path_item(),
            path_item("made-up", "absent"),
            {"kind": "output", "artifact": file("greeting.txt", GREETING), "ok": True, "observed": {"matched": True}},
        ),
        violations=("assurance.minimum",),
        more={"claims": {"greets": "confirmed"}, "assurance": "reported"},
    ),
    "tests_not_asked": Case(
        why="Nobody asked for tests to be run again: what the receipt says of them is only reported.",
        code=12,
        change=claims(file_item(), tests_item()),
        violations=("assurance.minimum",),
        more={"claims": {"greets": "reported"}, "reasons": ["evidence-tests.not_asked"]},
    ),
    "tests_without_a_command": Case(
        why="The verifier names no test command of its own, and the receipt's is never run.",
        code=12,
        change=claims(file_item(), tests_item()),
        flags=["--recheck-commands"],
        violations=("assurance.minimum",),
        more={"claims": {"greets": "blocked"}, "reasons": ["evidence-tests.no_command"]},
    ),
    "tests_without_a_base": Case(
        why="The verifier has a test command, and no base revision whose tests it could put back.",
        code=12,
        change=claims(file_item(), tests_item()),
        inputs={
            "acceptance.toml": PROFILE
            + '[tests]\nrunner = "unittest"\nargv = ["/usr/bin/python3", "-m", "unittest", "discover"]\n'
        },
        flags=["--profile", "acceptance.toml", "--recheck-commands"],
        violations=("tests.inventory", "tests.canary", "assurance.minimum"),
        more={"claims": {"greets": "reported"}, "reasons": ["evidence-tests.no_base"]},
    ),
    "unknown_kind": Case(
        why="Evidence of a kind that nobody here knows stays what the receipt reports.",
        code=12,
        change=claims(
            file_item(), {"kind": "https://example.com/magic", "ok": True, "observed": {"certainty": "total"}}
        ),
        violations=("assurance.minimum",),
        more={"claims": {"greets": "reported"}, "reasons": ["evidence-other.unknown_kind"]},
    ),
    "command_not_allowed": Case(
        why="The verifier allows another argv, and none other than exactly that.",
        code=12,
        change=claims(file_item(), command_item(["/bin/sh", "tests/check.sh", "-q"])),
        flags=COMMANDS,
        violations=("assurance.minimum",),
        more={"claims": {"greets": "blocked"}, "reasons": ["evidence-command.not_allowed"]},
    ),
    "command_not_asked": Case(
        why="Nobody asked for commands to be run again.",
        code=12,
        change=claims(file_item(), command_item()),
        violations=("assurance.minimum",),
        more={"claims": {"greets": "reported"}, "reasons": ["evidence-command.not_asked"]},
    ),
    "relative_executable": Case(
        why="A relative executable would be chosen by PATH.",
        code=12,
        change=claims(file_item(), command_item(["sh", "tests/check.sh"])),
        flags=COMMANDS,
        violations=("assurance.minimum",),
        more={"claims": {"greets": "blocked"}, "reasons": ["evidence-command.relative_executable"]},
    ),
    "evidence_not_ok": Case(
        why="The receipt is honest about an item that is not ok; agreeing with it does not make the claim good.",
        code=12,
        change=both(claims(file_item(), text_item("goodbye", matched=False)), failed("no goodbye")),
        violations=("verdict.passed", "evidence.succeeded"),
        more={"claims": {"greets": "failed"}},
    ),
    "unchecked": Case(
        why="Nobody looked: neither pass nor failure.",
        code=12,
        change=update("verdict", checked=False, passed=False),
        violations=("verdict.passed",),
    ),
    "budget_exhausted": Case(
        why="A run that hit its budget is a failure, never silence.",
        code=12,
        change=both(update("run", outcome="budgetExhausted"), failed("the run hit its budget before finishing")),
        violations=("verdict.passed",),
    ),
    "breach_reported": Case(
        why="The receipt itself says that the contract moved during the run.",
        code=12,
        change=both(update("contract", breach="tests/check.sh was modified"), failed("the contract moved")),
        violations=("contract.breach",),
    ),
    "no_workspace": Case(
        why="Without a place to look at nothing is confirmed.",
        code=12,
        root=False,
        violations=("subjects.matched", "contract.held", "assurance.minimum"),
        more={"reasons": ["subjects.nothing_given", "evidence-file.no_workspace"]},
    ),
    "in_future": Case(
        why="The run says that it ended in the year 2999.",
        code=12,
        change=update("run", finishedOn="2999-01-01T00:00:00Z"),
        violations=("freshness.time",),
        more={"reasons": ["freshness.in_future"]},
    ),
    "too_old": Case(
        why="The profile allows an hour, and the run ended a day ago.",
        code=12,
        change=update("run", finishedOn="2026-11-29T12:00:00Z"),
        inputs={"acceptance.toml": PROFILE + "[freshness]\nmaxAge = 3600\n"},
        flags=["--profile", "acceptance.toml"],
        violations=("freshness.time",),
        more={"reasons": ["freshness.too_old"]},
    ),
    "model_left_out": Case(
        why="The profile names models, and the receipt names none: leaving it out never helps.",
        code=12,
        change=lambda statement, predicate: predicate["agent"].pop("model"),
        inputs={"acceptance.toml": PROFILE + '[agent]\nmodels = ["model-1"]\n'},
        flags=["--profile", "acceptance.toml"],
        violations=("agent.model",),
    ),
    "usage_left_out": Case(
        why="The profile limits tokens, and the receipt does not say how many were used.",
        code=12,
        inputs={"acceptance.toml": PROFILE + "[usage]\nmaxInputTokens = 100\n"},
        flags=["--profile", "acceptance.toml"],
        violations=("usage.limits",),
    ),
    "usage_exceeded": Case(
        why="More iterations than the profile allows.",
        code=12,
        inputs={"acceptance.toml": PROFILE + "[usage]\nmaxIterations = 2\n"},
        flags=["--profile", "acceptance.toml"],
        violations=("usage.limits",),
    ),
    "demand_unmet": Case(
        why="The profile wants the claim shown by a command, and the receipt shows a file.",
        code=12,
        inputs={"acceptance.toml": PROFILE + '[[evidence]]\nclaim = "greets"\nkind = "command"\n'},
        flags=["--profile", "acceptance.toml"],
        violations=("profile.evidence",),
    ),
    "type_not_allowed": Case(
        why="The profile allows another predicate type only.",
        code=12,
        inputs={"acceptance.toml": PROFILE + 'predicateTypes = ["https://example.com/other"]\n'},
        flags=["--profile", "acceptance.toml"],
        violations=("statement.type",),
        more={"reasons": ["statement.type_not_allowed"]},
    ),
    "no_handler": Case(
        why="A statement of a predicate type that nobody here can examine.",
        code=12,
        change=lambda statement, predicate: statement.update(predicateType="https://example.com/other"),
        violations=("statement.handler",),
        more={"reasons": ["statement.no_handler", "statement.type_not_allowed"]},
    ),
    "stale_file": Case(
        why="The receipt's own signed manifest confirms the file; the verifier looks at another tree.",
        code=11,
        change=with_manifest,
        work={"greeting.txt": "hello, moon!\n"},
        inputs={"manifest.json": manifest_bytes(WORK)},
        flags=["--manifest", "manifest.json"],
        violations=("subjects.matched", "subjects.manifest", "evidence.current"),
        more={"claims": {"greets": "stale"}, "reasons": ["evidence-file.stale"]},
    ),
    "duplicate_key": Case(why="A JSON key stands twice in the signed payload.", code=3, write=duplicate_key),
    "two_formats": Case(why="An envelope and a bundle at once.", code=3, write=two_formats),
    "null_member": Case(
        why="A member is null where only contract.breach may be.", code=3, change=update("agent", model=None)
    ),
    "empty": Case(why="An empty file.", code=3, write=lambda payload: ""),
    "nobody_trusted": Case(why="No flag says whose signature counts.", code=2, trust=[]),
    "misspelt_profile": Case(
        why="A misspelt key of the profile.",
        code=4,
        inputs={"acceptance.toml": PROFILE + "minimumAsurance = 'reported'\n"},
        flags=["--profile", "acceptance.toml"],
    ),
    "nul_in_profile": Case(
        why="A path of the profile holds a NUL, which no path of the system can.",
        code=4,
        inputs={"acceptance.toml": PROFILE + '[sandbox]\nreadOnly = ["/opt\\u0000"]\n'},
        flags=["--profile", "acceptance.toml"],
    ),
    "profile_through_the_tree": Case(
        why="The tree's own link leads out of it to a profile: whoever made the link chose the profile.",
        code=4,
        links={"acceptance.toml": "../acceptance.toml"},
        inputs={"acceptance.toml": PROFILE},
        flags=["--profile", "workspace/acceptance.toml"],
    ),
    "later_format": Case(why="A format that a later version brings.", code=4, flags=["--format", "sarif"]),
}


def write_cases(folder: Path) -> None:
    """Write everything below this folder, replacing what a former run left there."""
    for name in ("worker", "second", "third"):
        _write(folder / "trust" / f"{name}.pub", public_pem(name))
    cases = HONEST | {f"{name}_fail": case for name, case in REFUSED.items()}
    for old in folder.glob("*/expected.json"):
        shutil.rmtree(old.parent)
    for name, case in cases.items():
        for path, text in case.files().items():
            _write(folder / name / path, text)
        for path, target in case.links.items():
            link = folder / name / "workspace" / path
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(target)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    write_cases(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
