"""`done-receipt`: finds the command, runs it, and turns every error into one exit code and one message."""

import contextlib
import errno
import os
import signal
import sys
from importlib import import_module
from typing import Final

import click

from in_toto_done_receipt import errors
from in_toto_done_receipt.version import VERSION
from in_toto_done_receipt.wire.escape import escape

# Name -> (module below cli, the line in --help). Written out so that --help imports no command.
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "demo": ("demo", "Show the whole story in a scratch directory: one honest change, and four that are refused."),
    "init": ("init", "Draft acceptance.toml and trust.toml for a repository."),
    "keygen": ("keygen", "Make a signing key."),
    "seal": ("seal", "Digest the acceptance contract before the work starts."),
    "manifest": ("manifest", "Inventory a directory: create, verify, diff."),
    "build": ("build", "Collect evidence and write an unsigned statement."),
    "sign": ("sign", "Sign a statement as it is."),
    "attest": ("attest", "Build and sign in one."),
    "verify": ("verify", "Verify a receipt, do the work again, and decide."),
    "recompute": ("recompute", "Verify and do the work again, without deciding: writes the result document."),
    "admit": ("admit", "Decide on a result document: policy only, runs no evidence."),
    "attest-result": ("attest_result", "Sign what a verification came to: VSA, SVR or test-result. Runs no evidence."),
    "inspect": ("inspect", "Say what a file is and what it says, without any claim of trust."),
    "import": ("import_", "Turn an old receipt into an unsigned statement."),
    "export": ("export", "Write a statement as an old receipt, where the old format can say it."),
    "policy": ("policy", "Build, check, test and list the admission policy; explain and compare decisions."),
    "profile": ("profile", "Show the effective acceptance profile, and what it leaves open."),
    "trust": ("trust", "Check a trust file for weak lines."),
    "doctor": ("doctor", "Say what this machine offers: sandbox layers, engines, libraries."),
}

# Named in the design and brought by a later version: asking for one is refused as unavailable, not as a misspelling.
LATER_COMMANDS: Final[dict[str, str]] = {
    "serve": "admission over HTTP",
    "audit": "verifying many receipts",
    "hook": "git and agent hooks",
}

# Ordered: the first class that fits decides. Everything that is not listed is 1, an internal error.
EXIT_CODES: Final[tuple[tuple[type[errors.DoneReceiptError], int], ...]] = (
    (errors.UsageError, 2),
    (errors.ConfigurationError, 4),
    (errors.InputError, 3),
    (errors.SignatureNotTrusted, 10),
    (errors.WorkMoved, 11),
    (errors.EngineError, 12),
    (errors.ProducerError, 4),
    (errors.ObservationError, 4),
    (errors.RepositoryRefused, 4),
    (errors.OutputError, 4),
)

_STREAM_FAULTS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


class Commands(click.Group):
    """The group of `COMMANDS`; a command's module is imported when it is asked for, not before."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in LATER_COMMANDS:
            raise errors.ConfigurationError(f"{cmd_name}: {LATER_COMMANDS[cmd_name]} is not available in this version")
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"in_toto_done_receipt.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, prog_name="done-receipt")
def group() -> None:
    """Make "done" checkable: verify a receipt's signature, do the work again, let a policy decide.

    \b
    Example:
      done-receipt demo
      done-receipt verify receipt.json --trusted-key worker=worker.pub --root .
    """


def exit_code(error: errors.DoneReceiptError) -> int:
    """The exit code of an error, by `EXIT_CODES`."""
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 1)


def hint_of(error: errors.DoneReceiptError) -> str | None:
    """The error's hint; for a limit that can be set higher, how."""
    if error.hint is None and isinstance(error, errors.LimitExceeded):
        from in_toto_done_receipt.profile.limits import LIMITS  # only on this path: --help stays light

        limit = LIMITS.get(error.limit)
        if limit is not None and error.allowed < limit.ceiling:
            return f"raise it with --limit {error.limit}=VALUE, up to {limit.ceiling}, if you mean to"
    return error.hint


def say(error: errors.DoneReceiptError) -> None:
    """One error on stderr: the message, more faults if it has any, and the hint on a line of its own."""
    click.echo(f"error: {escape(error.message)}", err=True)
    for fault in getattr(error, "faults", ()):
        click.echo(f"  also: {escape(fault)}", err=True)
    if hint := hint_of(error):
        click.echo(f"hint: {escape(hint)}", err=True)


def say_misuse(error: click.ClickException) -> None:
    """What click says of a command line, in our form and escaped: it repeats words of the command line as they are."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return
    if context is not None:
        click.echo(context.get_usage(), err=True)
    message = error.format_message().removesuffix(".")
    hint = None if context is None else f"{context.command_path} --help"
    say(errors.UsageError(message[:1].lower() + message[1:], hint=hint))


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit; no input produces a traceback."""
    signal.signal(signal.SIGTERM, _terminated)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal of another encoding gets escapes, not an exception
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(arguments))


def _terminated(_number: int, _frame: object) -> None:
    """SIGTERM ends a command as Ctrl-C does: processes are killed and scratch folders removed on the way out."""
    raise KeyboardInterrupt


def run(arguments: list[str] | None = None) -> int:
    """The exit code of one command line."""
    try:
        outcome = group.main(arguments, prog_name="done-receipt", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        say_misuse(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    except errors.DoneReceiptError as error:
        say(error)
        _drop_output()
        return exit_code(error)
    except OSError as error:  # of a standard stream: whatever opens a file has an error of its own for it
        _drop_output()
        return _unwritten(error)
    except Exception as error:  # noqa: BLE001 - the last line of defence
        return _bug(error)
    return outcome if isinstance(outcome, int) else 0


def _drop_output() -> None:
    """What standard output did not take is dropped, or the flush at exit would fail on it."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unwritten(fault: OSError) -> int:
    """The exit code when a standard stream takes no more; when its reader has gone there is nobody to tell."""
    if fault.errno in _STREAM_FAULTS:
        with contextlib.suppress(OSError):  # it may be standard error itself
            say(errors.OutputError(f"standard output cannot be written: {os.strerror(fault.errno).lower()}"))
        return exit_code(errors.OutputError(""))
    if isinstance(fault, BrokenPipeError):
        return 1
    return _bug(fault)


def _bug(error: Exception) -> int:
    """A bug of ours is one line and code 1."""
    click.echo(f"error: internal error: {type(error).__name__}: {escape(str(error))}", err=True)
    click.echo("hint: this is a bug in done-receipt; nothing was verified", err=True)
    return 1
