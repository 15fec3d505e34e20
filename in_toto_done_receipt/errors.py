"""Every error this package raises on purpose. An error means "could not go on"; "looked, and it is bad" is a finding.

    DoneReceiptError
    ├── UsageError              flags or arguments that contradict each other
    ├── ConfigurationError      something of the verifier's own: a profile, a trust file, a key, a policy, a plug-in
    │   ├── ProfileError
    │   ├── TrustError
    │   ├── PluginError
    │   └── EngineUnavailable   a policy engine that cannot start or load
    ├── InputError              bytes from outside
    │   ├── UnreadableInput     missing, not a regular file, not permitted
    │   └── MalformedInput      read, but not what it has to be
    │       ├── MalformedJson   not strict JSON; the message ends with line and column
    │       ├── MalformedEnvelope
    │       ├── MalformedStatement
    │       └── LimitExceeded   a limit of the verifier's; the message names it and the value
    ├── SignatureNotTrusted     verified, and nobody the verifier trusts signed these bytes
    ├── ObservationError        one thing could not be looked at (becomes a finding with status error)
    ├── RepositoryRefused       a git repository that cannot be examined, or that is not believed
    ├── ProducerError           a receipt, seal, key or manifest cannot be made
    │   └── WorkMoved           what was observed changed while it was being observed
    ├── OutputError             an output cannot be written
    └── EngineError             the policy engine gave no decision

Each has a message (lower case, no full stop, the fact and then both values) and may have a hint, the next step.
Exit codes are assigned in `cli` and nowhere else.
"""


class DoneReceiptError(Exception):
    """Base of all errors of this package.

    `message` names the place and the values; `hint` is one sentence on what to do next, or None.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(DoneReceiptError):
    """Flags or arguments that contradict each other."""


class ConfigurationError(DoneReceiptError):
    """Something of the verifier's own cannot be used."""


class ProfileError(ConfigurationError):
    """The acceptance profile is wrong; the message names the key."""


class TrustError(ConfigurationError):
    """A trust file, key or trusted root is wrong; the message names the entry."""


class PluginError(ConfigurationError):
    """A plug-in does not load or takes a name that is in use; the message names its distribution."""


class EngineUnavailable(ConfigurationError):
    """A policy engine cannot start or load its policy."""


class InputError(DoneReceiptError):
    """Bytes from outside cannot be used."""


class UnreadableInput(InputError):
    """A file is missing, not a regular file, or not permitted."""


class MalformedInput(InputError):
    """Bytes were read and are not what they have to be."""


class MalformedJson(MalformedInput):
    """Not strict JSON.

    `kind` is a stable word: utf8, bom, syntax, duplicate_key, nan, surrogate, integer, depth, trailing.
    """

    def __init__(self, message: str, *, kind: str = "syntax", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind


class MalformedEnvelope(MalformedInput):
    """Not a DSSE envelope, Sigstore bundle or JSON Lines of either."""


class MalformedStatement(MalformedInput):
    """Not an in-toto Statement, or its predicate breaks its schema.

    `pointer` is a JSON pointer into the statement; `reason` is the fault's code; `faults` lists more of them as
    messages, at most 20.
    """

    def __init__(
        self,
        message: str,
        *,
        pointer: str = "",
        reason: str = "statement.malformed",
        faults: tuple[str, ...] = (),
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.pointer = pointer
        self.reason = reason
        self.faults = faults


class LimitExceeded(MalformedInput):
    """Over a limit of the verifier's. `limit` is its name, `allowed` and `value` say by how much."""

    def __init__(self, limit: str, *, allowed: int, value: int | str, where: str = "") -> None:
        place = f"{where}: " if where else ""
        super().__init__(f"{place}limit {limit} is {allowed}, got {value}")
        self.limit = limit
        self.allowed = allowed
        self.value = value


class SignatureNotTrusted(DoneReceiptError):
    """Nobody the verifier trusts signed these bytes. `reason` is a code of `results.reasons` (signature.*)."""

    def __init__(self, message: str, *, reason: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class ObservationError(DoneReceiptError):
    """One thing could not be looked at. `kind` is a stable word such as missing, symlink, special, denied, changed."""

    def __init__(self, message: str, *, kind: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind


class RepositoryRefused(DoneReceiptError):
    """A git repository cannot be examined, or what it holds is not what its ids say.

    `kind` is a stable word: repository, store, store_outside, revision, object_missing, object_unreadable, object_lies,
    wrong_type, tree_malformed, too_large, too_deep, base, merge, output, deadline, git.
    """

    def __init__(self, message: str, *, kind: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind


class ProducerError(DoneReceiptError):
    """A receipt, seal, key or manifest cannot be made."""


class WorkMoved(ProducerError):
    """What was observed changed while it was being observed."""


class OutputError(DoneReceiptError):
    """An output cannot be written."""


class EngineError(DoneReceiptError):
    """The policy engine gave no decision. `code` is an `engine.*` code."""

    def __init__(self, message: str, *, code: str = "engine.error", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.code = code
