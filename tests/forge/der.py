"""As much DER (X.690) as timestamps and Fulcio's extensions need, written."""

from collections.abc import Iterable
from datetime import datetime


def tlv(tag: int, *parts: bytes) -> bytes:
    """One value of this tag around the parts."""
    content = b"".join(parts)
    size = len(content)
    if size < 0x80:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def sequence(*parts: bytes) -> bytes:
    return tlv(0x30, *parts)


def set_of(parts: Iterable[bytes]) -> bytes:
    """DER wants the members of a SET OF in the order of their encodings."""
    return tlv(0x31, *sorted(parts))


def octets(value: bytes) -> bytes:
    return tlv(0x04, value)


def integer(value: int) -> bytes:
    return tlv(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def utf8(text: str) -> bytes:
    return tlv(0x0C, text.encode())


def boolean(value: bool) -> bytes:
    return tlv(0x01, b"\xff" if value else b"\0")


def generalized_time(moment: datetime) -> bytes:
    return tlv(0x18, moment.strftime("%Y%m%d%H%M%SZ").encode())


def oid(dotted: str) -> bytes:
    first, second, *rest = (int(arc) for arc in dotted.split("."))
    return tlv(0x06, bytes([40 * first + second]), *map(_arc, rest))


def _arc(arc: int) -> bytes:
    """Seven bits a byte, all but the last marked."""
    digits = [arc & 0x7F]
    while arc := arc >> 7:
        digits.append(0x80 | arc & 0x7F)
    return bytes(reversed(digits))
