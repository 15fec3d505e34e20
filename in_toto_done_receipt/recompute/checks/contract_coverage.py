"""What the profile wants sealed, and the tests and harness that base has, are sealed one by one: listed from the base
tree, which the change cannot touch."""

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.globs import compile_glob
from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape

_FILES = ("100644", "100755")
_WANTED_BY_PROFILE = "the profile wants it sealed"


def run(case: Case) -> tuple[Finding, ...]:
    """A finding for each file of base that has to be sealed and is not, or one that says that all are.

    Raises ConfigurationError for a pattern of the profile that matches nothing at base: it would protect nothing.
    """
    change = case.context.change
    if change is None or change.base_listing is None:
        return (finding("not_checked", "contract-coverage.no_base", "the verifier gave no base revision"),)
    wanted = _wanted(case)
    if not wanted:
        message = "the base revision has no test, no harness file and nothing that the profile wants sealed"
        return (finding("pass", "contract-coverage.nothing_to_seal", message),)
    own = case.context.contract
    sealed = {file.name for file in case.receipt.contract.sealed} | ({f.name for f in own.sealed} if own else set())
    missing = tuple(
        finding("fail", "contract-coverage.not_sealed", f"{escape(path)} is not sealed: {why}", path=path)
        for path, why in wanted.items()
        if path not in sealed
    )
    message = f"all {len(wanted)} file(s) of the base revision that have to be sealed are"
    return missing or (finding("pass", "contract-coverage.covered", message),)


def _wanted(case: Case) -> dict[str, str]:
    """Path -> why it has to be sealed."""
    from in_toto_done_receipt.recompute.harness import harness_of

    change, base, settings = case.context.change, case.context.base, case.context.settings
    assert change is not None  # noqa: S101 - the caller looked
    assert base is not None  # noqa: S101 - the caller looked
    harness = harness_of(change, settings)
    globs = [compile_glob(pattern) for pattern in settings.contract_sealed]
    used: set[str] = set()
    wanted = {}
    # The base revision itself, also where the change is merged onto another one: no receipt seals what came later.
    for raw, entry in base.listing.files.items():
        if entry.mode not in _FILES:
            continue
        path = raw.decode("utf-8", "surrogateescape")
        matching = [glob.pattern for glob in globs if glob.matches(path)]
        used.update(matching)
        if matching:
            wanted[path] = _WANTED_BY_PROFILE
        elif harness.is_test(path):
            wanted[path] = "it is a test"
        elif not _is_both(path) and (why := harness.why(path)) is not None:
            wanted[path] = why
    if unused := [glob.pattern for glob in globs if glob.pattern not in used]:
        raise ConfigurationError(
            f"contract.sealed: {escape(unused[0])} matches nothing at base {change.base}",
            hint="a pattern that matches nothing protects nothing",
        )
    return wanted


def _is_both(path: str) -> bool:
    """Product and harness at once: compared key by key by `change-scope` instead, for dependencies may change."""
    from in_toto_done_receipt.recompute.manifest_keys import harness_part

    return harness_part(path.rpartition("/")[2]) is not None
