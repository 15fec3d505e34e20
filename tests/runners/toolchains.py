"""The compilers of this machine, and a cache of Go's that outlives a test run."""

import fcntl
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.runners import cargo_command, go_command
from tests.runners.lab import need, need_bubblewrap

BUILD: Final = Path(__file__).parents[2] / "build"


@cache
def find_go() -> Path | None:
    """Go's own, the first that is new enough; the last place is where `make tools` puts one."""
    own = str(BUILD.parent / ".tools" / "go" / "bin" / "go")
    for place in (shutil.which("go"), "/usr/local/go/bin/go", "/usr/lib/go/bin/go", own):
        if place and Path(place).exists():
            try:
                return go_command.toolchain(place).go
            except ConfigurationError:
                continue
    return None


@cache
def find_cargo() -> Path | None:
    """That of a toolchain: what is found first may be the proxy of rustup, beside whose folder the toolchains lie."""
    for place in filter(None, (shutil.which("cargo"), "/usr/bin/cargo")):
        beside = sorted(Path(place).parents[2].glob(".rustup/toolchains/*/bin/cargo"), reverse=True)
        for candidate in (Path(place), *beside):
            try:
                return cargo_command.toolchain(str(candidate)).cargo
            except ConfigurationError:
                continue
    return None


def go() -> Path:
    """A Go that is new enough, and the sandbox. Skips the test without them, fails it in CI."""
    need_bubblewrap()
    found = find_go()
    need(found, "Go 1.21")
    assert found is not None
    return found


def cargo() -> Path:
    """The same for Rust."""
    need_bubblewrap()
    found = find_cargo()
    need(found, "a toolchain of Rust")
    assert found is not None
    return found


@cache
def go_cache() -> Path:
    """A build cache with the standard library in it. Filled once; whoever comes second waits for the first."""
    folder = BUILD / "go-cache"
    folder.mkdir(parents=True, exist_ok=True)
    with (BUILD / "go-cache.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        tool, mark = go(), folder / "filled"
        if not mark.exists():
            environment = {"GOCACHE": str(folder / "go-build"), "HOME": str(folder), "CGO_ENABLED": "0", "GOENV": "off"}
            packages = ("testing", "os/exec", "crypto/sha256", "fmt", "strings")
            subprocess.run([tool, "build", *packages], check=True, env=environment, cwd=folder)
            mark.touch()
    return folder
