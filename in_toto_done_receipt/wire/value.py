"""The base of every in-process value: frozen, compared by what it holds. docs/adr/0005-values.md says why a struct."""

from typing import dataclass_transform

import msgspec


# For type checkers: every subclass is frozen and takes its members by name.
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Value(msgspec.Struct, frozen=True, kw_only=True):
    """An immutable value that never leaves the process; what goes over the wire is a `Record`.

    Subclasses say `kw_only=True` again, which msgspec does not inherit. `msgspec.structs.replace` makes a changed copy.
    """
