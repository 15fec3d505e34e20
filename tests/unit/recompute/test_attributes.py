"""linguist-generated, as git and the forges read it."""

import pytest

from in_toto_done_receipt.recompute.attributes import Generated

MARKED = {
    "by name": ("*.js linguist-generated", "src/a.js"),
    "with a value": ("*.js linguist-generated=true", "a.js"),
    "with another value": ("*.js linguist-generated=yes", "a.js"),
    "anchored": ("/dist/*.js linguist-generated", "dist/a.js"),
    "a folder": ("dist/** linguist-generated", "dist/x/a.js"),
    "stars that stand for one": ("di**t/a.js linguist-generated", "dist/a.js"),
    "a quoted name": ('"a b.js" linguist-generated', "a b.js"),
    "an escaped character": ("\\#a.js linguist-generated", "#a.js"),
    "after tabs": ("*.js\t\ttext\tlinguist-generated", "a.js"),
    "after many others": ("*.js " + "text " * 200 + "linguist-generated", "a.js"),
    "a macro": ("[attr]hidden linguist-generated\n*.js hidden", "a.js"),
    "the last one counts": ("*.js -linguist-generated\n*.js linguist-generated", "a.js"),
}


@pytest.mark.parametrize(("text", "path"), MARKED.values(), ids=MARKED)
def test_a_marked_file(text: str, path: str) -> None:
    assert path in Generated([(".gitattributes", text)])


PLAIN = {
    "another name": ("*.js linguist-generated", "a.py"),
    "anchored": ("/a.js linguist-generated", "src/a.js"),
    "taken back": ("*.js linguist-generated\na.js -linguist-generated", "a.js"),
    "unset": ("*.js linguist-generated\na.js !linguist-generated", "a.js"),
    "false": ("*.js linguist-generated=false", "a.js"),
    "another attribute": ("*.js linguist-vendored text", "a.js"),
    "a comment": ("# *.js linguist-generated", "a.js"),
    "a folder's name": ("dist/ linguist-generated", "dist/a.js"),
    "nothing": ("\n\n", "a.js"),
    "no pattern": ("[ linguist-generated", "["),
}


@pytest.mark.parametrize(("text", "path"), PLAIN.values(), ids=PLAIN)
def test_a_file_that_is_not_marked(text: str, path: str) -> None:
    assert path not in Generated([(".gitattributes", text)])


def test_the_nearest_file_counts() -> None:
    files = [("src/.gitattributes", "a.js -linguist-generated"), (".gitattributes", "*.js linguist-generated")]
    generated = Generated(files)
    assert ("src/a.js" in generated, "src/x/a.js" in generated, "src/b.js" in generated) == (False, False, True)


def test_a_pattern_reaches_no_other_folder() -> None:
    generated = Generated([("src/.gitattributes", "*.js linguist-generated")])
    assert ("src/x/a.js" in generated, "a.js" in generated, "lib/a.js" in generated) == (True, False, False)


def test_a_folder_whose_name_looks_like_a_pattern() -> None:
    generated = Generated([("[x]/.gitattributes", "*.js linguist-generated")])
    assert ("[x]/a.js" in generated, "x/a.js" in generated) == (True, False)


def test_a_macro_below_the_top_means_nothing() -> None:
    assert "src/a.js" not in Generated([("src/.gitattributes", "[attr]h linguist-generated\n*.js h")])
