"""The user's own `opa` on the Rego sources, and on folders of the verifier's own policy.

Ensures: strict built-in errors (a type error is an error and not an undefined rule); no network, no clock, no chance,
no look at the machine: those built-ins are taken from OPA's capabilities; bounded time and output; packages of the
verifier's own stay below done_receipt.custom. Does not check who wrote the executable.
"""

import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, Final

from in_toto_done_receipt.admission.process import Ran, run
from in_toto_done_receipt.admission.sources import (
    CUSTOM_PACKAGES,
    QUERY,
    policy_digest,
    policy_folder,
    rego_files,
)
from in_toto_done_receipt.errors import ConfigurationError, EngineError, EngineUnavailable

START_SECONDS: Final = 30.0  # for commands that only look: OPA starts in 20 ms, on a busy machine in seconds
_OLDEST: Final = (1, 0)  # Rego v1
_FORBIDDEN: Final = re.compile(
    r"http\.|net\.|opa\.runtime$|rego\.|rand\.|uuid\.|time\.now_ns$|trace$|io\.jwt\.|providers\."
)


def find_opa(named: Path | None = None) -> Path:
    """The real path of the executable: the one named, else `opa` on PATH. Raises EngineUnavailable.

    Only called when the engine was chosen by name. A relative entry of PATH is not used: it is somebody else's choice.
    """
    found = str(named) if named is not None else shutil.which("opa")
    if found is None:
        raise EngineUnavailable("opa is not on PATH", hint="install OPA, or use --engine embedded")
    if named is None and not Path(found).is_absolute():
        raise EngineUnavailable(
            f"{found}: was found through a relative entry of PATH", hint="name opa by its full path"
        )
    path = Path(found).resolve()
    if not path.is_file():
        raise EngineUnavailable(f"{path}: is not a file")
    return path


def opa_version(opa: Path) -> str:
    """What `opa version` says. Raises EngineUnavailable when it is no OPA, or older than 1.0."""
    ran = look(opa, ["version"])
    found = re.search(r"^Version: (\d+)\.(\d+)\.(\S+)$", ran.stdout.decode(errors="replace"), re.MULTILINE)
    if ran.code != 0 or found is None:
        raise EngineUnavailable(f"{opa}: does not say which version of OPA it is")
    if (int(found[1]), int(found[2])) < _OLDEST:
        raise EngineUnavailable(f"{opa}: version is {found[0].split()[1]}, 1.0 or newer is needed")
    return found[0].split()[1]


def look(opa: Path, arguments: list[str], *, cwd: Path = Path("/"), seconds: float = START_SECONDS) -> Ran:
    """Run one OPA command that takes no input. Raises EngineUnavailable when it does not start or end."""
    with tempfile.TemporaryDirectory(prefix="done-receipt-opa-") as home:
        try:
            return run([str(opa), *arguments], seconds=seconds, cwd=cwd, home=Path(home))
        except EngineError as error:
            raise EngineUnavailable(f"{opa} {arguments[0]}: {error.message}") from None


def offline_capabilities(opa: Path) -> bytes:
    """This OPA's capabilities without network, clock, chance, tokens and the machine. Raises EngineUnavailable."""
    ran = look(opa, ["capabilities", "--current"])
    try:
        tree = json.loads(ran.stdout)
        tree["builtins"] = [item for item in tree["builtins"] if not _FORBIDDEN.match(item["name"])]
    except (ValueError, TypeError, KeyError):
        raise EngineUnavailable(f"{opa}: does not list its capabilities") from None
    tree["allow_net"] = []
    return json.dumps(tree).encode()


class OpaEngine:
    """`opa eval`, one process a decision."""

    name = "opa"

    def __init__(self, opa: Path, *, folder: Path | None = None, extra_policy: tuple[Path, ...] = ()) -> None:
        self._opa = opa
        policy = folder or policy_folder()
        self.version = opa_version(opa)
        self._capabilities = offline_capabilities(opa)
        for extra in extra_policy:
            check_custom(opa, extra)
        sources = [
            *rego_files(policy / "done_receipt"),
            *(path for extra in extra_policy for path in rego_files(extra)),
        ]
        self._data = [word for path in sources for word in ("--data", str(path.resolve()))]
        self.policy_digest = policy_digest(policy, extra_policy)
        if extra_policy:
            self._check_loads(sources)

    @property
    def origin(self) -> str:
        """The executable."""
        return str(self._opa)

    def _check_loads(self, sources: list[Path]) -> None:
        with tempfile.TemporaryDirectory(prefix="done-receipt-opa-") as home:
            capabilities = Path(home, "capabilities.json")
            capabilities.write_bytes(self._capabilities)
            files = [str(path.resolve()) for path in sources]
            ran = look(self._opa, ["check", "--capabilities", str(capabilities), *files])
        if ran.code != 0:
            raise ConfigurationError(f"OPA does not take the policy: {ran.text}")

    def decide(self, raw: bytes, seconds: float) -> Any:
        """The decision for this policy input, as the policy gives it, unchecked. Raises EngineError."""
        with tempfile.TemporaryDirectory(prefix="done-receipt-opa-") as name:
            home = Path(name)
            (home / "capabilities.json").write_bytes(self._capabilities)
            argv = [str(self._opa), "eval", "--format", "json", "--strict-builtin-errors", "--stdin-input"]
            argv += ["--capabilities", str(home / "capabilities.json"), *self._data, QUERY]
            try:
                ran = run(argv, seconds=seconds, cwd=home, home=home, stdin=raw)
            except EngineUnavailable as error:
                raise EngineError(error.message) from None
        return _value(ran)


def check_custom(opa: Path, folder: Path) -> None:
    """The folder's packages are all below done_receipt.custom. Raises ConfigurationError."""
    rego_files(folder)
    ran = look(opa, ["inspect", "--format", "json", str(folder.resolve())])
    if ran.code != 0:
        raise ConfigurationError(f"{folder}: OPA cannot read it: {ran.text}")
    for package in json.loads(ran.stdout).get("namespaces", {}):
        parts = package.removeprefix(CUSTOM_PACKAGES).split(".")
        if not package.startswith(CUSTOM_PACKAGES) or len(parts) != 2:
            raise ConfigurationError(
                f"{folder}: package {package.removeprefix('data.')} is not allowed",
                hint="policy of your own is in packages done_receipt.custom.CATEGORY.RULE",
            )


def _value(ran: Ran) -> Any:
    try:
        tree = json.loads(ran.stdout)
    except ValueError:
        raise EngineError(f"opa ended with {ran.code} and printed no JSON") from None
    if ran.code != 0 or not isinstance(tree, dict) or "errors" in tree:
        raise EngineError(f"opa ended with {ran.code}: {_first_error(tree)}")
    match tree:
        case {"result": [{"expressions": [{"value": value}]}]}:
            return value
    if not tree.get("result"):
        raise EngineError("the policy gave no decision", code="engine.undefined")
    raise EngineError("the policy gave several results", code="engine.shape")


def _first_error(tree: Any) -> str:
    match tree:
        case {"errors": [{"message": str(message)}, *_]}:
            return message
    return "no message"
