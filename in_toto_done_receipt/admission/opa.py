"""The user's own `opa` on the Rego sources, and on those of the verifier's own policy.

Ensures: strict built-in errors (a type error is an error and not an undefined rule); no network, no clock, no chance,
no look at the machine: those built-ins are taken from OPA's capabilities; bounded time and output. Does not check who
wrote the executable, nor what the verifier's own policy holds (admission.custom does).
"""

import json
import re
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from in_toto_done_receipt.admission.process import Ran, run
from in_toto_done_receipt.admission.sources import (
    QUERY,
    policy_digest,
    policy_folder,
    rego_files,
)
from in_toto_done_receipt.errors import ConfigurationError, EngineError, EngineUnavailable

START_SECONDS: Final = 30.0  # for commands that only look: OPA starts in 20 ms, on a busy machine in seconds
GET_OPA: Final = "go install github.com/open-policy-agent/opa@v1.22.3"
_OLDEST: Final = (1, 0)  # Rego v1
_FORBIDDEN: Final = re.compile(
    r"http\.|net\.|opa\.runtime$|rego\.|rand\.|uuid\.|time\.now_ns$|trace$|io\.jwt\.|providers\."
)


class OwnSources(Protocol):
    """Rego of the verifier's own: name -> text, and a digest over it."""

    @property
    def sources(self) -> Mapping[str, bytes]: ...
    @property
    def digest(self) -> str: ...


def find_opa(named: Path | None = None) -> Path:
    """The real path of the executable: the one named, else `opa` on PATH. Raises EngineUnavailable.

    Only called when the engine was chosen by name. A relative entry of PATH is not used: it is somebody else's choice.
    """
    found = str(named) if named is not None else shutil.which("opa")
    if found is None:
        raise EngineUnavailable("opa is not on PATH", hint=f"{GET_OPA}, then --opa PATH")
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
    """`opa eval`, one process a decision, on copies of the sources that nobody else writes."""

    name = "opa"

    def __init__(self, opa: Path, *, folder: Path | None = None, own: Sequence[OwnSources] = ()) -> None:
        self._opa = opa
        policy = folder or policy_folder()
        self.version = opa_version(opa)
        capabilities = offline_capabilities(opa)
        self.policy_digest = policy_digest(policy, [each.digest for each in own])
        place = Path(tempfile.mkdtemp(prefix="done-receipt-opa-"))
        self._remove = weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)  # also without close()
        self._capabilities = place / "capabilities.json"
        self._capabilities.write_bytes(capabilities)
        self._sources = _copied(policy / "done_receipt", own, place / "policy")
        if own:
            self._check_loads()

    @property
    def origin(self) -> str:
        """The executable."""
        return str(self._opa)

    def close(self) -> None:
        """Remove the copies of the sources."""
        self._remove()

    def _check_loads(self) -> None:
        ran = look(self._opa, ["check", "--capabilities", str(self._capabilities), *map(str, self._sources)])
        if ran.code != 0:
            self.close()
            raise ConfigurationError(f"OPA does not take the policy: {ran.text}")

    def decide(self, raw: bytes, seconds: float) -> Any:
        """The decision for this policy input, as the policy gives it, unchecked. Raises EngineError."""
        with tempfile.TemporaryDirectory(prefix="done-receipt-opa-") as name:
            home = Path(name)
            argv = [str(self._opa), "eval", "--format", "json", "--strict-builtin-errors", "--stdin-input"]
            argv += ["--capabilities", str(self._capabilities)]
            argv += [word for path in self._sources for word in ("--data", str(path))]
            try:
                ran = run([*argv, QUERY], seconds=seconds, cwd=home, home=home, stdin=raw)
            except EngineUnavailable as error:
                raise EngineError(error.message) from None
        return _value(ran)


def _copied(rules: Path, own: Sequence[OwnSources], place: Path) -> tuple[Path, ...]:
    """Our sources and the verifier's own, written below `place`; all that OPA gets."""
    files = {f"done_receipt/{path.relative_to(rules).as_posix()}": path.read_bytes() for path in rego_files(rules)}
    for number, each in enumerate(own):
        files |= {f"own/{number}/{name}": data for name, data in each.sources.items()}
    for name, data in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(data)
    return tuple(place / name for name in sorted(files))


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
    raise EngineError("the policy gave several results", code="engine.results")


def _first_error(tree: Any) -> str:
    match tree:
        case {"errors": [{"message": str(message)}, *_]}:
            return message
    return "no message"
