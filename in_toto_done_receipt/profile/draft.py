"""A first acceptance.toml for a repository. What is active in it works today; what is not is left out by a `#`."""

import shlex
from collections.abc import Iterator

from in_toto_done_receipt.profile.ecosystems import FOLDERS
from in_toto_done_receipt.profile.survey import Found, Survey
from in_toto_done_receipt.profile.toml import written
from in_toto_done_receipt.wire.escape import escape

_HEAD = """\
# What this repository demands of a done receipt. Keep it where no agent can write.
# A sentence starts with `# `. A line that starts with `#` alone is a setting that is left out: delete the `#` for it.
"""
_LATER = """\
# These need verify --repo, --head and --base, and [tests] --recheck-commands too: base's tests have to pass on the
# change then, and the receipt has to carry evidence of kind tests.
"""


def draft(found: Survey) -> str:
    """The profile, as text; loads as it is, and with every setting that is left out."""
    lines = [*_HEAD.splitlines(), "version = 1"]
    lines += ['collection = "minimal"  # "ci" also demands the test run of the clean room, see [tests]', ""]
    lines += ['minimumAssurance = "fully_rechecked"', ""]
    runs = [one for one in found.found if one.ecosystem.runner is not None]
    for one in found.found:
        lines += _command(one, active=one in runs and one.installed, claim=_claim(one, runs))
    lines += _sandbox(runs)
    lines += ["[freshness]", "maxAge = 86400", ""]
    lines += ["# Uncommented, a receipt that does not say these is denied.", '#[agent]\n#models = ["MODEL"]', ""]
    lines += ["#[usage]\n#maxOutputTokens = 1000000", "", '#[source]\n#repository = "https://HOST/OWNER/NAME"', ""]
    if later := list(_clean_room(found, runs)):
        lines += [*_LATER.splitlines(), *later]
    return "\n".join(lines).rstrip() + "\n"


def seal_line(found: Survey, root: str) -> str:
    """The command that seals what the survey found, before the work starts."""
    paths = [f"--path {shlex.quote(path)}" for path in (*found.sealed, *found.absent)]
    return f"done-receipt seal --root {shlex.quote(root)} {' '.join(paths)} --out contract.json"


def _claim(one: Found, runs: list[Found]) -> str:
    runner = one.ecosystem.runner
    return "tests" if len(runs) == 1 or runner is None else f"tests-{runner}"


def _command(one: Found, *, active: bool, claim: str) -> Iterator[str]:
    yield f"# {escape(one.mark)} speaks for {one.ecosystem.name}."
    if active:
        yield f"# A receipt must show, as its claim {claim}, that this command succeeds. It may run in the sandbox,"
        yield "# with --recheck-commands: look at its path and arguments first."
    else:
        yield "# To demand its command and to let it run, look at path and arguments, then delete the `#`."
    if not one.installed:
        yield f"# There is no {one.ecosystem.executable} in {', '.join(FOLDERS)}: name its path."
    off = "" if active else "#"
    argv = written(one.argv)
    yield from (f"{off}{line}" for line in ("[[evidence]]", f'claim = "{claim}"', 'kind = "command"', f"argv = {argv}"))
    yield ""
    yield from (f"{off}{line}" for line in ("[[command]]", f"argv = {argv}", "timeout = 600"))
    yield ""


def _sandbox(runs: list[Found]) -> Iterator[str]:
    yield "[sandbox]"
    yield 'required = "bubblewrap"'
    variables = {name: value for one in runs for name, value in one.ecosystem.variables.items()}
    if variables:
        yield "variables = { " + ", ".join(f"{name} = {written(text)}" for name, text in variables.items()) + " }"
    yield ""


def _clean_room(found: Survey, runs: list[Found]) -> Iterator[str]:
    for one in runs[:1]:  # there is one test command
        layers = ["planted", "halves", "gate"] + (["value"] if one.ecosystem.executable == "python3" else [])
        yield "#[tests]"
        yield f'#runner = "{one.ecosystem.runner}"'
        yield f"#argv = {written(one.argv)}"
        yield "#negativeControl = true"
        yield "# Layers that have to be there: each but the first takes two runs of the tests."
        yield f"#canaries = {written(layers)}"
        yield ""
    if found.sealed:
        yield "#[contract]"
        yield f"#sealed = {written(found.sealed)}"
        yield ""
