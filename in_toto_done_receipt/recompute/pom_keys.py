"""The harness part of a pom.xml: everything but dependencies, the project's own version, and what only describes it."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_FREE: Final = frozenset(
    {
        *("version", "name", "description", "url", "inceptionYear", "organization", "licenses", "developers"),
        *("contributors", "mailingLists", "scm", "issueManagement", "ciManagement", "distributionManagement"),
        *("dependencies", "dependencyManagement"),
    }
)
_STEERING: Final = ("plugin", "surefire", "failsafe", "maven", "skip", "test")  # in the name of a property

Tree = tuple[str, tuple[tuple[str, str], ...], str, tuple["Tree", ...]]


def pom_keys(old: str, new: str) -> tuple[str, ...]:
    """The top-level elements, and the single properties, that differ. Raises ValueError for what is no project."""
    before, after = _parts(old), _parts(new)
    return tuple(sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name)))


def _parts(text: str) -> dict[str, list[Tree]]:
    import defusedxml  # loaded only where a change touches such a file
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        root = fromstring(text, forbid_dtd=True)
    except (ParseError, defusedxml.DefusedXmlException) as fault:
        raise ValueError(str(fault)) from None
    if _tag(root) != "project":
        raise ValueError(f"its root element is {_tag(root)}")
    found: dict[str, list[Tree]] = {}
    for child in root:
        name = _tag(child)
        if name == "properties":
            for one in child:
                if not _is_version(_tag(one)):
                    found.setdefault(f"properties.{_tag(one)}", []).append(_tree(one))
        elif name not in _FREE:
            found.setdefault(name, []).append(_tree(child))
    return found


def _is_version(name: str) -> bool:
    """Whether a property by this name says which version of a dependency is meant, and not how tests run."""
    return name.lower().endswith("version") and not any(word in name.lower() for word in _STEERING)


def _tree(element: "Element") -> Tree:
    """An element as a value; blanks around text, comments and the spelling of namespaces do not count."""
    children = tuple(_tree(child) for child in element)
    tail = " ".join((child.tail or "").strip() for child in element).strip()
    text = ((element.text or "").strip() + " " + tail).strip()
    return (_tag(element), tuple(sorted(element.attrib.items())), text, children)


def _tag(element: "Element") -> str:
    return str(element.tag).rpartition("}")[2]
