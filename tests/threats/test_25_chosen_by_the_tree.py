"""Attack: profile, trust file, key or contract taken from the change's own tree, or through a link in it.
Answer: a path that lies in `--root` or leads through it is refused, and nothing is found by itself.
"""

import pytest

from testdata.receipts import generate
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
    assert (seen.code, "lies inside --root" in seen.err) == (4, True), seen.err


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
    assert (seen.code, "lies inside --root" in seen.err) == (4, True)


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
