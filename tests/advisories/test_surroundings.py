"""Nothing is found by itself: no configuration of the current directory, no file that a path names by another way."""

import pytest

from testdata.receipts import generate
from tests.advisories.conftest import TRUSTED, Court

FOUND = {
    ".in_totorc": "[in-toto settings]\nARTIFACT_BASE_PATH = /tmp\n",
    ".in_toto/config": "x",
    "trust.toml": "version = 1\n",
    "acceptance.toml": "version = 1\ncollection = 'minimal'\n",
    "profile.toml": "version = 1\n",
    "done-receipt.toml": "unsigned = true\n",
    ".done-receipt.toml": "unsigned = true\n",
    ".done-receipt/trust.toml": "version = 1\n",
    "pyproject.toml": "[tool.done-receipt]\nunsigned = true\n",
    "setup.cfg": "[done-receipt]\nunsigned = true\n",
    ".env": "DONE_RECEIPT_UNSIGNED=1\n",
    "policy.rego": "package done_receipt.admission\n",
    "root.layout": "{}",
    "trusted_root.json": "{}",
    "sigstore.py": "raise SystemExit('imported from the current directory')\n",
    "cryptography.py": "raise SystemExit('imported from the current directory')\n",
    "sitecustomize.py": "raise SystemExit('imported from the current directory')\n",
}
VARIABLES = {
    "DONE_RECEIPT_UNSIGNED": "1",
    "DONE_RECEIPT_TRUST": "trust.toml",
    "IN_TOTO_ARTIFACT_BASE_PATH": "/tmp",  # noqa: S108 - a value that must not be used
    "IN_TOTO_LINK_CMD_EXEC_TIMEOUT": "0",
    "SIGSTORE_STAGING": "1",
    "COSIGN_EXPERIMENTAL": "1",
    "SIGSTORE_REKOR_PUBLIC_KEY": "rekor.pub",
}


def test_cve_2023_32076_nothing_is_read_from_the_current_directory(
    court: Court, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = court.bundle()
    before = court.judge(bundle)
    for path, text in FOUND.items():
        court.write(path, text)
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    assert court.judge(bundle).document == before.document
    stranger = court.bundle(identity="eve@example.org")
    assert court.judge(stranger).code == 10


@pytest.mark.parametrize(
    "name",
    ["./greeting.txt", "a/../greeting.txt", "/greeting.txt", "a//greeting.txt", "greeting.txt/", "..", "a\\b", ""],
)
def test_cve_2021_41087_a_path_is_spelt_in_one_way(court: Court, name: str) -> None:
    """Rules about a path cannot be gone around by spelling it in another way: in subjects, seals and evidence."""
    item = generate.file_item(name)
    changes: list[generate.Change] = [
        lambda tree, _predicate: tree["subject"][0].update(name=name),
        lambda _tree, predicate: predicate["contract"]["sealed"][0].update(name=name),
        lambda _tree, predicate: predicate["contract"].update(absent=[name]),
        generate.claims(item),
    ]
    for change in changes:
        assert court.judge(court.bundle(change)).code == 3


PREDICATE: dict[str, generate.Change] = {
    "another predicate": lambda tree, _predicate: tree.update(predicateType="https://slsa.dev/provenance/v1"),
    "another output": lambda tree, _predicate: tree.update(subject=[generate.file("other.txt", "x")]),
    "the same output with other bytes": lambda tree, _predicate: tree.update(
        subject=[generate.file("greeting.txt", "hello, moon\n")]
    ),
}


@pytest.mark.parametrize("change", PREDICATE.values(), ids=PREDICATE)
@pytest.mark.parametrize("rekor", ["v1", "v2"])
def test_in_toto_audit_2023_a_valid_receipt_of_something_else_is_not_replayed(
    court: Court, change: generate.Change, rekor: str
) -> None:
    seen = court.judge(court.bundle(change, rekor=rekor))
    assert seen.code in (11, 12)
    assert seen.document["decision"]["allow"] is False


@pytest.mark.parametrize("position", [1, 3, 5], ids=["packet", "commit", "output"])
def test_in_toto_audit_2023_a_valid_receipt_of_another_commit_is_not_replayed(court: Court, position: int) -> None:
    bundle = court.bundle(generate.context())
    assert court.judge(bundle, flags=generate.CONTEXT_FLAGS).code == 0
    flags = list(generate.CONTEXT_FLAGS)
    flags[position] = "e" * len(flags[position])
    seen = court.judge(bundle, flags=flags)
    assert (seen.code, seen.violations) == (11, {"context.equal"})
    without = court.judge(court.bundle(), flags=generate.CONTEXT_FLAGS)
    assert without.code in (11, 12)


def test_in_toto_audit_2023_an_old_receipt_of_the_same_work_is_not_the_new_one(court: Court) -> None:
    old = court.bundle(generate.update("run", iterations=1))
    expected = generate.sha256(generate.payload_of(generate.base()).decode())
    assert court.judge(court.bundle(), flags=["--expected-digest", expected]).code == 0
    assert court.judge(old, flags=["--expected-digest", expected]).code == 11


def test_in_toto_audit_2023_later_work_refutes_a_valid_receipt(court: Court) -> None:
    bundle = court.bundle()
    assert court.judge(bundle).code == 0
    court.write("workspace/greeting.txt", "hello, moon\n")
    seen = court.run("verify", "receipt.json", "--trusted-root", "root.json", *TRUSTED, *generate.ROOT, "--json")
    assert seen.code == 11
