"""In which files tests stand, whatever these are called, for a profile or a configuration can give them any name."""

from collections.abc import Collection
from typing import Final

from in_toto_done_receipt.observe.runners.model import Sources, TestRunner
from in_toto_done_receipt.observe.runners.node_events import SEPARATOR
from in_toto_done_receipt.observe.runners.pytest_config import PytestConfig, read_config
from in_toto_done_receipt.observe.runners.python_command import checked_pytest, checked_unittest

_INTEGRATION: Final = "test:"  # how the kind of a Rust binary begins that holds nothing but tests


def files_of_tests(runner: TestRunner, argv: tuple[str, ...], sources: Sources, ids: Collection[str]) -> frozenset[str]:
    """The files that these tests stand in. Left out: Rust's files of the product, with tests inside of them, and files
    of the product that hold doctests.

    Raises ConfigurationError for a command that is not honoured.
    """
    if runner.name == "cargo":
        ids = [id for id in ids if id.rpartition("/")[2].startswith(_INTEGRATION)]
    found = {site.path for site in runner.sites(argv, sources, ids)}
    paths = frozenset(sources.paths())
    if runner.name == "pytest":
        config = read_config(sources)
        named = {id.partition("::")[0] for id in ids}
        found |= {path for path in named & paths if config.is_test_file(path)}
    if runner.name == "node":
        found |= {id.partition(SEPARATOR)[0] for id in ids} & paths
    return frozenset(found)


def new_files_of_tests(runner: TestRunner, argv: tuple[str, ...], base: Sources, head: Sources) -> frozenset[str]:
    """The files of head that base does not have and that the command takes for tests, by base's configuration.

    Left out: those of a pattern that every file of a language fits, and those that a harness knows by their names.
    Raises ConfigurationError for a command that is not honoured.
    """
    if runner.name == "pytest":
        config, roots = read_config(base), checked_pytest(argv).paths
        telling = PytestConfig(files=tuple(pattern for pattern in config.files if pattern not in _EVERYTHING))
        below = tuple(f"{root}/" for root in roots or config.testpaths if root != ".")
        found = {path for path in head.paths() if telling.is_test_file(path) and (not below or path.startswith(below))}
    elif runner.name == "unittest":
        from in_toto_done_receipt.observe.runners.python_unittest import selected

        command = checked_unittest(argv)
        found = set() if command.pattern in (*_EVERYTHING, _USUAL) else set(selected(command, head))
    elif runner.name == "node":
        from in_toto_done_receipt.observe.runners import node

        found = set(node.selected(node.checked(argv), head))
    else:
        return frozenset()
    return frozenset(found) - frozenset(base.paths())


_EVERYTHING: Final = ("*", "*.py")
_USUAL: Final = "test*.py"  # which a `testing.py` of the product fits as well
