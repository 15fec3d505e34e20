"""Nothing that foreign code raises goes further, but an interruption does."""

import warnings

import pytest

from in_toto_done_receipt.errors import SignatureNotTrusted, TrustError
from in_toto_done_receipt.trust.material.guard import guarded


class Panic(BaseException):
    """As a panic of Rust's is seen: no Exception."""


@pytest.mark.parametrize("fault", [ValueError("x"), Panic("x"), MemoryError("x"), RecursionError("x"), KeyError("x")])
def test_whatever_is_raised_becomes_ours(fault: BaseException) -> None:
    with pytest.raises(SignatureNotTrusted, match=r"^the Sigstore bundle does not verify: ") as caught, guarded():
        raise fault
    assert caught.value.reason == "signature.sigstore"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_an_interruption_goes_on(stop: type[BaseException]) -> None:
    with pytest.raises(stop), guarded():
        raise stop


def test_our_own_errors_go_on() -> None:
    with pytest.raises(TrustError, match="ours"), guarded():
        raise TrustError("ours")


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\nb", "a"), ("", "ValueError"), ("é\x1b[31m", '"\\u00e9\\u001b[31m"'), ("x" * 1000, "x" * 300)],
)
def test_the_message_is_one_plain_line(text: str, shown: str) -> None:
    with pytest.raises(SignatureNotTrusted) as caught, guarded():
        raise ValueError(text)
    assert caught.value.message == f"the Sigstore bundle does not verify: {shown}"


def test_warnings_of_others_are_not_heard() -> None:
    with guarded():
        warnings.warn("deprecated", DeprecationWarning, stacklevel=1)
