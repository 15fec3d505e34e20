"""The pages on other tools: each command shown is typed, and does what it shows."""

import base64
import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from testdata.receipts import generate
from tests.cli.test_docs import DOCS, HONEST, Step, blocks, steps, transcript, typed_in
from tests.integration.adapters.deciding import Decided
from tests.integration.adapters.tls import server_certificate

pytestmark = [pytest.mark.integration, pytest.mark.loopback, pytest.mark.xdist_group("adapters")]

HOW_TO = DOCS / "how-to"


@pytest.fixture
def path_folder(tool: Callable[[str], Path], tmp_path: Path) -> Path:
    """A folder for PATH: `done-receipt`, and the tools that the pages name."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -m in_toto_done_receipt "$@"\n'
    (folder / "done-receipt").write_text(command)
    (folder / "done-receipt").chmod(0o755)
    for name in ("conftest", "gator", "crane", "cosign", "tester", "opa"):
        (folder / name).symlink_to(tool(name))
    return folder


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """receipt.json, its work, and a gate that trusts its signer."""
    desk = tmp_path / "desk"
    shutil.copytree(HONEST / "workspace", desk / "work")
    shutil.copy(HONEST / "receipt.json", desk / "receipt.json")
    (desk / "gate").mkdir()
    (desk / "gate" / "worker.pub").write_text(generate.public_pem("worker"))
    (desk / "gate" / "trust.toml").write_text('version = 1\n[[key]]\nname = "worker"\npath = "worker.pub"\n')
    return desk


def differing(page: str, folder: Path, path_folder: Path, *, moved: tuple[str, str] = ("", "")) -> str:
    """What the page shows and the shell does not; `moved` is a text of the page, and what stands for it here."""

    def there(text: str) -> str:
        return text.replace(*moved) if moved[0] else text

    wanted = [Step(typed=there(s.typed), shown=tuple(map(there, s.shown))) for s in steps(HOW_TO / f"{page}.md")]
    assert len(wanted) > 3
    return "\n".join(transcript(typed_in(folder, path_folder, wanted), wanted))


@pytest.mark.parametrize("page", ["conftest", "gatekeeper", "witness"])
def test_the_page_does_what_it_shows(page: str, desk: Path, path_folder: Path) -> None:
    assert differing(page, desk, path_folder) == ""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@contextmanager
def serving(port: int, *argv: str | Path) -> Iterator[None]:
    """A server on this port, once it answers."""
    with subprocess.Popen(list(map(str, argv)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(200):
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                except OSError:
                    time.sleep(0.05)
                else:
                    break
            yield
        finally:
            process.terminate()


def test_the_pages_on_cosign_and_the_controller_do_what_they_show(
    tool: Callable[[str], Path], path_folder: Path, tmp_path: Path
) -> None:
    """The second goes on where the first ends: with an image to which receipt and verdict are attached."""
    folder, port = tmp_path / "desk", free_port()
    (folder / "work").mkdir(parents=True)
    (folder / "work" / "app.txt").write_text("app\n")
    for name in ("worker", "gate"):
        subprocess.run(
            [path_folder / "done-receipt", "keygen", "--out", name, "--algorithm", "ecdsa-p256"],
            cwd=folder, check=True, capture_output=True,
        )  # fmt: skip
    subprocess.run(["tar", "-cf", "layer.tar", "-C", "work", "app.txt"], cwd=folder, check=True)
    moved = ("127.0.0.1:5000", f"127.0.0.1:{port}")
    with serving(port, tool("crane"), "registry", "serve", "--address", moved[1]):
        assert differing("cosign", folder, path_folder, moved=moved) == ""
        argv = [str(tool("crane")), "digest", "--insecure", f"{moved[1]}/app:1"]
        digest = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()
        (folder / "image").write_text(f"{moved[1]}/app@{digest}\n")
        shutil.rmtree(folder / "policy")
        assert differing("policy-controller", folder, path_folder, moved=moved) == ""


def test_the_provider_of_the_page_answers_gatekeeper(
    tool: Callable[[str], Path], adapter: Callable[..., Path], decided: list[Decided], tmp_path: Path
) -> None:
    (code,) = blocks(HOW_TO / "gatekeeper.md", "python")
    (tmp_path / "provider.py").write_text(code)
    admitted = next(case for case in decided if case.allow)
    digests = {"admitted": "a" * 64, "unknown": "b" * 64}
    (tmp_path / "answers").mkdir()
    shutil.copy(admitted.path, tmp_path / "answers" / f"{digests['admitted']}.json")
    certificate, key = server_certificate(tmp_path)
    port = free_port()
    documents: dict[str, Any] = {
        name: {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {"containers": [{"name": "app", "image": f"registry.example.com/app@sha256:{digest}"}]},
        }
        for name, digest in digests.items()
    }
    documents["provider"] = {
        "apiVersion": "externaldata.gatekeeper.sh/v1beta1",
        "kind": "Provider",
        "metadata": {"name": "done-receipt"},
        "spec": {
            "url": f"https://127.0.0.1:{port}",
            "timeout": 2,
            "caBundle": base64.b64encode(certificate.read_bytes()).decode(),
        },
    }
    for name, tree in documents.items():
        (tmp_path / f"{name}.yaml").write_text(json.dumps(tree))
    made = adapter("gatekeeper")
    constraint = re.sub(r"\n    maxAge: \d+", "", (made / "constraint.yaml").read_text())  # the case is of another day
    (tmp_path / "constraint.yaml").write_text(constraint)
    files = [made / "template.yaml", tmp_path / "constraint.yaml", *(tmp_path / f"{name}.yaml" for name in documents)]
    with serving(port, sys.executable, tmp_path / "provider.py", tmp_path / "answers", certificate, key, str(port)):
        argv = [str(tool("gatekeeper-review")), *map(str, files)]
        done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["admitted"] == []
    assert any("no receipt of this image was verified" in message for message in said["unknown"])
