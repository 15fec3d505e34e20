"""Tests that stand in files of the product, as Rust's do: base's are put back into head's files."""

from in_toto_done_receipt.observe.runners.model import Sources
from in_toto_done_receipt.observe.runners.rust_inline import put_back_inline
from in_toto_done_receipt.recompute.clean_room.trees import Tree, laid_over


def with_base_tests(tree: Tree, sources: Sources, base: Sources, argv: tuple[str, ...] | None = None) -> Tree:
    """The tree with base's tests in each Rust file, and without those that only head has.

    With the verifier's command, files that are compiled for tests only at base are base's as a whole: a helper in them
    is part of the tests.
    Raises ObservationError for a file that is too large to look into, or a manifest of base's that cannot be read.
    """
    there = set(base.paths())
    hidden = frozenset() if argv is None else _for_tests_only(base, argv)
    files = {}
    for path in sorted({*sources.paths(), *hidden}):
        if not path.endswith(".rs"):
            continue
        if path in hidden:
            files[path] = base.read(path)
            continue
        ours = sources.read(path)
        theirs = base.read(path) if path in there else b""
        if ours != theirs and (both := put_back_inline(theirs, ours)) is not None and both != ours:
            files[path] = both
    return laid_over(tree, files)


def _for_tests_only(base: Sources, argv: tuple[str, ...]) -> frozenset[str]:
    from in_toto_done_receipt.observe.runners.cargo_command import checked
    from in_toto_done_receipt.observe.runners.cargo_crates import crates
    from in_toto_done_receipt.observe.runners.cargo_sources import files_of_tests_only

    return files_of_tests_only(crates(checked(argv), base), base)
