"""An engine that is told how much it will be asked."""

import os

import pytest

from in_toto_done_receipt.admission.embedded import MANY, EmbeddedEngine

NOTHING = b"{}"  # no policy input: denied


@pytest.mark.parametrize(("decisions", "compiled"), [(1, False), (MANY, False), (MANY + 1, True)])
def test_it_compiles_at_once_if_that_will_pay(decisions: int, compiled: bool) -> None:
    engine = EmbeddedEngine()
    engine.expect(decisions)
    assert (engine._native is not None) == compiled
    before = engine._native
    engine.expect(decisions)
    assert engine._native is before
    engine.close()


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_process_goes_on_with_what_was_compiled() -> None:
    engine = EmbeddedEngine()
    engine.expect(MANY + 1)
    child = os.fork()
    if not child:
        try:
            os._exit(7 if engine.decide(NOTHING, 10.0)["allow"] is False else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    engine.close()
