"""Changes that keep a document's form, so that fuzzing gets past the parser: one place of a tree, one line of TOML."""

import json
from copy import deepcopy
from random import Random
from typing import Any, Final

_TEXTS: Final = (
    "", ".", "..", "../x", "/", "a/b", "a\\b", "\0", "\n", "\x1b[2J", "\u2028", "\u202e", "\ud800", "e\u0301", "é",
    "😀", "a" * 300, "A", "\u017f", "\u0130", "::error::x", "0", "-1", "1e3", "a" * 64, "0" * 64, "0" * 40,
    "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "0000-01-01T00:00:00Z", "2026-02-30T00:00:00Z",
    "text/plain", "\\xff", "{junit}",
)  # fmt: skip
_VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, -1, 1.0, 1e300, -0.0, 2**31, 2**53 - 1, 2**53, -(2**53), 2**64, [], {}, [[]], [{}],
    {"": 0},
)  # fmt: skip
_TOML_VALUES: Final = (
    "true", "0", "-1", "1.5", "inf", "nan", "9223372036854775808", "[]", "{}", '""', '"a"', "[1, 'a']", "[[]]",
    "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "1979-05-27T07:32:00", '"\\u202e"', '"""\n\n"""',
    "[{}]", "'(a+)+$'", "'(?i)x'", "'\\d{1,99999}'", "'['", '"' + "a" * 300 + '"', "{ a = 1 }", "0x7fffffffffffffff",
)  # fmt: skip


def mutated(data: bytes, *, words: tuple[str, ...], toml: bool, random: Random) -> bytes:
    """The document with a few changes; as it is if it cannot be read."""
    return _toml(data, words, random) if toml else _json(data, words, random)


def spliced(data: bytes, words: tuple[str, ...], random: Random) -> bytes:
    """A text with a few words put in, taken out or doubled."""
    for _ in range(random.randint(1, 6)):
        first, last = sorted(random.randrange(len(data) + 1) for _ in range(2))
        last = min(last, first + random.choice((0, 1, 8, 64)))
        word = random.choice(words).encode()
        data = data[:first] + random.choice((word, b"", data[first:last] * 2, word * 70)) + data[last:]
    return data


def _json(data: bytes, words: tuple[str, ...], random: Random) -> bytes:
    try:
        tree = json.loads(data)
        for _ in range(random.randint(1, 3)):
            tree = _change(tree, words, random)
        return json.dumps(tree, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return data


def _change(tree: Any, words: tuple[str, ...], random: Random) -> Any:
    places = [(None, None), *_places(tree)]
    container, key = random.choice(places)
    if container is None:
        return random.choice((tree, [tree], {"": tree}))
    how = random.choice(("replace", "replace", "remove", "copy", "add", "twice"))
    if how == "remove":
        del container[key]
    elif how == "copy":
        other, name = random.choice(places[1:])
        container[key] = deepcopy(other[name])
    elif how == "replace":
        container[key] = _value(container[key], words, random)
    elif isinstance(container, list):
        container.insert(random.randrange(len(container) + 1), deepcopy(container[key]))
    elif how == "add":
        container[random.choice((*words, *_TEXTS))] = _value(None, words, random)
    else:
        container[str(key).swapcase()] = deepcopy(container[key])
    return tree


def _places(tree: Any) -> list[tuple[Any, Any]]:
    found, rest = [], [tree]
    while rest:
        node = rest.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            found.append((node, key))
            rest.append(node[key])
    return found


def _value(old: Any, words: tuple[str, ...], random: Random) -> Any:
    if isinstance(old, str) and random.random() < 0.5:
        at = random.randrange(len(old) + 1)
        return old[:at] + random.choice((*_TEXTS, *words)) + old[at + random.randrange(2) :]
    if isinstance(old, int) and random.random() < 0.5:
        return old + random.choice((-1, 1, 2**32))
    return deepcopy(random.choice((*_VALUES, *_TEXTS, *words)))


def _toml(data: bytes, words: tuple[str, ...], random: Random) -> bytes:
    lines = data.decode("utf-8", "replace").split("\n")
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(lines))
        name, equals, _value_now = lines[at].partition("=")
        how = random.choice(("value", "value", "name", "remove", "twice", "add"))
        if how == "value" and equals:
            lines[at] = f"{name}= {random.choice(_TOML_VALUES)}"
        elif how == "name" and words:
            lines[at] = random.choice(words) + equals + lines[at].partition("=")[2]
        elif how == "remove" and len(lines) > 1:
            del lines[at]
        elif how == "twice":
            lines.insert(random.randrange(len(lines) + 1), lines[at])
        elif words:
            lines.insert(at, f"{random.choice(words)} = {random.choice(_TOML_VALUES)}")
    return "\n".join(lines).encode("utf-8", "surrogatepass")
