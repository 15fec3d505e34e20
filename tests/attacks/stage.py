"""Where attacks take place: a machine with secrets all over it, and a verifier that runs hostile programs."""

import json
import os
import secrets
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
PRECIOUS = "precious"
LIMITS = {"seconds": 20.0, "stream_bytes": 65_536}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """How a program ended, and what it achieved: nothing, or a sentence for each thing."""

    answer: dict[str, Any]
    achieved: tuple[str, ...]

    @property
    def said(self) -> str:
        """For the message of a test that fails."""
        return f"{self.achieved}\n{json.dumps(self.answer, indent=1)}"


class Stage:
    """One machine under attack. Use as a context manager."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.secret = secrets.token_hex(16)
        self._outside = folder / "outside"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._descriptors: list[int] = []

    def __enter__(self) -> Self:
        for path in ("secret", "home/.netrc", "repository/.git/config"):
            place = self.folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(self.secret)
        (self.folder / "bin").mkdir()
        bwrap = self.folder / "bin" / "bwrap"
        bwrap.write_text(f"#!/bin/sh\n: > {self.folder}/bwrap-called\n")
        bwrap.chmod(0o755)
        self._lay_out()
        self.facts = {
            "outside": str(self.folder / "secret"),
            "home": str(self.folder / "home" / ".netrc"),
            "git": str(self.folder / "repository" / ".git" / "config"),
            "precious": str(self._outside / "precious"),
            "tool": str(self.folder / "tool" / "tool"),
            **self._start_host(),
        }
        self._start_verifier()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.kill()
            process.communicate()
        for descriptor in self._descriptors:
            os.close(descriptor)

    def _lay_out(self) -> None:
        for folder in (self._outside, self.folder / "tool"):
            folder.mkdir(exist_ok=True)
            for left in folder.iterdir():
                left.unlink()
        (self._outside / "precious").write_text(PRECIOUS)
        (self._outside / "precious").chmod(0o600)
        (self.folder / "tool" / "tool").write_text(PRECIOUS)

    def _environment(self) -> dict[str, str]:
        return {
            "SECRET": self.secret,
            "HOME": str(self.folder / "home"),
            "PATH": f"{self.folder}/bin:.:/usr/bin:/bin",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }

    def _start_host(self) -> dict[str, Any]:
        host = subprocess.Popen(
            [sys.executable, str(HERE / "host.py"), str(self.folder), self.secret],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self._environment(),
        )
        self._processes.append(host)
        assert host.stdout is not None
        facts: dict[str, Any] = json.loads(host.stdout.readline())
        return facts

    def _start_verifier(self) -> None:
        terminal, theirs = os.openpty()
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        verifier = subprocess.Popen(
            [sys.executable, str(HERE / "verifier.py"), str(self.folder), str(requests), str(answers)],
            stdin=theirs,
            pass_fds=(requests, answers),
            env=self._environment(),
        )
        self._processes.append(verifier)
        os.write(terminal, self.secret.encode() + b"\n")
        for descriptor in (theirs, requests, answers):
            os.close(descriptor)
        self._descriptors += [terminal, self._requests, self._answers]

    def attack(self, name: str, level: str, **given: Any) -> Seen:
        """Run one program at this level. `given`: limits, options, facts."""
        self._lay_out()
        request = {
            "source": (PROGRAMS / f"{name}.py").read_text(encoding="utf-8"),
            "level": level,
            "limits": LIMITS | given.get("limits", {}),
            "options": given.get("options", {}),
            "facts": self.facts | given.get("facts", {}),
        }
        os.write(self._requests, json.dumps(request).encode() + b"\n")
        answer = json.loads(self._read_line())
        assert "error" not in answer, answer
        return Seen(answer=answer, achieved=tuple(self._achieved(answer)))

    def _read_line(self) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            part = os.read(self._answers, 65_536)
            assert part, "the verifier is dead"
            line += part
        return line

    def _achieved(self, answer: dict[str, Any]) -> list[str]:
        outside = {path.name: path.read_text() for path in self._outside.iterdir()}
        mode = (self._outside / "precious").stat().st_mode if "precious" in outside else 0
        return [
            *(["it has the secret"] if self.secret in answer["output"] else []),
            *(line for line in answer["output"].splitlines() if line.startswith("ESCAPED")),
            *(["it changed a file outside"] if outside != {"precious": PRECIOUS} or mode & 0o777 != 0o600 else []),
            *(["it changed a tool"] if (self.folder / "tool" / "tool").read_text() != PRECIOUS else []),
            *(["a process of its is alive"] if answer["held"] else []),
            *(["shared memory of its remains"] if answer["remains"] else []),
            *(["a bwrap of its was called"] if (self.folder / "bwrap-called").exists() else []),
        ]
