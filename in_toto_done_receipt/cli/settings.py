"""From profiles and flags to settings: a flag may only tighten what a profile says, or loosens it by name."""

from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.demands import demanded
from in_toto_done_receipt.admission.waivable import check_exceptions
from in_toto_done_receipt.cli.argv import split_argv
from in_toto_done_receipt.cli.options import read_named
from in_toto_done_receipt.cli.verify_setup import Flags, outside, time_of, tree_of
from in_toto_done_receipt.errors import ProfileError, UsageError
from in_toto_done_receipt.profile.check import is_uri
from in_toto_done_receipt.profile.limits import limit_value
from in_toto_done_receipt.profile.load import load_profile
from in_toto_done_receipt.profile.model import CommandEntry, Profile
from in_toto_done_receipt.profile.settings import Settings, with_flag, with_overrides
from in_toto_done_receipt.profile.union import from_profiles
from in_toto_done_receipt.results.model import SANDBOX_LEVELS
from in_toto_done_receipt.results.states import ASSURANCE_ORDER
from in_toto_done_receipt.wire.config import MAX_CONFIG_BYTES
from in_toto_done_receipt.wire.escape import escape

# What `settings_of` and `engine_of` read and commands without evidence have no flag for.
VERIFY_ALONE: Final = MappingProxyType(
    {
        "root": None,
        "plugins": (),
        "allow_command": (),
        "recheck_commands": False,
        "limits": (),
        "timeout": None,
        "max_age": None,
        "skew": None,
    }
)


def settings_of(flags: Flags) -> Settings:
    """Defaults, then every profile, then the flags that tighten (or loosen by name). Raises ConfigurationError."""
    profiles = {}
    for path in flags["profiles"]:
        outside(path, tree_of(flags), "--profile")
        profiles[str(path)] = read_profile(path, flag="--profile")
    settings = with_overrides(joined(profiles), flags["overrides"])
    if flags["unsigned"]:
        settings = with_flag(settings, "unsigned", True, flag="--unsigned", looser=False)
    if flags["at"] is not None and time_of(flags["at"]) < datetime.now(UTC):
        settings = with_flag(settings, "backdated", True, flag="--at", looser=False)
    if (wanted := flags["minimum_assurance"]) is not None:
        looser = ASSURANCE_ORDER.index(wanted) < ASSURANCE_ORDER.index(settings.minimum_assurance)
        settings = with_flag(settings, "minimum_assurance", wanted, flag="--minimum-assurance", looser=looser)
    if flags["plugins"]:
        united = tuple(dict.fromkeys(settings.plugins + flags["plugins"]))
        settings = with_flag(settings, "plugins", united, flag="--plugin", looser=False)
    settings = _with_types_and_source(settings, flags)
    settings = _with_times(settings, flags)
    settings = _with_commands(settings, flags)
    return _with_limits(settings, flags)


def read_profile(path: Path, *, flag: str) -> Profile:
    """The profile in this file. Raises ConfigurationError, of which ProfileError is one."""
    return load_profile(read_named(path, flag=flag, limit=MAX_CONFIG_BYTES), what=str(path))


def joined(profiles: dict[str, Profile]) -> Settings:
    """The settings of these profiles, whose selectors and exceptions name rules that there are. Raises ProfileError."""
    settings, catalogue = from_profiles(profiles), load_catalogue()
    for name, profile in profiles.items():  # one by one, so that the message names the file
        alone = Settings(include=profile.include or (), exclude=profile.exclude or (), evidence=settings.evidence)
        try:
            demanded(catalogue, alone.policy_document())
            check_exceptions(catalogue, [entry.code for entry in profile.exception])
        except ProfileError as error:
            raise ProfileError(f"{name}: {error.message}", hint=error.hint) from None
    return settings


def _with_types_and_source(settings: Settings, flags: Flags) -> Settings:
    if types := tuple(dict.fromkeys(flags["predicate_types"])):
        for text in types:
            if not is_uri(text):
                raise UsageError(f"--predicate-type {escape(text)}: is not a URI")
        looser = not set(types) <= set(settings.predicate_types)
        settings = with_flag(settings, "predicate_types", types, flag="--predicate-type", looser=looser)
    if (repository := flags["repository"]) is not None:
        if not is_uri(repository):
            raise UsageError(f"--repository {escape(repository)}: is not a URI", hint="with its scheme: https://…")
        if settings.repository not in (None, repository):
            by = settings.origins["source.repository"]
            raise ProfileError(f"--repository: is {escape(repository)}, {by} says {settings.repository}")
        settings = with_flag(settings, "repository", repository, flag="--repository", looser=False)
    return settings


def _with_times(settings: Settings, flags: Flags) -> Settings:
    if (age := flags["max_age"]) is not None:
        looser = settings.max_age is not None and age > settings.max_age
        settings = with_flag(settings, "max_age", age, flag="--max-age", looser=looser)
    if (skew := flags["skew"]) is not None:
        settings = with_flag(settings, "skew", skew, flag="--skew", looser=skew > settings.skew)
    return settings


def _with_commands(settings: Settings, flags: Flags) -> Settings:
    if flags["allow_command"] and not flags["recheck_commands"]:
        raise UsageError("--allow-command without --recheck-commands allows what nobody runs")
    entries = []
    for text in flags["allow_command"]:
        argv = split_argv(text, flag="--allow-command")
        if not argv[0].startswith("/"):
            raise UsageError(
                f"--allow-command: executable {escape(argv[0])} is not an absolute path",
                hint="an absolute path cannot be redirected by PATH",
            )
        entries.append(CommandEntry(argv=argv))
    new = tuple(entry for entry in entries if all(entry.argv != known.argv for known in settings.commands))
    if new:
        looser = bool(settings.commands)
        settings = with_flag(settings, "commands", settings.commands + new, flag="--allow-command", looser=looser)
    if (level := flags["sandbox"]) is not None:
        looser = SANDBOX_LEVELS.index(level) < SANDBOX_LEVELS.index(settings.sandbox_required)
        settings = with_flag(settings, "sandbox_required", level, flag="--sandbox", looser=looser)
        if looser:  # a lower level is by name only, and the decision shows it
            settings = with_overrides(settings, ("sandbox.required",))
    return settings


def _with_limits(settings: Settings, flags: Flags) -> Settings:
    chosen: dict[str, int] = {}
    for text in flags["limits"]:
        name, equals, value = text.partition("=")
        if not equals or not value.isascii() or not value.isdigit():
            raise UsageError(f"--limit {escape(text)}: wants NAME=VALUE, a whole number")
        chosen[name] = limit_value(name, int(value), where="--limit")
    if flags["timeout"] is not None:
        chosen["seconds"] = flags["timeout"]
    if not chosen:
        return settings
    looser = any(value > settings.limits[name] for name, value in chosen.items())
    return with_flag(settings, "limits", {**settings.limits, **chosen}, flag="--limit", looser=looser)
