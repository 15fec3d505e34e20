"""Building from Python: the same as on the command line, with a clock of the caller's."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ObservationError, UsageError
from in_toto_done_receipt.predicates.done_receipt.coherence import coherence_faults
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.producer.build import BuildRequest, Run, build
from in_toto_done_receipt.producer.evidence import Wanted
from in_toto_done_receipt.wire.statement import read_statement

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def request(root: Path, *evidence: Wanted, subjects: tuple[str, ...] = ()) -> BuildRequest:
    return BuildRequest(
        root=root,
        task="t",
        agent="a",
        run=Run(finished_on=NOW),
        claims=(("c", "done"),),
        evidence=evidence,
        subjects=subjects,
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "x").write_text("1")
    return tmp_path


def test_the_same_work_at_the_same_time_is_the_same_receipt(root: Path) -> None:
    item = Wanted(claim="c", kind="file", members={"path": "x"})
    assert build(request(root, item)) == build(request(root, item))


def test_it_is_readable_and_coherent(root: Path) -> None:
    built = build(request(root, Wanted(claim="c", kind="file", members={"path": "x"})))
    statement = read_statement(built.payload)
    assert coherence_faults(read_predicate(statement), statement) == ()
    assert (built.not_ok, built.breach, built.summary) == ((), None, "PASSED — checked, nothing sealed")


def test_what_was_not_ok_is_named(root: Path) -> None:
    item = Wanted(claim="c", kind="path", members={"path": "y", "expect": "file"})
    assert build(request(root, item, subjects=("x",))).not_ok == ("c[0] (path)",)


def test_every_file_item_failed_so_there_is_no_subject(root: Path) -> None:
    from in_toto_done_receipt.errors import ProducerError

    with pytest.raises(ProducerError, match="needs a subject"):
        build(request(root, Wanted(claim="c", kind="file", members={"path": "y"})))


def test_no_subject_is_noticed_first(root: Path) -> None:
    with pytest.raises(UsageError, match="no subject"):
        build(request(root))


def test_a_root_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ObservationError, match="does not exist"):
        build(request(tmp_path / "no", subjects=("x",)))


def test_nothing_is_written(root: Path) -> None:
    build(request(root, Wanted(claim="c", kind="file", members={"path": "x"})))
    assert [path.name for path in root.iterdir()] == ["x"]
