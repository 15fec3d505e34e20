"""Attack: profile, trust file, key or contract taken from the change's own tree, or through a link in it.
Answer: a path that lies in `--root` or leads through it is refused, and nothing is found by itself.
"""

import pytest

from testdata.receipts import generate
from testdata.receipts.generate_changes import FLAGS as CHANGE
from testdata.receipts.generate_changes import PROFILE, WORK, Case
from tests.threats.conftest import Desk

OWN = {
    "acceptance.toml": generate.PROFILE,
    "trust.toml": generate.SCOPED,
    "contract.json": generate.CONTRACT["contract.json"],
    "worker.pub": generate.public_pem("worker"),
}
FLAGS = {
    "--profile": ("--profile", "acceptance.toml", ""),
    "--trust": ("--trust", "trust.toml", ""),
    "--contract": ("--contract", "contract.json", ""),
    "--trusted-key": ("--trusted-key", "worker.pub", "worker="),
}


def refused(desk: Desk, flag: str, path: str, prefix: str) -> None:
    arguments = desk.lay(generate.Case(why="", trust=[] if "trust" in flag else list(generate.TRUST)))
    seen = desk.run("verify", *arguments, flag, prefix + path)
    assert (seen.code, "lies inside --r" in seen.err) == (4, True), seen.err


@pytest.mark.parametrize(("flag", "name", "prefix"), FLAGS.values(), ids=FLAGS)
@pytest.mark.parametrize("spelling", ["workspace/{}", "./workspace/../workspace/{}", "alias/{}"])
def test_threat_25_in_the_tree(desk: Desk, flag: str, name: str, prefix: str, spelling: str) -> None:
    (desk.folder / "alias").symlink_to("workspace")
    desk.write(f"workspace/{name}", OWN[name])
    refused(desk, flag, spelling.format(name), prefix)


@pytest.mark.parametrize(("flag", "name", "prefix"), FLAGS.values(), ids=FLAGS)
def test_threat_25_through_a_link_of_the_trees(desk: Desk, flag: str, name: str, prefix: str) -> None:
    desk.write(f"elsewhere/{name}", OWN[name])
    (desk.folder / "workspace").mkdir()
    (desk.folder / "workspace" / "link").symlink_to("../elsewhere")
    refused(desk, flag, f"workspace/link/{name}", prefix)


def test_threat_25_a_key_that_the_trust_file_takes_from_there(desk: Desk) -> None:
    desk.write("workspace/worker.pub", OWN["worker.pub"])
    text = generate.SCOPED.replace("../trust/worker.pub", "workspace/worker.pub")
    arguments = desk.lay(generate.Case(why="", inputs={"trust.toml": text}, trust=["--trust", "trust.toml"]))
    seen = desk.run("verify", *arguments)
    assert (seen.code, "lies inside --r" in seen.err) == (4, True)


def test_threat_25_nothing_is_found_by_itself(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (".", "workspace", ".config/done-receipt", "workspace/.done-receipt"):
        for name, text in OWN.items():
            desk.write(f"{place}/{name}", text)
    monkeypatch.setenv("HOME", str(desk.folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(desk.folder / ".config"))
    arguments = desk.lay(generate.Case(why="", trust=[], change=generate.claims()))
    assert desk.run("verify", *arguments).code == 2
    seen = desk.run("verify", *arguments, *generate.TRUST, "--json")
    assert (seen.code, seen.result["profileDigest"]) == (12, None)


WEAK = 'version = 1\ncollection = "minimal"\nminimumAssurance = "reported"\n'


@pytest.mark.parametrize("spelling", ["{repo}/acceptance.toml", "{repo}/../repo/acceptance.toml", "{repo}/.git/p.toml"])
def test_threat_25_a_file_of_the_work_tree_is_refused(desk: Desk, spelling: str) -> None:
    laid = desk.lay_change(Case(why=""))
    (laid.repo.git_dir / "p.toml").write_text(PROFILE)
    flags = [word.replace("base:acceptance.toml", spelling) for word in CHANGE]
    seen = desk.run("verify", *laid.with_flags(flags), "--json")
    assert (seen.code, "lies inside --r" in seen.out) == (4, True), seen.out


def test_threat_25_base_is_what_base_has(desk: Desk) -> None:
    """The change weakens the profile, in head and in the work tree: the one at base decides."""
    laid = desk.lay_change(Case(why="", work={**WORK, "acceptance.toml": WEAK}, sealed=()))
    (laid.repo.path / "acceptance.toml").write_text(WEAK)
    seen = desk.look(laid)
    assert (seen.code, "contract.coverage" in seen.violations) == (12, True)


def test_threat_25_a_link_at_base_is_no_file(desk: Desk) -> None:
    outside = desk.write("outside.toml", PROFILE)
    laid = desk.lay_change(Case(why=""))
    repo = laid.repo
    repo.git("checkout", "-q", "main")
    (repo.path / "link.toml").symlink_to(outside)
    base = repo.commit()
    head = repo.commit(WORK)
    flags = ["--repo", "{repo}", "--base", base, "--head", head, "--profile", "base:link.toml"]
    seen = desk.run("verify", *laid.with_flags(flags), "--json")
    assert (seen.code, "base:link.toml: no such file at base" in seen.out) == (4, True), seen.out
