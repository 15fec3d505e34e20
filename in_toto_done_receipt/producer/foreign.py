"""What the libraries of key services raise and log, in our own words."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError, DoneReceiptError
from in_toto_done_receipt.producer.calls import SHOWN_CHARACTERS

# What PKCS#11 libraries say by the name of an exception that has no text.
_WORDS: Final = {
    "PinIncorrect": "the PIN is wrong",
    "PinLocked": "the PIN is locked",
    "PinLenRange": "the PIN is wrong",
}


@contextmanager
def speaking(what: str) -> Iterator[None]:
    """Whatever is raised becomes a ConfigurationError of one line after `what`; whatever is logged is dropped."""
    import securesystemslib  # when it is imported, it has its loggers write warnings to standard error

    logger = logging.getLogger(securesystemslib.__name__)
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    except (DoneReceiptError, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - securesystemslib lets out whatever the service's own library raises
        raise ConfigurationError(f"{what}: {_spoken(error)}") from None
    finally:
        logger.setLevel(level)


def _spoken(error: Exception) -> str:
    name = type(error).__name__
    if name in _WORDS:
        return _WORDS[name]
    text = " ".join(str(error).split())[:SHOWN_CHARACTERS]
    if not text:
        return name
    return text[:1].lower() + text[1:] if name == "ValueError" else f"{name}: {text}"
