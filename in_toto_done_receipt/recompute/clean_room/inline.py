"""Tests that stand in files of the product, as Rust's do: base's are put back into head's files."""

from in_toto_done_receipt.observe.runners.model import Sources
from in_toto_done_receipt.observe.runners.rust_inline import put_back_inline
from in_toto_done_receipt.recompute.clean_room.trees import Tree, laid_over


def with_base_tests(tree: Tree, sources: Sources, base: Sources) -> Tree:
    """The tree with base's tests in each Rust file, and without those that only head has.

    Raises ObservationError for a file that is too large to look into.
    """
    there = set(base.paths())
    files = {}
    for path in sources.paths():
        if not path.endswith(".rs"):
            continue
        ours = sources.read(path)
        theirs = base.read(path) if path in there else b""
        if ours != theirs and (both := put_back_inline(theirs, ours)) is not None and both != ours:
            files[path] = both
    return laid_over(tree, files)
