"""agent-receipt 0.1.1, installed, and `verify --as agent-receipt` on the corpus and on generated receipts.

They agree, or the disagreement is one of the listed differences: we refuse for listed reasons only, and never admit a
receipt that the original refuses. docs/reference/agent-receipt-differences.md.
"""

import copy
import json
import os
import random
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.engines import PolicyEngine, open_engine
from testdata.agent_receipt import build
from testdata.agent_receipt.build import Json
from tests.conformance.old_verdicts import (
    Question,
    explained,
    original_manifest,
    original_says,
    our_manifest,
    we_say,
    written,
)
from tests.conformance.test_agent_receipt_cases import EXPECTED

STRICTER = frozenset(code for case in EXPECTED.values() if case.get("list") == "stricter" for code in case["codes"])
PUBLIC = build.public_pem("worker")
COUNT = 2_000  # the number
SEED = 20261130

FILES: dict[str, bytes] = {
    "report.md": build.REPORT.encode(),
    "src/a.py": b"print('hello')\n",
    "empty": b"",
    "latin.txt": b"caf\xe9\n",
    "\u00fcni.txt": "f\u00fcr alle\n".encode(),
    "decomposed-u\u0308.txt": b"two code points\n",
}


@pytest.fixture(scope="session")
def engine() -> PolicyEngine:
    return open_engine("embedded")


@pytest.fixture(scope="session")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("work")
    for path, data in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(data)
    (root / "link.md").symlink_to("report.md")
    (root / "linked").symlink_to("src")
    os.mkfifo(root / "fifo")
    return root


def disagreement(data: bytes, asked: Question, engine: PolicyEngine, scratch: Path) -> str | None:
    """What the two disagree on without a line in the list, or None."""
    return _disagreement(original_says(data, asked, scratch), data, asked, engine)


def _disagreement(theirs: bool, data: bytes, asked: Question, engine: PolicyEngine) -> str | None:
    code, why = we_say(data, asked, engine)
    if theirs == (code == 0) or (theirs and explained(why, STRICTER)):
        return None
    return f"original {'admits' if theirs else 'refuses'}, we say {code}: {sorted(why)}\n{data[:3000]!r}\n{asked}"


def test_generated_receipts_and_mutations(engine: PolicyEngine, work: Path, tmp_path: Path) -> None:
    """An exception of ours that is no answer ends this too: only a verifier's own errors are caught."""
    rng = random.Random(SEED)  # noqa: S311 - has to be repeatable
    found, admitted = [], 0
    for _ in range(COUNT):
        data, asked = generated(rng, work)
        theirs = original_says(data, asked, tmp_path / "receipt.json")
        admitted += theirs
        if (trouble := _disagreement(theirs, data, asked, engine)) is not None:
            found.append(trouble)
    assert found == []
    assert admitted > COUNT // 5  # the mutations leave enough that both admit


@pytest.mark.filterwarnings("ignore:Exception ignored in")  # the original leaves pipes open
@pytest.mark.parametrize("name", ["confirmed", "differs", "expected_one", "not_allowed"])
def test_commands(name: str, engine: PolicyEngine, work: Path, tmp_path: Path) -> None:
    item = build.command(["/bin/false"], expect=1, code=1) if name == "expected_one" else build.command(["/bin/true"])
    if name == "differs":
        item = build.command(["/bin/false"])
    allowed = (("/bin/echo",),) if name == "not_allowed" else (tuple(item["detail"]["cmd"]),)
    asked = Question(root=work, commands=allowed)
    data = written(build.receipt(item, build.text("report.md", "PASS", FILES["report.md"])))
    assert disagreement(data, asked, engine, tmp_path / "receipt.json") is None


def test_every_receipt_of_the_corpus(shared: Path, engine: PolicyEngine, tmp_path: Path) -> None:
    corpus = shared / "corpus" / "agent-receipt"
    key = (corpus / "keys" / "worker.pub").read_bytes()
    files = sorted([*corpus.glob("r*.json"), *(corpus / "tampered").glob("*.json")])
    assert len(files) > 80
    found = []
    for path in files:
        for asked in (
            Question(minimum="reported"),
            Question(key=key, minimum="reported"),
            Question(root=corpus / "ws"),
            Question(root=corpus / "ws", minimum="partially_rechecked"),
        ):
            trouble = disagreement(path.read_bytes(), asked, engine, tmp_path / "receipt.json")
            found += [f"{path.name}: {trouble}"] if trouble else []
    assert found == []


def test_every_manifest_of_the_corpus_and_mutations(shared: Path, tmp_path: Path) -> None:
    corpus = shared / "corpus" / "agent-receipt"
    files = [*corpus.glob("man*.json"), *(corpus / "tampered").glob("man*.json")]
    rng = random.Random(SEED)  # noqa: S311 - has to be repeatable
    samples = [path.read_bytes() for path in sorted(files)]
    good = json.loads((corpus / "manifest_valid.json").read_bytes())
    for _ in range(500):
        tree = copy.deepcopy(good)
        mutate_anywhere(rng, tree)
        samples.append(written(tree))
    differing = [data for data in samples if our_manifest(data) != original_manifest(data, tmp_path / "manifest.json")]
    assert differing == []


# --- generated receipts ----------------------------------------------------------------------------------------------


def generated(rng: random.Random, work: Path) -> tuple[bytes, Question]:
    """A receipt, honest or changed in up to three places, sometimes sealed and signed again; and what to ask."""
    claims: list[Json] = [
        {"id": f"claim-{number}", "statement": "it is done", "evidence": [item(rng) for _ in range(rng.randint(1, 3))]}
        for number in range(rng.randint(1, 3))
    ]
    tree = build.receipt(claims=claims)
    tree["overall_ok"] = all(one["ok"] for claim in claims for one in claim["evidence"])
    tree = build.sign(build.seal(tree), "worker", label=rng.choice(["worker", "k-1"]))
    for _ in range(rng.choice([0, 0, 1, 1, 1, 2])):
        rng.choice(MUTATIONS)(rng, tree)
    if rng.random() < 0.7:
        reseal(rng, tree)
    data = written(tree)
    if rng.random() < 0.08:
        data = rng.choice(BYTES)(rng, data)
    return data, Question(
        key=PUBLIC if rng.random() < 0.4 else None,
        root=work if rng.random() < 0.6 else None,
        minimum=rng.choice(["reported", "partially_rechecked", "fully_rechecked"]),
    )


def reseal(rng: random.Random, tree: Json) -> None:
    """The digest of the content as it is now, and now and then the signature too."""
    try:
        tree["content_digest"] = build.content_digest(tree)
        if rng.random() < 0.5:
            signed = build.sign({**tree, "signatures": []}, rng.choice(["worker", "worker", "other"]))
            tree["signatures"] = signed["signatures"]
    except (UnicodeEncodeError, TypeError, ValueError):
        return


def item(rng: random.Random) -> Json:
    path = rng.choice(list(FILES))
    data = FILES[path]
    made: list[Callable[[], Json]] = [
        lambda: build.hashed(path, data),
        lambda: build.hashed(path, data, expect=build.sha256(data)),
        lambda: build.text(path, data.decode(errors="replace").strip()[:5] or "x", data),
        lambda: build.exists(path),
        lambda: build.exists("src", must_be_file=False, is_file=False),
    ]
    if rng.random() < 0.03:
        return build.command([rng.choice(["/bin/true", "true", "/bin/sh"]), str(rng.random())])
    return rng.choice(made)()


def evidence(rng: random.Random, tree: Json) -> Json:
    """One item of the receipt, or one that is in no receipt when a mutation before left none."""
    claims = tree.get("claims")
    found = [
        one
        for claim in (claims if isinstance(claims, list) else [])
        if isinstance(claim, dict) and isinstance(claim.get("evidence"), list)
        for one in claim["evidence"]
        if isinstance(one, dict) and isinstance(one.get("detail"), dict) and isinstance(one.get("observed"), dict)
    ]
    return rng.choice(found) if found else item(rng)


def change_path(rng: random.Random, tree: Json) -> None:
    paths = ["./report.md", "src//a.py", "src/./a.py", "report.md/", "/etc/passwd", "../report.md", "src/../report.md"]
    paths += ["link.md", "linked/a.py", "fifo", "missing", ".", "./", "a\\b", "", "src", "x" * 4097, "a/" * 300 + "b"]
    evidence(rng, tree)["detail"]["path"] = rng.choice(paths)


def change_text(rng: random.Random, tree: Json) -> None:
    texts = ["", " ", "a\nb", "a\x00", "\x1b[31m", "\u200d", "\ufeff", "\u2028", "\U0001f9d1\u200d\U0001f680", "\u202e"]
    texts += ["x" * 4096, "x" * 4097, "\U0001f600" * 4096, "\ud800", "\xad", "caf\ufffd", "é"]
    where: list[tuple[Any, str]] = [(tree, "agent"), (tree, "task"), (evidence(rng, tree)["detail"], "literal")]
    where += [(claim, name) for claim in _claims(tree) for name in ("id", "statement")]
    target, name = rng.choice(where)
    target[name] = rng.choice(texts)


def change_time(rng: random.Random, tree: Json) -> None:
    times = ["2026-11-30", "2026-11-30T12:00:00", "2026-11-30T12:00:00Z", "2026-W48-1", "20261130T120000+0100", "now"]
    times += [
        "",
        "2999-01-01",
        "2026-02-30",
        "2026-11-30T12:00:00.123456789Z",
        "2026-11-30x12:00",
        "0001-01-01T00:00+14",
    ]
    times += ["9999-12-31T23:59:59-14:00", "2026-11-30T12:00:60Z", "12:00:00", "2026-11-30T12:00:00+25:00"]
    tree["created_at"] = rng.choice(times)


def change_context(rng: random.Random, tree: Json) -> None:
    good = {"packet_digest": "a" * 64, "input_commit": "b" * 40, "output_manifest_digest": "c" * 64}
    tree["context"] = rng.choice([good, {**good, "x": 1}, {**good, "input_commit": "b" * 41}, {}, [], "x"])


def change_ok(rng: random.Random, tree: Json) -> None:
    one = evidence(rng, tree)
    one["ok"] = not one.get("ok")


def change_overall(_rng: random.Random, tree: Json) -> None:
    tree["overall_ok"] = tree.get("overall_ok") is not True


def change_observed(rng: random.Random, tree: Json) -> None:
    observed = evidence(rng, tree)["observed"]
    if not observed:
        return
    name = rng.choice(sorted(observed))
    observed[name] = rng.choice([0, 1, -1, 10_485_760, 10_485_761, True, False, "0" * 64, "A" * 64, None, 1.0, 2**53])


def change_expected(rng: random.Random, tree: Json) -> None:
    one = evidence(rng, tree)
    one["detail"]["expect_sha256"] = rng.choice(["0" * 64, None, "0" * 63, build.sha256(b""), 7])
    if rng.random() < 0.5:
        one["ok"] = False


def change_to_error(rng: random.Random, tree: Json) -> None:
    one = evidence(rng, tree)
    one["observed"] = {"error": rng.choice(["FileNotFoundError", "", "x" * 4097, "a\nb", 7])}
    one["ok"] = rng.random() < 0.2
    if rng.random() < 0.5:
        tree["overall_ok"] = False


def change_claims(rng: random.Random, tree: Json) -> None:
    claims = _claims(tree)
    if not claims:
        return
    first = claims[0]
    found: list[list[Any]] = [[], [*claims, first], [first] * 101, [{**first, "evidence": []}]]
    found += [[{**first, "evidence": [item(rng) for _ in range(count)]}] for count in (20, 21)]
    found.append([{"id": str(n), "statement": "s", "evidence": [item(rng)] * 20} for n in range(rng.choice([10, 11]))])
    tree["claims"] = rng.choice(found)


def change_commands(rng: random.Random, tree: Json) -> None:
    commands = [
        build.command([f"/bin/c{number}"], timeout=rng.choice([20, 24, 25, 60])) for number in range(rng.randint(1, 6))
    ]
    if rng.random() < 0.3:
        commands[-1] = commands[0]
    change: dict[str, list[Any]] = {
        "cmd": [["x"] * 33, ["x"] * 32, [], [""], ["a\nb"], "x"],
        "timeout": [0, 61, True, 1.5],
    }
    change |= {"expect_exit": [1, True, "0", 2**31, -1], "stdout_contains": ["", "x", 5]}
    if rng.random() < 0.5:
        name = rng.choice(sorted(change))
        commands[0]["detail"][name] = rng.choice(change[name])
    tree["claims"] = [{"id": "commands", "statement": "they end", "evidence": commands}]


def change_signature(rng: random.Random, tree: Json) -> None:
    entries = tree.get("signatures")
    if not isinstance(entries, list) or not entries or not isinstance(entries[0], dict):
        return
    entry = dict(entries[0])
    text = entry.get("signature") if isinstance(entry.get("signature"), str) else "AA"
    assert isinstance(text, str)
    changes: list[Json] = [{"algorithm": "ed448"}, {"key_id": "other"}, {"key_id": ""}, {"signature": text[:-4]}]
    changes += [{"signature": "A" + text[1:]}, {"signature": text.replace("+", "-")}, {"signature": text + "\n"}]
    changes += [{"x": 1}, {"signature": text.rstrip("=")}, {"signature": text[:85] + "B=="}]
    changed = {**entry, **rng.choice(changes)}
    tree["signatures"] = rng.choice([[changed], [changed, entry], [entry] * 10, [entry] * 11, [], [None]])


def mutate_anywhere(rng: random.Random, tree: Any) -> None:
    """One value anywhere replaced, one member gone, or one too many."""
    node = tree
    while True:
        if not node:
            return
        key = rng.choice(sorted(node)) if isinstance(node, dict) else rng.randrange(len(node))
        if isinstance(node[key], dict | list) and node[key] and rng.random() < 0.85:
            node = node[key]
            continue
        choice = rng.random()
        if choice < 0.2:
            del node[key]
        elif choice < 0.3 and isinstance(node, dict):
            node["x-" + rng.choice(string.ascii_letters)] = 1
        else:
            values = [None, True, False, 0, -1, 1.5, 2**70, "", "x", "a\x07", [], {}, [1], {"a": 1}, "0" * 64]
            node[key] = rng.choice(values)
        return


def _claims(tree: Json) -> list[Json]:
    claims = tree.get("claims")
    return [one for one in claims if isinstance(one, dict)] if isinstance(claims, list) else []


MUTATIONS: tuple[Callable[[random.Random, Json], None], ...] = (
    change_path,
    change_path,
    change_text,
    change_time,
    change_context,
    change_ok,
    change_overall,
    change_observed,
    change_observed,
    change_expected,
    change_to_error,
    change_claims,
    change_commands,
    change_signature,
    mutate_anywhere,
)


def flip(rng: random.Random, data: bytes) -> bytes:
    position = rng.randrange(len(data))
    return data[:position] + bytes([data[position] ^ (1 << rng.randrange(8))]) + data[position + 1 :]


BYTES: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    flip,
    flip,
    flip,
    lambda rng, data: data[: rng.randrange(len(data))],
    lambda _rng, data: b"\xef\xbb\xbf" + data,
    lambda _rng, data: data.replace(b"\n", b"\r\n"),
    lambda _rng, data: data + data,
    lambda _rng, data: data.replace(b'"task"', b'"task": "again", "task"'),
    lambda _rng, data: data.replace(b"true", b"NaN", 1),
    lambda _rng, data: data.replace(b"null", b"[" * 5000 + b"]" * 5000, 1),
    lambda _rng, data: json.dumps(json.loads(data), ensure_ascii=False, separators=(",", ":")).encode(
        errors="surrogatepass"
    ),
)


def test_every_byte_flip_of_a_small_receipt(engine: PolicyEngine, work: Path, tmp_path: Path) -> None:
    data = written(
        build.sign(
            build.receipt(
                build.exists("report.md"),
                build.hashed("src/a.py", FILES["src/a.py"]),
                build.text("report.md", "PASS", FILES["report.md"]),
                build.command(["/bin/true"]),
            ),
            "worker",
        )
    )
    assert 1900 < len(data) < 2500
    found = []
    for changed in flips(data):
        asked = Question(key=PUBLIC, root=work, minimum="partially_rechecked")
        if (trouble := disagreement(changed, asked, engine, tmp_path / "receipt.json")) is not None:
            found.append(trouble)
    assert found == []


def flips(data: bytes) -> Iterator[bytes]:
    """Each byte with one bit changed, another one for each place."""
    for position in range(len(data)):
        yield data[:position] + bytes([data[position] ^ (1 << (position % 8))]) + data[position + 1 :]
