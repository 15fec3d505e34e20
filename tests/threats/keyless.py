"""Receipts signed with Sigstore certificates, and trust files for them: what several threats look at."""

import json
from collections.abc import Callable
from typing import Any, Final

from testdata.receipts import generate
from tests.forge.plan import Plan
from tests.forge.sigstore import Forge

FORGE: Final = Forge.of()
MAIL: Final = "dev@example.org"
ISSUER: Final = "https://accounts.example.org"  # of the forge's plan, as the mail address is
GITHUB: Final = "https://token.actions.githubusercontent.com"
ROOT: Final = '[sigstore]\ntrustedRoot = "trusted_root.json"\n'
VERSION: Final = "version = 1\n"
WORKER: Final = generate.SCOPED.removeprefix(VERSION)  # the key, with the principal `worker`
THIRD: Final = generate.STRANGER  # somebody who never signs, so that a threshold of two can be met

Writer = Callable[[bytes], str]


def identity(name: str, *, principal: str = "", subject: str = MAIL, issuer: str = ISSUER, more: str = "") -> str:
    """An entry of a trust file; a subject that begins with `~` is an expression."""
    rule = f"subjectRegexp = '{subject[1:]}'" if subject.startswith("~") else f'subject = "{subject}"'
    return f'[[identity]]\nname = "{name}"\nprincipal = "{principal or name}"\n{rule}\nissuer = "{issuer}"\n{more}\n'


def bundle(plan: Plan | None = None, **changes: Any) -> Writer:
    """Signs the payload as the plan says, with a key of the identity's own."""
    changes.setdefault("signer", changes.get("identity", MAIL))
    return lambda payload: json.dumps(FORGE.bundle(payload, plan, **changes))


def managed(seed: str = "worker", **changes: Any) -> Writer:
    """Signs the payload with a key, into a bundle."""
    return lambda payload: json.dumps(FORGE.managed(payload, generate.key(seed), **changes))


def plain(*seeds: str) -> Writer:
    """Signs the payload with keys, into an envelope."""
    return lambda payload: json.dumps(generate.envelope(payload, seeds or ("worker",)))


def lines(*writers: Writer) -> Writer:
    """What they write of one payload, as JSON Lines."""
    return lambda payload: "".join(write(payload) + "\n" for write in writers)


def case(trust: str, write: Writer, *, root: dict[str, Any] | None = None, **members: Any) -> generate.Case:
    """A case with this trust file, less its first line, and the forge's root."""
    inputs = {"trust.toml": VERSION + trust, "trusted_root.json": json.dumps(root or FORGE.trusted_root())}
    return generate.Case(why="", write=write, inputs=inputs, trust=["--trust", "trust.toml"], **members)
