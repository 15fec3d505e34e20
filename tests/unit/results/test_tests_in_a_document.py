"""A result that says that tests ran has runs to show, and each of them adds up."""

import copy
import json
from typing import Any

import pytest

from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.results.document import result_of
from tests.policy_inputs import ADMITTED


@pytest.fixture(params=["tests", "tests_fail"])
def result(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The result of a clean room that ran."""
    tree: dict[str, Any] = json.loads(ADMITTED.with_name(f"{request.param}.json").read_bytes())["result"]
    return tree


def test_it_is_read_back(result: dict[str, Any]) -> None:
    read = result_of(result, what="result")
    assert read.tests is not None
    assert [run.name for run in read.tests.runs] == ["base", "restored", "head"]


def test_tests_that_ran_without_a_run_are_a_contradiction(result: dict[str, Any]) -> None:
    bare = {name: value for name, value in result.items() if name != "tests"}
    with pytest.raises(MalformedInput, match=r"tests ran again, and there is no run"):
        result_of(bare, what="result")


@pytest.mark.parametrize("count", ["collected", "passed", "failed", "skipped", "xfailed", "xpassed", "errored"])
def test_counts_that_do_not_add_up_are_a_contradiction(result: dict[str, Any], count: str) -> None:
    wrong = copy.deepcopy(result)
    wrong["tests"]["runs"][1][count] += 1
    with pytest.raises(MalformedInput, match="collected of run restored"):
        result_of(wrong, what="result")


@pytest.mark.parametrize("layer", ["plantd", "", 1, None])
def test_a_layer_that_there_is_none_of_is_refused(result: dict[str, Any], layer: Any) -> None:
    wrong = copy.deepcopy(result)
    wrong["tests"]["layers"].append(layer)
    with pytest.raises(MalformedInput, match="layers"):
        result_of(wrong, what="result")
