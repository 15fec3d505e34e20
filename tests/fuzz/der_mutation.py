"""Changes of DER that keep its form: one value of the tree is cut out, doubled, exchanged, spelt otherwise.

What a byte string holds is taken apart too (extensions, tokens), so that a change deep inside keeps every length right.
"""

from random import Random
from typing import Final

_CONSTRUCTED: Final = 0x20
_OCTETS, _BITS = 0x04, 0x03
_MAX_DEPTH: Final = 40
_TAGS: Final = (0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0C, 0x13, 0x17, 0x18, 0x30, 0x31, 0x80, 0xA0, 0xA3)


class Node:
    """One value: its bytes, or, if it holds other values, those. `prefix` stands before them in a bit string."""

    def __init__(self, tag: int, content: bytes, children: "list[Node] | None", prefix: bytes = b"") -> None:
        self.tag = tag
        self.content = content
        self.children = children
        self.prefix = prefix
        self.padding = 0  # needless bytes of the length

    def encoded(self) -> bytes:
        inner = self.content if self.children is None else self.prefix + b"".join(c.encoded() for c in self.children)
        size = len(inner)
        if size < 0x80 and not self.padding:
            return bytes([self.tag, size]) + inner
        length = b"\0" * self.padding + size.to_bytes((size.bit_length() + 7) // 8 or 1, "big")
        return bytes([self.tag, 0x80 | len(length)]) + length + inner

    def walk(self) -> "list[Node]":
        below = [] if self.children is None else [node for child in self.children for node in child.walk()]
        return [self, *below]


def parsed(data: bytes, depth: int = 0) -> list[Node] | None:
    """The values one after the other; None if the bytes are not exactly that."""
    nodes, at = [], 0
    while at < len(data):
        if at + 2 > len(data) or depth > _MAX_DEPTH:
            return None
        tag, first = data[at], data[at + 1]
        start = at + 2
        size = first
        if first & 0x80:
            start += first & 0x7F
            size = int.from_bytes(data[at + 2 : start], "big")
        if tag & 0x1F == 0x1F or start + size > len(data):
            return None
        nodes.append(_node(tag, data[start : start + size], depth))
        at = start + size
    return nodes


def _node(tag: int, content: bytes, depth: int) -> Node:
    children, prefix = None, b""
    if tag & _CONSTRUCTED or (tag == _OCTETS and content):
        children = parsed(content, depth + 1)
    elif tag == _BITS and content[:1] == b"\0":
        prefix, children = content[:1], parsed(content[1:], depth + 1)
    return Node(tag, content, children or None, prefix if children else b"")


def mutated_der(data: bytes, others: tuple[bytes, ...], random: Random) -> bytes:
    """The value with one change, perhaps with a part of another value; a bit flipped if it is no DER."""
    trees = parsed(data)
    if not trees or random.random() < 0.2:
        return mutated_bits(data, random)
    root = Node(0x30, b"", trees)
    nodes = root.walk()[1:]
    node = random.choice(nodes)
    how = random.choice(("bits", "bits", "cut", "double", "tag", "length", "empty", "grow", "take", "swap", "number"))
    if how == "take" and others:
        foreign = parsed(random.choice(others))
        donors = [one for tree in foreign or [] for one in tree.walk() if one.tag == node.tag]
        if donors:
            _become(node, random.choice(donors))
    elif how == "swap":
        _become(node, random.choice(nodes))
    else:
        _change(node, root, how, random)
    return b"".join(tree.encoded() for tree in root.children or [])


def _become(node: Node, other: Node) -> None:
    node.tag, node.content, node.children, node.prefix = other.tag, other.content, None, b""
    if other.children is not None:
        node.content = other.prefix + b"".join(child.encoded() for child in other.children)


def _change(node: Node, root: Node, how: str, random: Random) -> None:
    inner = node.encoded()[-len(node.content) :] if node.content else b""
    if how == "tag":
        node.tag = random.choice(_TAGS)
    elif how == "length":
        node.padding = random.randint(1, 2)
    elif how == "bits" or how == "number":
        node.children, node.content = None, mutated_bits(inner, random)
    elif how == "empty":
        node.children, node.content = None, b""
    elif how == "grow":
        node.children, node.content = None, inner + random.randbytes(random.choice((1, 2, 200)))
    else:
        parents = [one for one in [root, *root.walk()] if one.children and node in one.children]
        siblings = parents[0].children if parents else None
        if siblings is not None:
            at = siblings.index(node)
            siblings[at : at + 1] = [] if how == "cut" else [node, node]


def mutated_bits(data: bytes, random: Random) -> bytes:
    """A bit flipped, a byte more, a piece less, a piece doubled."""
    if not data:
        return random.randbytes(1)
    at = random.randrange(len(data))
    end = min(len(data), at + random.choice((1, 1, 2, 8, 64)))
    how = random.choice(("flip", "flip", "flip", "byte", "insert", "cut", "double", "end"))
    if how == "flip":
        return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]
    if how == "byte":
        return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
    if how == "insert":
        return data[:at] + random.randbytes(end - at) + data[at:]
    if how == "cut":
        return data[:at] + data[end:]
    if how == "double":
        return data[:end] + data[at:end] + data[end:]
    return data[:at]
