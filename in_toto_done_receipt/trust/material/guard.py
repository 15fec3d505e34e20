"""Foreign code on hostile bytes: whatever it raises becomes an error of ours."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from in_toto_done_receipt.errors import DoneReceiptError, SignatureNotTrusted
from in_toto_done_receipt.wire.pointer import quote

_SHOWN_CHARACTERS: Final = 300  # of a message of a library's


def does_not_verify(fact: str, *, hint: str | None = None) -> SignatureNotTrusted:
    """The error for a bundle that is wrong."""
    return SignatureNotTrusted(f"the Sigstore bundle does not verify: {fact}", reason="signature.sigstore", hint=hint)


def unsupported(fact: str, *, hint: str | None = None) -> SignatureNotTrusted:
    """The error for a bundle that another or a newer verifier could take."""
    return SignatureNotTrusted(
        f"the Sigstore bundle cannot be verified here: {fact}", reason="signature.unsupported", hint=hint
    )


def unreadable(fact: str) -> SignatureNotTrusted:
    """The error for material that breaks its format."""
    return SignatureNotTrusted(f"the Sigstore bundle cannot be read: {fact}", reason="signature.sigstore")


@contextmanager
def guarded(error: Callable[[str], DoneReceiptError] = does_not_verify) -> Iterator[None]:
    """Run foreign code quietly; whatever it raises becomes `error` of one line of what it said.

    On mutated bundles sigstore leaks ValueError, TypeError, AttributeError, OverflowError, pydantic's errors and more
    (368 of 10,216 tried), and cryptography raises Rust panics, which are no Exception.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated shapes in certificates of others
        try:
            yield
        except (DoneReceiptError, KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as fault:  # noqa: BLE001 - a Rust panic in cryptography is no Exception
            raise error(_detail(fault)) from None


def _detail(fault: BaseException) -> str:
    """One line of what foreign code said, fit for a message."""
    cause = fault.__context__ if hasattr(fault.__context__, "errors") else fault
    errors = getattr(cause, "errors", None)
    if callable(errors):
        first = errors()[0]
        text = f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    else:
        text = str(fault).partition("\n")[0] or type(fault).__name__
    text = text[:_SHOWN_CHARACTERS]
    return text if text.isascii() and text.isprintable() else quote(text)
