"""The built-in test runners by name, each loaded when it is needed."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.runners.model import PlantTemplate, TestRunner

# Name, module and class of the runner, module of its `checked`. The order is that of the documentation.
BUILTIN: Final = (
    ("pytest", "python_pytest", "PytestRunner", "python_command"),
    ("unittest", "python_unittest", "UnittestRunner", "python_command"),
    ("go", "go", "GoRunner", "go_command"),
    ("node", "node", "NodeRunner", "node"),
    ("cargo", "cargo", "CargoRunner", "cargo_command"),
    ("junit", "junit", "JUnitRunner", "junit"),
)


def runner_named(name: str, templates: tuple[PlantTemplate, ...] = ()) -> TestRunner:
    """The runner. `templates` are the canaries that a profile describes, for runner `junit`.

    Raises ConfigurationError for a name that is none, and for templates that the runner has no use for.
    """
    _, module, kind, _ = _row(name)
    if templates and name != "junit":
        raise ConfigurationError(f"runner {name} plants canaries of its own: templates are for runner junit")
    made: TestRunner = _of(module, kind)(templates) if name == "junit" else _of(module, kind)()
    return made


def check_command(name: str, argv: tuple[str, ...]) -> None:
    """Raises ConfigurationError for a command that this runner cannot honour, naming the argument.

    Looks at words only, not at the machine: an executable that is missing is found out when it is to run.
    """
    _, _, _, module = _row(name)
    _of(module, f"checked_{name}" if module == "python_command" else "checked")(argv)


def _row(name: str) -> tuple[str, str, str, str]:
    for row in BUILTIN:
        if row[0] == name:
            return row
    raise ConfigurationError(f"there is no runner {name}", hint=f"runners: {', '.join(row[0] for row in BUILTIN)}")


def _of(module: str, attribute: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(import_module(f"{__package__}.{module}"), attribute)
    return found
