"""What several commands take from the command line: files, `-`, passphrases, formats, flags of later versions."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO, TypeVar

import click

from in_toto_done_receipt.errors import ConfigurationError, InputError, LimitExceeded, OutputError, UsageError
from in_toto_done_receipt.observe.files import read_file, write_atomic
from in_toto_done_receipt.wire.escape import ascii_json, escape

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

MAX_PASSPHRASE_BYTES: Final = 4096


class Text(click.ParamType[str]):
    """Text of the command line; bytes that are no UTF-8 are refused instead of travelling on as surrogates."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            raise UsageError(f"{_flag(param)}: not UTF-8: {text!a}") from None
        return text


TEXT: Final = Text()
FILE: Final = click.Path(path_type=Path)  # what it names is checked when it is opened, with our own messages


def read_named(path: Path, *, flag: str, limit: int, limit_name: str = "file-bytes") -> bytes:
    """The bytes of a file that a flag names. Raises ConfigurationError: such a file is the caller's own."""
    try:
        return read_file(path, limit=limit, what=flag, limit_name=limit_name)
    except InputError as error:
        raise ConfigurationError(error.message, hint=error.hint) from None


def read_document(path: Path, *, what: str, limit: int, limit_name: str = "file-bytes") -> bytes:
    """The bytes of the document that a command is about; `-` is standard input. Raises InputError."""
    if str(path) != "-":
        return read_file(path, limit=limit, what=what, limit_name=limit_name)
    data = _standard(sys.stdin).read(limit + 1)
    if len(data) > limit:
        raise LimitExceeded(limit_name, allowed=limit, value=f"more than {limit}", where="standard input")
    return data


def write_output(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """The whole output or none of it; `-` is standard output."""
    if str(path) != "-":
        write_atomic(path, data, mode=mode)
        return
    stream = _standard(sys.stdout)
    try:
        stream.write(data)
        stream.flush()
    except BrokenPipeError:
        raise  # whoever reads has gone: not an error to report to anybody
    except OSError as error:
        raise OutputError(f"standard output cannot be written: {os.strerror(error.errno or 0).lower()}") from None


def _standard(stream: TextIO | None) -> BinaryIO:
    if stream is None:  # the caller closed it before we started
        raise ConfigurationError("`-` is named, and the standard stream is closed")
    return stream.buffer


def keep_inputs(out: Path, *given: Any, root: Path | None = None) -> None:
    """Raises UsageError when the output would replace a file that the same command line reads.

    `given` are values of flags: paths, NAME=PATH, tuples of either; a PATH may also lie below `root`.
    """
    for path in _paths(given):
        for place in (path, path if root is None else root / path):
            try:
                same = place.is_file() and not out.is_symlink() and place.samefile(out)  # a link is refused as one
            except (OSError, ValueError):
                continue
            if same:
                fact = f"the output {escape(str(out))} is a file that this command reads"
                raise UsageError(fact, hint="write it somewhere else")


def _paths(given: Any) -> Iterator[Path]:
    if isinstance(given, Path):
        yield given
    elif isinstance(given, str) and "=" in given:
        yield Path(given.partition("=")[2])
    elif isinstance(given, tuple):
        for value in given:
            yield from _paths(value)


def is_stdout(path: Path) -> bool:
    """Whether the data goes to standard output, so that what is said about it must go to standard error."""
    return str(path) == "-"


def format_option(function: F) -> F:
    """`--format text|json`, and `--json` as the short word for it."""
    function = click.option("as_json", "--json", is_flag=True, help="The same as --format json.")(function)
    return click.option(
        "output_format",
        "--format",
        type=click.Choice(["text", "json"]),
        default="text",
        help="For people (text) or for programs (json).",
    )(function)


def say_facts(facts: dict[str, Any], lines: list[str], *, as_json: bool, err: bool = False) -> None:
    """The facts as one JSON object, or the lines for people. `err` when standard output carries the data itself."""
    if as_json:
        click.echo(ascii_json(json.dumps(facts, ensure_ascii=True)), err=err)
        return
    for line in lines:
        click.echo(escape(line), err=err)


def unavailable(*names: str, what: str, takes_value: bool = True) -> Decorator[F]:
    """Hidden flags that a later version brings: giving one is an error, never ignored."""

    def refuse(_ctx: click.Context, param: click.Parameter, value: Any) -> None:
        if value not in (None, False, ()):
            raise ConfigurationError(f"{_flag(param)}: {what} is not available in this version")

    def decorate(function: F) -> F:
        for name in names:
            kind: dict[str, Any] = {"multiple": True} if takes_value else {"is_flag": True}
            function = click.option(name, hidden=True, expose_value=False, callback=refuse, **kind)(function)
        return function

    return decorate


def passphrase_options(function: F) -> F:
    """Where the passphrase of a key comes from; never an argument, which every process of the machine can read."""
    function = click.option("--passphrase-fd", type=click.IntRange(0), help="Read the passphrase from a descriptor.")(
        function
    )
    return click.option("--passphrase-file", type=FILE, help="Read the passphrase from a file.")(function)


def passphrase(file: Path | None, descriptor: int | None, *, confirm: bool = False, word: str = "passphrase") -> bytes:
    """The passphrase from the file or the descriptor, one final line end cut off; else from the terminal.

    `word` is what the terminal is asked for.

    Raises UsageError for both sources at once, ConfigurationError when there is none or it is empty.
    """
    if file is not None and descriptor is not None:
        raise UsageError("--passphrase-file and --passphrase-fd exclude each other")
    if file is not None:
        secret = _one_line(read_named(file, flag="--passphrase-file", limit=MAX_PASSPHRASE_BYTES))
    elif descriptor is not None:
        secret = _one_line(_read_descriptor(descriptor))
    else:
        secret = _asked(confirm=confirm, word=word)
    if not secret:
        raise ConfigurationError(f"the {word} is empty")
    return secret


def passphrase_source(file: Path | None, descriptor: int | None, *, word: str = "passphrase") -> Callable[[], bytes]:
    """The passphrase, read when the key turns out to want one."""
    return lambda: passphrase(file, descriptor, word=word)


def split_id(flag: str, text: str) -> tuple[str, str]:
    """`ID=REST` at the first `=`."""
    identity, equals, rest = text.partition("=")
    if not equals or not identity or not rest:
        raise UsageError(f"{flag} wants ID=…, got {text!r}")
    return identity, rest


def _flag(param: click.Parameter | None) -> str:
    return param.opts[0] if param is not None and param.opts else "argument"


def _one_line(data: bytes) -> bytes:
    return data.removesuffix(b"\n").removesuffix(b"\r")


def _read_descriptor(descriptor: int) -> bytes:
    """Everything up to the end of the file; the descriptor is left open, it is the caller's."""
    data = b""
    try:
        while len(data) <= MAX_PASSPHRASE_BYTES and (more := os.read(descriptor, MAX_PASSPHRASE_BYTES + 1)):
            data += more
    except OSError as error:
        raise ConfigurationError(f"--passphrase-fd {descriptor}: {os.strerror(error.errno or 0).lower()}") from None
    if len(data) > MAX_PASSPHRASE_BYTES:
        raise ConfigurationError(f"--passphrase-fd {descriptor}: more than {MAX_PASSPHRASE_BYTES} bytes")
    return data


def _asked(*, confirm: bool, word: str) -> bytes:
    if not has_terminal():
        raise ConfigurationError(
            f"the key wants a {word}, and there is no terminal to ask at",
            hint="give it with --passphrase-file or --passphrase-fd",
        )
    answer: str = click.prompt(word, hide_input=True, confirmation_prompt=confirm, err=True)
    return answer.encode(errors="surrogateescape")


def has_terminal() -> bool:
    """Whether there is somebody to ask: a terminal that controls this process."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True
