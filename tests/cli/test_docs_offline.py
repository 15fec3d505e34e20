"""The page on offline verification: each command that it shows is typed, where there is no network if that can be."""

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from testdata.receipts import generate
from tests.cli.test_docs import DOCS, bin_folder, steps, transcript, typed_in
from tests.forge.sigstore import Forge

__all__ = ["bin_folder"]

WORKFLOW = "https://github.com/octo/repo/.github/workflows/release.yml@refs/heads/main"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """What the page takes for granted: bundles of this workflow and of another, the root, and the work."""
    forge = Forge.of("offline")
    plan: dict[str, Any] = {
        "identity": WORKFLOW,
        "issuer": "https://token.actions.githubusercontent.com",
        "claims": {"sourceRepositoryURI": "https://github.com/octo/repo"},
        "rekor": "v2",
    }
    provenance = generate.base() | {"predicateType": "https://slsa.dev/provenance/v1", "predicate": {}}
    stranger = {"identity": WORKFLOW.replace("octo", "evil")}
    bundles = {
        "receipt": (generate.base(), {}),
        "provenance": (provenance, {}),
        "stranger": (generate.base(), stranger),
    }
    for name, (statement, changes) in bundles.items():
        statement["subject"][0]["annotations"] = {"made": name}
        bundle = forge.bundle(generate.payload_of(statement), **(plan | changes))
        (tmp_path / f"{name}.sigstore.json").write_text(json.dumps(bundle))
    (tmp_path / "trusted_root.json").write_text(json.dumps(forge.trusted_root()))
    for path, text in generate.WORK.items():
        (tmp_path / "work" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "work" / path).write_text(text)
    return tmp_path


def without_network(folder: Path) -> Path:
    """The folder for PATH, with a command in it that runs where no network is, if this machine lets us."""
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-rn", "true"], capture_output=True, check=False).returncode:
        return folder
    alone = folder / "alone"
    alone.mkdir(exist_ok=True)
    command = f'#!/bin/sh\nexec {unshare} -rn {shlex.quote(str(folder / "done-receipt"))} "$@"\n'
    (alone / "done-receipt").write_text(command)
    (alone / "done-receipt").chmod(0o755)
    return alone


def test_the_page_on_offline_verification_does_what_it_shows(desk: Path, bin_folder: Path) -> None:
    wanted = steps(DOCS / "how-to" / "offline-verification.md")
    assert len(wanted) > 12
    assert "\n".join(transcript(typed_in(desk, without_network(bin_folder), wanted), wanted)) == ""
