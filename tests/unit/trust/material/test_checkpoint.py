"""Signed notes: read strictly, and signed by the log under its own name."""

from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import pytest

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.trust.material.anchors import Log, Validity
from in_toto_done_receipt.trust.material.checkpoint import demand_signed, read_checkpoint
from tests.forge.keys import derived, fingerprint, sign

KEY = derived("Ed25519", "log")
ROOT = b64encode(b"r" * 32).decode()
TEXT = f"log.example\n7\n{ROOT}\n"


def line(name: str = "log.example", *, key: Any = KEY, text: str = TEXT, hint: bytes | None = None) -> str:
    signature = (fingerprint(KEY.public_key())[:4] if hint is None else hint) + sign(key, text.encode())
    return f"— {name} {b64encode(signature).decode()}\n"


def log(*names: str) -> Log:
    log_id = fingerprint(KEY.public_key())
    return Log(
        where='"https://log.example"',
        log_id=log_id,
        checkpoint_id=log_id,
        names=frozenset(names),
        details="",
        public=KEY.public_key(),
        valid=Validity(start=datetime(2020, 1, 1, tzinfo=UTC), end=None),
    )


LOG = log("log.example", "log.example:443")


def test_a_checkpoint_is_taken_apart() -> None:
    checkpoint = read_checkpoint(TEXT + "\n" + line())
    assert (checkpoint.origin, checkpoint.size, checkpoint.root) == ("log.example", 7, b"r" * 32)
    assert checkpoint.text == TEXT.encode()
    demand_signed(checkpoint, LOG)


@pytest.mark.parametrize("origin", ["log.example", "log.example:443", "log.example - 12345"])
def test_the_name_is_the_logs_host(origin: str) -> None:
    text = TEXT.replace("log.example", origin, 1)
    demand_signed(read_checkpoint(text + "\n" + line(origin.partition(" - ")[0], text=text)), LOG)


def test_a_log_without_an_address_may_have_any_name() -> None:
    text = TEXT.replace("log.example", "anything", 1)
    demand_signed(read_checkpoint(text + "\n" + line("anything", text=text)), log())


OTHERS = [
    line("witness.example", key=derived("Ed25519", "witness"), hint=b"wwww"),
    line(key=derived("Ed25519", "second"), hint=b"2222"),
    line("witness.example/a-b_c", hint=b"3333"),
]


@pytest.mark.parametrize("others", [OTHERS, OTHERS[:1], OTHERS[1:2]])
def test_signatures_of_others_are_ignored_wherever_they_stand(others: list[str]) -> None:
    demand_signed(read_checkpoint(TEXT + "\n" + "".join([*others, line()])), LOG)
    demand_signed(read_checkpoint(TEXT + "\n" + "".join([line(), *others])), LOG)


UNSIGNED: dict[str, tuple[str, str]] = {
    "a witness alone": (TEXT + "\n" + OTHERS[0], "no signature of"),
    "another name, right key": (TEXT + "\n" + line("other.example"), "no signature of"),
    "another hint": (TEXT + "\n" + line(hint=b"xxxx"), "no signature of"),
    "another key": (TEXT + "\n" + line(key=derived("Ed25519", "x")), "is not over its checkpoint"),
    "another text": (TEXT + "\n" + line(text="x"), "is not over its checkpoint"),
    "a good and a forged one": (TEXT + "\n" + line() + line(text="x"), "is not over its checkpoint"),
    "another origin": ("x" + TEXT + "\n" + line("xlog.example", text="x" + TEXT), 'is of "xlog.example"'),
    "an origin that only begins so": (
        TEXT.replace("log.example", "log.example.evil", 1) + "\n" + line(),
        'is of "log.example.evil"',
    ),
}


@pytest.mark.parametrize(("note", "message"), UNSIGNED.values(), ids=UNSIGNED)
def test_only_the_logs_own_signature_counts(note: str, message: str) -> None:
    with pytest.raises(SignatureNotTrusted, match=message):
        demand_signed(read_checkpoint(note), LOG)


MALFORMED = {
    "nothing": "",
    "no signatures": TEXT,
    "no signature lines": TEXT + "\n",
    "no line end": TEXT + "\n" + line()[:-1],
    "two empty lines": TEXT + "\n\n" + line(),
    "an empty line among signatures": TEXT + "\n" + line() + "\n" + line(),
    "no size": f"log.example\n{ROOT}\n\n" + line(),
    "no root": "log.example\n7\n\n" + line(),
    "no origin": f"\n7\n{ROOT}\n\n" + line(),
    "a size with a sign": TEXT.replace("7", "+7") + "\n" + line(),
    "a size with zeros": TEXT.replace("7", "07") + "\n" + line(),
    "a size of another script": TEXT.replace("7", "\N{ARABIC-INDIC DIGIT SEVEN}") + "\n" + line(),
    "an endless size": TEXT.replace("7", "7" * 5000) + "\n" + line(),
    "a root that is no base64": TEXT.replace(ROOT, "!") + "\n" + line(),
    "a hyphen instead of a dash": TEXT + "\n" + line().replace("—", "-"),
    "no name": TEXT + "\n" + line(""),
    "a name with a plus": TEXT + "\n" + line("a+b"),
    "two blanks": TEXT + "\n" + line().replace(" ", "  "),
    "a signature that is no base64": TEXT + "\n— log.example A\n",
    "a signature of four bytes": TEXT + "\n— log.example AAAAAA==\n",
    "carriage returns": (TEXT + "\n" + line()).replace("\n", "\r\n"),
}


@pytest.mark.parametrize("note", MALFORMED.values(), ids=MALFORMED)
def test_any_other_format_is_refused(note: str) -> None:
    with pytest.raises(SignatureNotTrusted, match="its checkpoint cannot be read"):
        read_checkpoint(note)


def test_more_lines_in_the_text_are_signed_with_it() -> None:
    text = TEXT + "Timestamp: 1679349379012118479\n"
    demand_signed(read_checkpoint(text + "\n" + line(text=text)), LOG)
    with pytest.raises(SignatureNotTrusted, match="is not over its checkpoint"):
        demand_signed(read_checkpoint(text + "\n" + line()), LOG)
