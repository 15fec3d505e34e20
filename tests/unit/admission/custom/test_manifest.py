"""A bundle says what it owns, and owns nothing of ours."""

import json
from typing import Any

import pytest

from in_toto_done_receipt.admission.custom.manifest import read_manifest, refuse_overlaps
from in_toto_done_receipt.errors import ConfigurationError
from tests.unit.admission.custom.conftest import MANIFEST


def read(**changes: Any) -> Any:
    return read_manifest(json.dumps(MANIFEST | changes).encode(), what="b")


def test_it_is_read() -> None:
    assert read().roots == ("done_receipt/custom",)
    assert read(metadata={"x": 1}, wasm=[{"entrypoint": "x"}]).revision == "1"


@pytest.mark.parametrize("root", ["done_receipt/custom", "/done_receipt/custom/team", "done_receipt/custom/a/b/"])
def test_a_root_below_ours_is_taken(root: str) -> None:
    assert read(roots=[root]).roots == (root,)


@pytest.mark.parametrize("root", ["", "/", "done_receipt", "done_receipt/rules", "done_receipt/customs", "data", "a"])
def test_any_other_root_is_refused(root: str) -> None:
    with pytest.raises(ConfigurationError, match=r"b: \.manifest: root .* is not below done_receipt/custom"):
        read(roots=["done_receipt/custom", root])


def test_without_roots_it_owns_everything() -> None:
    with pytest.raises(ConfigurationError, match=r"root \(everything\)"):
        read_manifest(b"{}", what="b")


def test_no_manifest_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"\.manifest: is missing") as caught:
        read_manifest(None, what="b")
    assert '"roots": ["done_receipt/custom"]' in (caught.value.hint or "")


def test_no_root_at_all_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="roots are empty"):
        read(roots=[])


@pytest.mark.parametrize("changes", [{"rego_version": 0}, {"file_rego_versions": {"/a.rego": 0}}])
def test_rego_of_before_v1_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="Rego version is 0, only v1 is taken"):
        read(**changes)


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{", b'{"roots": "done_receipt/custom"}', b'{"root": []}', b'{"rego_version": true}', b"\xff",
     b'{"roots": ["done_receipt/custom"], "roots": [""]}'],
)  # fmt: skip
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(ConfigurationError, match=r"b: \.manifest"):
        read_manifest(data, what="b")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("done_receipt/custom", "done_receipt/custom"),
        ("done_receipt/custom", "done_receipt/custom/team"),
        ("done_receipt/custom/team/x", "/done_receipt/custom/team/"),
    ],
)
def test_roots_of_two_bundles_do_not_overlap(a: str, b: str) -> None:
    for first, second in ((a, b), (b, a)):
        with pytest.raises(ConfigurationError, match="overlaps"):
            refuse_overlaps({"one": (first,), "two": (second,)})


def test_roots_side_by_side_are_fine() -> None:
    refuse_overlaps(
        {"one": ("done_receipt/custom/team", "done_receipt/custom/team/x"), "two": ("done_receipt/custom/teams",)}
    )
