"""Runner `unittest`: the verifier's own launcher discovers tests and runs them with a result of its own."""

from collections.abc import Collection
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Final

from in_toto_done_receipt.observe.runners.model import Planted, Site, Sources, TestRun
from in_toto_done_receipt.observe.runners.python_command import UnittestCommand, checked_unittest
from in_toto_done_receipt.observe.runners.python_run import launched
from in_toto_done_receipt.observe.runners.python_sites import unittest_sites
from in_toto_done_receipt.observe.runners.room import Room

_FORMS: Final = {
    "almost": "self.assertAlmostEqual(1.0, 2.0)",
    "contained": "self.assertIn(1, [])",
    "dicts": "self.assertDictEqual({1: 1}, {1: 2})",
    "equal": "self.assertEqual(1, 2)",
    "expects": "self.assertRaises(ValueError, int)",
    "expects_with": "with self.assertRaises(ValueError): pass",
    "fail": "self.fail()",
    "false": "self.assertFalse(1)",
    "greater": "self.assertGreater(1, 2)",
    "instance": "self.assertIsInstance(1, str)",
    "is_none": "self.assertIsNone(1)",
    "lists": "self.assertListEqual([1], [2])",
    "matches": "self.assertRegex('a', 'b')",
    "not_equal": "self.assertNotEqual(1, 1)",
    "part": "with self.subTest(1): self.assertEqual(1, 2)",
    "raises": "raise ValueError('canary')",
    "asserts": "raise AssertionError('canary')",
    "statement": "assert 0",
    "true": "self.assertTrue(0)",
}


class UnittestRunner:
    """See `TestRunner`; ids are `module.Class.method`, and a part (`subTest`) counts for its method.

    Every method raises ConfigurationError for an argument that cannot be honoured.
    """

    name = "unittest"

    def run(self, room: Room, argv: tuple[str, ...], sources: Sources) -> TestRun:  # noqa: ARG002
        """All tests that are discovered."""
        command = checked_unittest(argv)
        run = launched(room, command.python, self.name, (command.start, command.pattern, command.top), {})
        if run.planned or run.faults:
            return run
        return TestRun(
            planned=(),
            states={},
            exit_code=run.exit_code,
            faults=(f"no test was found: no file {command.pattern} below {command.start} holds one",),
            duration_ms=run.duration_ms,
            excerpt=run.excerpt,
        )

    def plant(self, argv: tuple[str, ...], sources: Sources, token: str) -> Planted:
        """A file with a TestCase beside the last test file, so that what the product does when first used was done."""
        command = checked_unittest(argv)
        last = max(selected(command, sources), key=lambda path: path.split("/"), default=None)
        folder = PurePosixPath(command.start) if last is None else PurePosixPath(last).parent
        stem = _stem(command.pattern, token)
        module = ".".join((*folder.relative_to(command.top).parts, stem))
        passing = {"passes": "self.assertEqual(1, 1)"}
        lines = ["import unittest", "", "", f"class Case_{token}(unittest.TestCase):"]
        for form, body in {**_FORMS, **passing}.items():
            lines += [f"    def test_{form}(self):", f"        {body}", ""]
        return Planted(
            files={str(folder / f"{stem}.py"): "\n".join(lines).encode()},
            failing=frozenset(f"{module}.Case_{token}.test_{form}" for form in _FORMS),
            passing=frozenset(f"{module}.Case_{token}.test_{form}" for form in passing),
        )

    def sites(self, argv: tuple[str, ...], sources: Sources, ids: Collection[str]) -> tuple[Site, ...]:
        """Methods that stand in their module, in their class or in one of that module that it inherits from."""
        return unittest_sites(sources, checked_unittest(argv).top, ids)


def selected(command: UnittestCommand, sources: Sources) -> list[str]:
    """Files that are discovered: below the start, in packages all the way."""
    paths = frozenset(sources.paths())
    start = PurePosixPath(command.start)
    found = []
    for path in paths:
        place = PurePosixPath(path)
        if not place.is_relative_to(start) or not fnmatchcase(place.name, command.pattern):
            continue
        between = [folder for folder in place.parents if folder != start and folder.is_relative_to(start)]
        if place.stem.isidentifier() and all(str(folder / "__init__.py") in paths for folder in between):
            found.append(path)
    return found


def _stem(pattern: str, token: str) -> str:
    """A module name that fits the pattern; one that is made of other signs than `*` and letters fits by chance."""
    stem = pattern.removesuffix(".py").replace("?", "x")
    return stem.replace("*", f"_{token}", 1).replace("*", "") if "*" in stem else stem
