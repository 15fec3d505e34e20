"""Does a path lead through a directory: by its own words, or by any link on the way."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

MAX_LINKS: Final = 40  # as the kernel; a path with more of them cannot be opened


def leads_through(path: Path, tree: Path) -> bool:
    """Whether whoever can write in the tree can choose what the path leads to: it, or one step of it, lies there.

    A path may leave the tree again by a link in it. Opens nothing; a step that does not exist ends the walk.
    """
    place = tree.resolve()
    return any(step.is_relative_to(place) for step in _steps(path))


def _steps(path: Path) -> Iterator[Path]:
    """Every place that opening this path goes through, the real ones among them."""
    absolute = Path.cwd() / path
    waiting = list(reversed(absolute.parts[1:]))
    here = Path("/")
    links = 0
    while waiting:
        part = waiting.pop()
        here = here.parent if part == ".." else here / part
        yield here
        try:
            target = here.readlink()
        except (OSError, ValueError):
            continue
        links += 1
        if links > MAX_LINKS:
            return
        waiting += reversed(target.parts[1:] if target.is_absolute() else target.parts)
        here = Path("/") if target.is_absolute() else here.parent
