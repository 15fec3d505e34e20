"""Attack: an endless file, a FIFO, a device, a slow command, an expression that backtracks.
Answer: regular files only, the size at opening plus one byte, a deadline for everything, a linear matcher.
"""

import json
import os
import time
from collections.abc import Callable

import pytest

from in_toto_done_receipt.trust.pattern import MAX_TEXT_BYTES, compile_pattern
from testdata.receipts import generate
from tests.threats import keyless
from tests.threats.conftest import Desk

NOT_A_FILE = ("fifo", "/dev/zero", "folder", "missing")
FLAGS = ("--trust", "--profile", "--contract", "--manifest", "--artifact")


@pytest.fixture
def places(desk: Desk) -> None:
    os.mkfifo(desk.folder / "fifo")
    (desk.folder / "folder").mkdir()


@pytest.mark.usefixtures("places")
@pytest.mark.parametrize("name", NOT_A_FILE)
def test_threat_33_a_receipt_is_a_file(desk: Desk, name: str) -> None:
    arguments = desk.lay(generate.Case(why=""))
    assert desk.run("verify", name, *arguments[1:]).code == 3
    assert desk.run("inspect", name).code == 3


@pytest.mark.usefixtures("places")
@pytest.mark.parametrize("name", NOT_A_FILE)
@pytest.mark.parametrize("flag", FLAGS)
def test_threat_33_a_file_of_the_verifiers_is_a_file(desk: Desk, flag: str, name: str) -> None:
    arguments = desk.lay(generate.Case(why="", trust=[] if flag == "--trust" else list(generate.TRUST)))
    assert desk.run("verify", *arguments, flag, name).code == 4


@pytest.mark.parametrize("name", ["greeting.txt", "tests/check.sh"])
def test_threat_33_a_fifo_in_the_tree_is_refuted_not_waited_for(desk: Desk, name: str) -> None:
    arguments = desk.lay(generate.Case(why=""))
    (desk.folder / "workspace" / name).unlink()
    os.mkfifo(desk.folder / "workspace" / name)
    assert desk.run("verify", *arguments).code == 11


@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize("script", ["sleep 600", "yes", "trap '' TERM INT; sleep 600"])
def test_threat_33_a_command_ends_in_time(desk: Desk, script: str, commands: Callable[..., list[str]]) -> None:
    argv = ["/bin/sh", "-c", script]
    change = generate.claims(generate.file_item(), generate.command_item(argv))
    flags = [*commands(f'["/bin/sh", "-c", "{script}"]'), "--limit", "command-seconds=1"]
    assert desk.verify(generate.Case(why="", change=change, flags=flags)).code == 11


GREEDY = {
    "command-memory-bytes": (50_000_000, "head -c 200m /dev/zero | tail; sleep 9"),
    "command-processes": (20, "i=0; while [ $i -lt 99 ]; do sleep 9 & i=$((i+1)); done; wait"),
    "command-disk-bytes": (1_000_000, "head -c 9m /dev/zero > big; sleep 9"),
    "command-disk-files": (50, "i=0; while [ $i -lt 99 ]; do : > /tmp/$i; i=$((i+1)); done; sleep 9"),
}


@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize("limit", GREEDY)
def test_threat_33_a_command_that_takes_too_much_is_ended(
    desk: Desk, limit: str, commands: Callable[..., list[str]]
) -> None:
    value, script = GREEDY[limit]
    argv = ["/bin/sh", "-c", script]
    change = generate.claims(generate.file_item(), generate.command_item(argv))
    flags = [*commands(json.dumps(argv)), "--limit", f"{limit}={value}"]
    seen = desk.verify(generate.Case(why="", change=change, flags=flags))
    (check,) = (check for check in seen.result["checks"] if check["id"] == "evidence-command")
    said = check["findings"][0]["message"]
    assert (seen.code, "did not succeed" in said) == (11, True)
    assert f"limit {limit} is {value}, got" in said or "exit code 2" in said  # the kernel did not let it fork


@pytest.mark.usefixtures("bubblewrap")
def test_threat_33_what_a_command_leaves_behind_holds_nobody_up(desk: Desk, commands: Callable[..., list[str]]) -> None:
    argv = ["/bin/sh", "-c", "sleep 600 & exit 1"]
    change = generate.claims(generate.file_item(), generate.command_item(argv))
    flags = commands('["/bin/sh", "-c", "sleep 600 & exit 1"]')
    assert desk.verify(generate.Case(why="", change=change, flags=flags)).code == 11


@pytest.mark.usefixtures("bubblewrap")
def test_threat_33_the_whole_has_a_deadline(desk: Desk, commands: Callable[..., list[str]]) -> None:
    argv = ["/bin/sh", "-c", "sleep 600"]
    change = generate.claims(generate.file_item(), generate.command_item(argv))
    arguments = desk.lay(generate.Case(why="", change=change, flags=commands('["/bin/sh", "-c", "sleep 600"]')))
    seen = desk.run("verify", *arguments, "--timeout", "1")
    assert (seen.code, "limit seconds is 1" in seen.err) == (3, True)


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|a)*b", "(a|aa)+b", "(.*.*.*)*b", "((a?){20}){20}b"])
def test_threat_33_an_expression_does_not_backtrack(pattern: str) -> None:
    try:
        compiled = compile_pattern(pattern)
    except ValueError:
        return  # refused as too large is an answer too
    assert not compiled.fullmatch("a" * 2000)


HOSTILE = ("(a+)+b", "(a|a)*b", "(.*a){9}b", "(a?){200}b@x", "([a-z]+)*@example")


@pytest.mark.parametrize("pattern", HOSTILE)
def test_threat_33_the_name_in_a_certificate_holds_nobody_up(desk: Desk, pattern: str) -> None:
    """The longest name that is read, against expressions that a backtracking matcher does not finish."""
    name = "a" * (MAX_TEXT_BYTES - len("@x.org")) + "@x.org"
    text = keyless.identity("dev", subject=f"~{pattern}") + keyless.ROOT
    started = time.monotonic()
    seen = desk.verify(keyless.case(text, keyless.bundle(identity=name)))
    assert (seen.code, "signature.identity" in seen.reasons) == (10, True)
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("subject", ["exact", "~a+@x\\.org"])
@pytest.mark.parametrize(("more", "code"), [(0, 0), (1, 10)])
def test_threat_33_a_longer_name_is_not_read(desk: Desk, subject: str, more: int, code: int) -> None:
    name = "a" * (MAX_TEXT_BYTES - len("@x.org") + more) + "@x.org"
    text = keyless.identity("dev", subject=name if subject == "exact" else subject) + keyless.ROOT
    seen = desk.verify(keyless.case(text, keyless.bundle(identity=name)))
    assert (seen.code, "signature.identity" in seen.reasons) == (code, code == 10)


@pytest.mark.parametrize("pattern", HOSTILE)
def test_threat_33_nor_does_a_claim(desk: Desk, pattern: str) -> None:
    rule = f"claimsRegexp = {{ buildTrigger = '{pattern}' }}"
    text = keyless.identity("dev", more=rule) + keyless.ROOT
    for size in (2000, 60_000):
        seen = desk.verify(keyless.case(text, keyless.bundle(claims={"buildTrigger": "a" * size})))
        assert (seen.code, "signature.claims" in seen.reasons) == (10, True)


@pytest.mark.parametrize(
    "pattern", ["(?=a)a", "(a)\\1", "(?!b)a+", "(?>a)", "a++", "(?i)a", "((((a{9}){9}){9}){9}){9}"]
)
def test_threat_33_what_cannot_be_matched_in_linear_time_is_refused(desk: Desk, pattern: str) -> None:
    text = keyless.identity("dev", subject=f"~{pattern}") + keyless.ROOT
    assert desk.run("verify", *desk.lay(keyless.case(text, keyless.bundle()))).code == 4
