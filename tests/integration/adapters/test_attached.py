"""cosign and policy-controller, the real ones, on images in a registry on loopback."""

import base64
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.integration.made import SECONDS, succeed

pytestmark = [pytest.mark.integration, pytest.mark.loopback, pytest.mark.xdist_group("adapters")]

VSA = "https://slsa.dev/verification_summary/v1"
RECEIPT = "https://w3id.org/done-receipt/v0.1"
GATE = "https://example.com/gate"
RESOURCE = "pkg:oci/app"
WANTED = ("--verifier-id", GATE, "--resource-uri", RESOURCE)

Ran = subprocess.CompletedProcess[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """A registry with images, and a folder with keys: `worker` of the agent's, `gate` of the verifier's, `stranger`."""

    folder: Path
    address: str
    tool: Callable[[str], Path]

    def image(self, name: str) -> str:
        """A new image, by its digest; its manifest is `NAME/work/image.json`, the subject that a receipt can name."""
        work = self.folder / name / "work"
        work.mkdir(parents=True)
        (work / "app.txt").write_text(f"{name}\n")
        succeed("tar", "-cf", "../layer.tar", "app.txt", cwd=work)
        reference = f"{self.address}/{name}:1"
        self._crane("append", "-f", str(work.parent / "layer.tar"), "-t", reference)
        digest = self._crane("digest", reference).strip()
        (work / "image.json").write_text(self._crane("manifest", reference))
        return f"{self.address}/{name}@{digest}"

    def _crane(self, command: str, *words: str) -> str:
        return succeed(self.tool("crane"), command, "--insecure", *words, cwd=self.folder)

    def cosign(self, *words: str | Path) -> Ran:
        argv = [str(self.tool("cosign")), *map(str, words)]
        environment = os.environ | {"COSIGN_PASSWORD": "", "HOME": str(self.folder)}
        return subprocess.run(
            argv, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
        )

    def attach(self, image: str, envelope: Path) -> None:
        """Beside the image, as it was signed."""
        done = self.cosign("attach", "attestation", "--attestation", envelope, "--allow-insecure-registry", image)
        assert done.returncode == 0, done.stderr

    def verify(self, image: str, policy: Path, *, key: str = "gate", kind: str = VSA) -> Ran:
        words: list[str | Path] = ["verify-attestation", "--key", f"{key}.pub", "--insecure-ignore-tlog=true"]
        words += ["--type", kind, "--policy", policy, "--allow-insecure-registry", image]
        return self.cosign(*words)


@pytest.fixture(scope="module")
def registry(tool: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    folder = tmp_path_factory.mktemp("registry")
    for name in ("worker", "gate", "stranger"):
        ours("keygen", "--out", name, "--algorithm", "ecdsa-p256", cwd=folder)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    argv = [str(tool("crane")), "registry", "serve", "--address", address]
    with (folder / "log").open("wb") as log, subprocess.Popen(argv, stdout=log, stderr=log) as process:
        try:
            _wait(address)
            yield Registry(folder=folder, address=address, tool=tool)
        finally:
            process.terminate()


def _wait(address: str) -> None:
    host, _, port = address.partition(":")
    for _ in range(200):
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(address)


def ours(*words: str | Path, cwd: Path, allowed: tuple[int, ...] = (0,)) -> str:
    argv = [sys.executable, "-I", "-m", "in_toto_done_receipt", *map(str, words)]
    done = subprocess.run(argv, cwd=cwd, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode in allowed, done.stderr
    return done.stdout


def judged(registry: Registry, name: str, *, honest: bool = True, key: str = "gate") -> tuple[str, Path, Path]:
    """An image, its receipt and the verdict on it; not honest: the work was changed after the receipt was made."""
    image = registry.image(name)
    folder = registry.folder / name
    build = ("--agent", "a", "--model", "m", "--task", "t", "--claim", "c=x", "--file", "c=app.txt")
    signed = ("--subject", "image.json", "--key", "../worker.pem", "--out", "receipt.json")
    ours("attest", "--root", "work", *build, *signed, cwd=folder)
    if not honest:
        (folder / "work" / "app.txt").write_text("another\n")
    trust = ("--trusted-key", "worker=../worker.pub", "--root", "work", "--out", "result.json")
    ours("recompute", "receipt.json", *trust, cwd=folder, allowed=(0, 11))
    digest = succeed("sha256sum", "result.json", cwd=folder).split()[0]
    named = ("--resource-uri", RESOURCE, "--verifier-id", GATE, "--key", f"../{key}.pem", "--out", "vsa.json")
    ours("attest-result", "result.json", "--expected-digest", digest, *named, cwd=folder, allowed=(0, 11))
    return image, folder / "receipt.json", folder / "vsa.json"


@pytest.fixture(scope="module")
def admitted(registry: Registry) -> str:
    """An image with its receipt and a verdict that passed."""
    image, receipt, vsa = judged(registry, "admitted")
    registry.attach(image, receipt)
    registry.attach(image, vsa)
    return image


@pytest.fixture(scope="module")
def denied(registry: Registry) -> str:
    """An image with its receipt and a verdict that failed."""
    image, receipt, vsa = judged(registry, "denied", honest=False)
    registry.attach(image, receipt)
    registry.attach(image, vsa)
    return image


Adapter = Callable[..., Path]


@pytest.fixture(scope="module")
def policy(adapter: Adapter) -> Path:
    return adapter("cosign", *WANTED) / "done-receipt.rego"


def test_cosign_admits_what_passed(registry: Registry, policy: Path, admitted: str) -> None:
    done = registry.verify(admitted, policy)
    assert done.returncode == 0, done.stderr
    assert RECEIPT not in done.stdout


def test_cosign_refuses_what_failed(registry: Registry, policy: Path, denied: str) -> None:
    done = registry.verify(denied, policy)
    assert done.returncode == 1
    assert "the verification did not pass" in done.stderr


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (("--verifier-id", "https://example.com/other", "--resource-uri", RESOURCE), "another verifier's"),
        (("--verifier-id", GATE, "--resource-uri", "pkg:oci/other"), "about another resource"),
        ((*WANTED, "--level", "DONE_RECEIPT_COLLECTION_RELEASE"), "a level that is wanted was not reached"),
        ((*WANTED, "--judged-by", "0" * 64), "decided by another policy"),
    ],
)
def test_cosign_refuses_another_summary(
    registry: Registry, adapter: Adapter, admitted: str, flags: tuple[str, ...], reason: str
) -> None:
    done = registry.verify(admitted, adapter("cosign", *flags) / "done-receipt.rego")
    assert (done.returncode, reason in done.stderr) == (1, True), done.stderr


def test_cosign_admits_the_policy_that_is_pinned(registry: Registry, adapter: Adapter, admitted: str) -> None:
    vsa = json.loads((registry.folder / "admitted" / "vsa.json").read_bytes())
    statement = payload(vsa)
    pinned = statement["predicate"]["policy"]["digest"]["sha256"]
    flags = (*WANTED, "--judged-by", pinned, "--max-age", "3600", "--level", "DONE_RECEIPT_COLLECTION_MINIMAL")
    assert registry.verify(admitted, adapter("cosign", *flags) / "done-receipt.rego").returncode == 0


def payload(envelope: dict[str, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(base64.b64decode(envelope["payload"]))
    return tree


def test_a_receipt_alone_is_refused_and_beside_a_summary_its_claims_count(
    registry: Registry, policy: Path, adapter: Adapter, admitted: str
) -> None:
    done = registry.verify(admitted, policy, key="worker", kind=RECEIPT)
    assert (done.returncode, "signer's word" in done.stderr) == (1, True), done.stderr
    both = adapter("cosign", *WANTED, "--claims") / "done-receipt.rego"
    assert registry.verify(admitted, both, key="worker", kind=RECEIPT).returncode == 0
    assert registry.verify(admitted, both).returncode == 0


def test_a_predicate_that_cosign_attests_is_read_too(
    registry: Registry, policy: Path, adapter: Adapter, admitted: str
) -> None:
    """cosign writes a statement of its own around it, v0.1, with the image as its subject."""
    image = registry.image("attested")
    assert registry.cosign("generate-key-pair").returncode == 0
    envelope = json.loads((registry.folder / "admitted" / "receipt.json").read_bytes())
    predicate = registry.folder / "predicate.json"
    predicate.write_text(json.dumps(payload(envelope)["predicate"]))
    words = ("attest", "--yes", "--key", "cosign.key", "--predicate", predicate, "--type", RECEIPT)
    done = registry.cosign(
        *words, "--tlog-upload=false", "--use-signing-config=false", "--allow-insecure-registry", image
    )
    assert done.returncode == 0, done.stderr
    assert registry.verify(image, policy, key="cosign", kind=RECEIPT).returncode == 1
    both = adapter("cosign", *WANTED, "--claims") / "done-receipt.rego"
    assert registry.verify(image, both, key="cosign", kind=RECEIPT).returncode == 0
    assert registry.verify(image, both, key="cosign").returncode == 1  # no summary stands beside it


def test_a_summary_that_a_stranger_signed_is_none(registry: Registry, policy: Path) -> None:
    image, _, vsa = judged(registry, "strangers", key="stranger")
    registry.attach(image, vsa)
    assert registry.verify(image, policy, key="stranger").returncode == 0
    assert registry.verify(image, policy).returncode == 1


def test_a_summary_about_another_image_is_none(registry: Registry, policy: Path, admitted: str) -> None:
    image = registry.image("moved")
    registry.attach(image, registry.folder / "admitted" / "vsa.json")
    assert registry.verify(image, policy).returncode == 1


def test_one_that_failed_beside_one_that_passed_is_refused_by_cosign(registry: Registry, policy: Path) -> None:
    """All that verify have to pass; the controller admits when one passes, which the page says."""
    image, _, vsa = judged(registry, "twice")
    registry.attach(image, vsa)
    assert registry.verify(image, policy).returncode == 0
    folder = registry.folder / "twice"
    (folder / "work" / "app.txt").write_text("another\n")
    trust = ("--trusted-key", "worker=../worker.pub", "--root", "work", "--out", "result.json")
    ours("recompute", "receipt.json", *trust, cwd=folder, allowed=(11,))
    digest = succeed("sha256sum", "result.json", cwd=folder).split()[0]
    named = ("--resource-uri", RESOURCE, "--verifier-id", GATE, "--key", "../gate.pem", "--out", "failed.json")
    ours("attest-result", "result.json", "--expected-digest", digest, *named, cwd=folder, allowed=(11,))
    registry.attach(image, folder / "failed.json")
    assert registry.verify(image, policy).returncode == 1


# --- policy-controller ---


def control(registry: Registry, policy: Path, image: str) -> Ran:
    argv = [str(registry.tool("tester")), "-policy", str(policy / "image-policy.yaml"), "-image", image]
    environment = os.environ | {"HOME": str(registry.folder)}
    return subprocess.run(
        [*argv, "-log-level", "error"], env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
    )


@pytest.fixture(scope="module")
def controlled(registry: Registry, adapter: Adapter) -> Callable[..., Path]:
    def make(*flags: str) -> Path:
        placed = ("--image", f"{registry.address}/**", "--key", registry.folder / "gate.pub")
        return adapter("policy-controller", *flags, *placed)

    return make


def test_the_controller_admits_what_passed(registry: Registry, controlled: Callable[..., Path], admitted: str) -> None:
    done = control(registry, controlled(*WANTED), admitted)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_the_controller_denies_what_failed_and_says_why(
    registry: Registry, controlled: Callable[..., Path], denied: str
) -> None:
    done = control(registry, controlled(*WANTED), denied)
    assert done.returncode == 1
    assert "the verification did not pass" in json.loads(done.stdout)["errors"][0]


def test_the_controller_denies_an_image_without_a_summary(registry: Registry, controlled: Callable[..., Path]) -> None:
    image, receipt, _ = judged(registry, "bare")
    policy = controlled(*WANTED)
    assert control(registry, policy, image).returncode == 1
    registry.attach(image, receipt)
    assert control(registry, policy, image).returncode == 1


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (("--verifier-id", "https://example.com/other", "--resource-uri", RESOURCE), "another verifier's"),
        ((*WANTED, "--level", "DONE_RECEIPT_SANDBOX_BUBBLEWRAP"), "a level that is wanted was not reached"),
    ],
)
def test_the_controller_denies_another_summary(
    registry: Registry, controlled: Callable[..., Path], admitted: str, flags: tuple[str, ...], reason: str
) -> None:
    done = control(registry, controlled(*flags), admitted)
    assert (done.returncode, reason in done.stdout) == (1, True), done.stdout
