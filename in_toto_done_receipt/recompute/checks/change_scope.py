"""What changed between base and the examined tree, against what the profile allows: read from git objects alone.

Refusals are findings that fail; what a reviewer should know is a remark, which passes. Whether every changed path is
covered by the receipt is the check `subjects`' business.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from in_toto_done_receipt.observe.globs import compile_glob
from in_toto_done_receipt.recompute.bounded import bounded
from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape

if TYPE_CHECKING:  # a verification without a repository does not load the git reader
    from in_toto_done_receipt.observe.git.change import GitChange
    from in_toto_done_receipt.observe.git.changes import Change

_FILES = ("100644", "100755")
_LINKS = (
    ("120000", "symbolic link", "change-scope.symlink"),
    ("160000", "submodule", "change-scope.submodule"),
)
_DOCUMENTATION = ("**/*.md", "**/*.rst", "**/*.adoc", "docs/**", "doc/**", "LICENSE*", "CHANGELOG*", "README*")


def run(case: Case) -> tuple[Finding, ...]:
    """Findings and remarks by path, or one that says that the change stays within what is allowed."""
    change = case.context.change
    if change is None or change.baseline is None:
        return (finding("not_checked", "change-scope.no_base", "the verifier gave no base revision"),)
    case.time_left()
    if not change.changes:
        return (finding("fail", "change-scope.empty", f"nothing differs between {change.base} and {change.head}"),)
    found = [*_refusals(case, change), *_steering(case, change), *_remarks(case, change)]
    if not any(one.status != "pass" for one in found):
        count = f"{len(change.changes)} path(s) changed, all within what is allowed"
        found.append(finding("pass", "change-scope.within", count))
    return tuple(bounded(found, of="path(s)"))


def _refusals(case: Case, change: "GitChange") -> Iterator[Finding]:
    """Paths that the change may not touch, and names that are something else on other systems."""
    settings = case.context.settings
    allowed = None if settings.change_allowed is None else [compile_glob(one) for one in settings.change_allowed]
    protected = [compile_glob(one) for one in settings.change_protected]
    for one in change.changes:
        path = text_of(one.path)
        if any(glob.matches(path) for glob in protected):
            yield _fail(
                "change-scope.protected", path, f"{escape(path)} is {_WORDS[one.kind]}, and the profile protects it"
            )
        elif allowed is not None and not any(glob.matches(path) for glob in allowed):
            yield _fail(
                "change-scope.not_allowed",
                path,
                f"{escape(path)} is {_WORDS[one.kind]}, and the profile does not allow it",
            )
    yield from _odd_names(change)


def _odd_names(change: "GitChange") -> Iterator[Finding]:
    """Names of what the change touched, and of the folders above, that are worth a finding."""
    from in_toto_done_receipt.observe.git.compose import folders_of

    touched = {one.path for one in change.changes if one.kind != "deleted"}
    touched |= {parent for path in touched for parent in folders_of(path)}
    for odd in change.listing.odd:
        if odd.path not in touched:
            continue
        path = text_of(odd.path)
        if odd.code.startswith("mode_"):  # old tools wrote it; git reads it as we do
            message = f"{escape(path)} has the unusual mode {odd.code.removeprefix('mode_')}"
            yield _remark("change-scope.mode", path, message)
        else:
            yield _fail("change-scope.name", path, f"{escape(path)}: {_ODD.get(odd.code, odd.code.replace('_', ' '))}")


def _steering(case: Case, change: "GitChange") -> Iterator[Finding]:
    """Harness files that the change added, or changed or deleted where nothing seals them."""
    from in_toto_done_receipt.recompute.harness import harness_of

    harness = harness_of(change, case.context.settings)
    sealed = _sealed(case)
    for one in change.changes:
        path = text_of(one.path)
        plain = one.new is None or one.new.mode in _FILES
        why = harness.why(path) if plain else harness.why_in_place_of_a_folder(path)
        if why is None and one.kind == "added":
            why = harness.shadows(path)
        # The bytes of what is sealed are the check `contract-seals`' business, and so are the modes of the rest.
        if why is not None and path not in sealed and not _only_mode(one):
            yield _steers(case, one, path, why)


def _only_mode(one: "Change") -> bool:
    """Whether a file has the same bytes and another mode: that has its own remark."""
    return one.kind == "modified" and one.old is not None and one.new is not None and one.old.id == one.new.id


def _steers(case: Case, one: "Change", path: str, why: str) -> Finding:
    from in_toto_done_receipt.recompute.harness import harness_keys

    keys, how = harness_keys(case.context, one), _WORDS[one.kind]
    if keys == ():
        message = f"{escape(path)} is {how}, its part that steers tests is as before"
        return _remark("change-scope.manifest_changed", path, message)
    which = "" if keys is None else f" ({', '.join(map(escape, keys[:5]))})"
    if one.kind == "added":
        return _fail("change-scope.harness_added", path, f"{escape(path)} is added{which}: {why}")
    return _fail("change-scope.harness_changed", path, f"{escape(path)} is {how}{which} and nothing seals it: {why}")


def _sealed(case: Case) -> set[str]:
    own = case.context.contract
    return {file.name for file in case.receipt.contract.sealed} | ({f.name for f in own.sealed} if own else set())


def _remarks(case: Case, change: "GitChange") -> list[Finding]:
    """What a reviewer should know, and links that lead out of the tree."""
    from in_toto_done_receipt.recompute.contents import content_remarks

    found: list[Finding] = []
    for one in change.changes:
        path = text_of(one.path)
        if one.mode_changed and one.kind == "modified":
            found.append(_remark("change-scope.mode", path, f"{escape(path)} changed its mode"))
        for mode, what, reason in _LINKS:
            if one.touches(mode):
                found.append(_remark(reason, path, f"{escape(path)}: a {what} is {_WORDS[one.kind]}"))
    for new, old in change.renames.items():
        path = text_of(new)
        found.append(_remark("change-scope.renamed", path, f"{escape(text_of(old))} is now {escape(path)}"))
    globs = [compile_glob(pattern) for pattern in _DOCUMENTATION]
    if all(any(glob.matches(text_of(one.path)) for glob in globs) for one in change.changes):
        found.append(finding("pass", "change-scope.documentation_only", "the change touches documentation only"))
    return found + content_remarks(case, change)


def text_of(path: bytes) -> str:
    """A path of a tree as the rest of the program spells paths."""
    return path.decode("utf-8", "surrogateescape")


def _fail(reason: str, path: str, message: str) -> Finding:
    return finding("fail", reason, message, path=path)


def _remark(reason: str, path: str, message: str) -> Finding:
    return finding("pass", reason, message, path=path)


_WORDS = {"added": "added", "deleted": "deleted", "modified": "changed", "type": "replaced by another kind"}
_ODD = {
    "dot_git": "a spelling of .git",
    "collides": "the same name as another one where case or Unicode form does not count",
    "not_utf8": "the name is not UTF-8",
    "control": "the name holds a control or format character",
    "backslash": "the name holds a backslash",
    "colon": "the name holds a colon",
    "trailing": "the name ends with a dot or a space",
    "option_like": "the name begins with a dash",
    "device": "the name is a device on Windows",
    "long": "the name is longer than 255 bytes",
    "git_file_alias": "an alias of a file that steers git",
}
