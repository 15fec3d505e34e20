"""One honest receipt, and every bundle of it that a run needs: each signed once, all at the same time.

A log answers after a second, however many ask: nobody signs in a test who can take one of these.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from tests.integration.stack.certificates import write_key, write_public
from tests.integration.stack.sigstore import SigstoreStack

TYPE: Final = "https://w3id.org/done-receipt/v0.1"
PERSON: Final = "alice@example.com"
WORKFLOW: Final = "https://github.com/octo/repo/.github/workflows/receipt.yml@refs/heads/main"
DONE_RECEIPT: Final = (sys.executable, "-I", "-m", "in_toto_done_receipt")
SECONDS: Final = 60  # for one command, on a busy machine

KEYS: Final[Mapping[str, Callable[[], Any]]] = {
    "worker": lambda: ec.generate_private_key(ec.SECP256R1()),
    "stranger": lambda: ec.generate_private_key(ec.SECP256R1()),
    "p384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "p521": lambda: ec.generate_private_key(ec.SECP521R1()),
    "rsa": lambda: rsa.generate_private_key(65537, 2048),
    "ed25519": ed25519.Ed25519PrivateKey.generate,
}

Tool = Callable[[str], Path]


def is_bare(name: str) -> bool:
    """Whether the bundle of this name has neither log entry nor timestamp."""
    return name.endswith("-bare")


def key_of(name: str) -> str:
    """The name of the key that signed the bundle of this name."""
    maker, _, kind = name.removesuffix("-bare").partition("-key")
    return kind.removeprefix("-") or ("cosign" if maker == "cosign" else "worker")


def succeed(*command: str | Path, cwd: Path, environment: Mapping[str, str] | None = None, stdin: str = "") -> str:
    """Run a command that has to succeed, and give what it printed on both streams."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=os.environ | (environment or {}),
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}:\n{done.stdout}"
    return done.stdout


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A folder with `work/`, `statement.json`, the key pairs `KEYS` and `cosign`, and what was signed."""

    folder: Path

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def statement(self) -> Path:
        return self.folder / "statement.json"

    def bundle(self, name: str) -> Path:
        """A bundle by its name in `BUNDLES`."""
        return self.folder / f"{name}.sigstore.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """Signs the statement of a folder with a stack."""

    folder: Path
    stack: SigstoreStack
    tool: Tool

    def ours(self, name: str, *flags: str) -> None:
        """With `done-receipt sign`; all it needs to know is in the flags."""
        succeed(*DONE_RECEIPT, "sign", "statement.json", "--out", f"{name}.sigstore.json", *flags, cwd=self.folder)

    def ours_keyless(self, name: str, kind: str, **claims: Any) -> None:
        token = self._token(name, kind, **claims)
        self.ours(name, "--sigstore", "--identity-token", token, *self.our_stack)

    def ours_managed(self, name: str, key: str) -> None:
        self.ours(name, "--key", f"{key}.pem", "--bundle", *(() if is_bare(name) else self.our_stack))

    def cosign(self, name: str, *flags: str) -> None:
        """With `cosign attest-blob --statement`."""
        bundle = ("--bundle", f"{name}.sigstore.json", "--statement", "statement.json", "--yes")
        environment = {"COSIGN_PASSWORD": ""}
        succeed(self.tool("cosign"), "attest-blob", *bundle, *flags, cwd=self.folder, environment=environment)

    def cosign_keyless(self, name: str, kind: str, **claims: Any) -> None:
        self.cosign(name, "--identity-token", self._token(name, kind, **claims), *self.cosign_stack)

    @property
    def our_stack(self) -> tuple[str, ...]:
        return "--trust-config", str(self.stack.trust_config), "--yes"

    @property
    def cosign_stack(self) -> tuple[str, ...]:
        return "--signing-config", str(self.stack.signing_config), "--trusted-root", str(self.stack.trusted_root)

    def _token(self, name: str, kind: str, **claims: Any) -> str:
        path = self.folder / f"{name}.token"
        path.write_text(self.stack.fetch_token(kind, **claims))
        return str(path)


# Name: who signs it, how. Those with `bare` have neither log entry nor timestamp.
BUNDLES: Final[Mapping[str, Callable[[Maker, str], None]]] = {
    "ours-email": lambda make, name: make.ours_keyless(name, "email", email=PERSON),
    "ours-actions": lambda make, name: make.ours_keyless(name, "actions"),
    "ours-key": lambda make, name: make.ours_managed(name, "worker"),
    "ours-key-bare": lambda make, name: make.ours_managed(name, "worker"),
    "ours-key-p384": lambda make, name: make.ours_managed(name, "p384"),
    "ours-key-p521-bare": lambda make, name: make.ours_managed(name, "p521"),
    "ours-key-rsa": lambda make, name: make.ours_managed(name, "rsa"),
    "ours-key-ed25519-bare": lambda make, name: make.ours_managed(name, "ed25519"),
    "cosign-email": lambda make, name: make.cosign_keyless(name, "email", email=PERSON),
    "cosign-actions": lambda make, name: make.cosign_keyless(name, "actions"),
    "cosign-key": lambda make, name: make.cosign(name, "--key", "cosign.key", *make.cosign_stack),
    "cosign-key-bare": lambda make, name: make.cosign(
        name, "--key", "cosign.key", "--use-signing-config=false", "--tlog-upload=false"
    ),
    "cosign-key-p384": lambda make, name: make.cosign(name, "--key", "cosign-p384.key", *make.cosign_stack),
}


def prepare(folder: Path, tool: Tool) -> Made:
    """The work, its receipt and the keys in `folder`; nothing is signed yet."""
    (folder / "work" / "tests").mkdir(parents=True)
    (folder / "work" / "greeting.txt").write_text("hello, world\n")
    (folder / "work" / "tests" / "check.sh").write_text('test "$(cat greeting.txt)" = "hello, world"\n')
    build = "build --root work --out statement.json --agent worker-agent --model model-1 --task hello"
    build += " --claim greets=there --file greets=greeting.txt --text greets=greeting.txt::hello"
    succeed(*DONE_RECEIPT, *build.split(), cwd=folder)
    for name, key in KEYS.items():
        private = key()
        write_key(folder / f"{name}.pem", private)
        write_public(folder / f"{name}.pub", private.public_key())
    for command in ("generate-key-pair", "import-key-pair --key p384.pem --output-key-prefix cosign-p384"):
        succeed(tool("cosign"), *command.split(), cwd=folder, environment={"COSIGN_PASSWORD": ""})
    return Made(folder=folder)


def sign_all(made: Made, stack: SigstoreStack, tool: Tool) -> None:
    """All bundles, at the same time."""
    make = Maker(folder=made.folder, stack=stack, tool=tool)
    with ThreadPoolExecutor(len(BUNDLES)) as pool:
        for signed in [pool.submit(sign, make, name) for name, sign in BUNDLES.items()]:
            signed.result()
