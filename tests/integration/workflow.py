"""Runs a workflow of GitHub Actions, as far as a page of the documentation needs it: each job in a new folder.

Steps with `run` are run as GitHub runs them. Of actions those for checkouts and artifacts are played; artifacts lose
hidden files and modes, as there. A job has an identity if, and only if, its permissions say so.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.integration.made import SECONDS

PLAYED: Final = ("actions/checkout", "actions/setup-python", "actions/upload-artifact", "actions/download-artifact")


def read_workflow(text: str, opa: Path) -> dict[str, Any]:
    """The workflow in this YAML, by the parser in OPA: there is no other here."""
    command: list[str | Path] = [opa, "eval", "--stdin-input", "--format", "raw", "yaml.unmarshal(input)"]
    done = subprocess.run(command, input=json.dumps(text), capture_output=True, text=True, check=True)
    tree: dict[str, Any] = json.loads(done.stdout)
    return tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Where jobs run. `repositories` are what a checkout gives, by name; the workflow's own has none."""

    folder: Path
    path: Path
    repositories: Mapping[str, Path]
    inputs: Mapping[str, str]
    identity: Mapping[str, str]
    printed: dict[str, str] = field(default_factory=dict)

    def run(self, workflow: Mapping[str, Any]) -> None:
        """All jobs; each has to succeed. `printed` is what each printed."""
        waiting = dict(workflow["jobs"])
        while waiting:
            name = next(name for name, job in waiting.items() if job.get("needs") not in waiting)
            self._job(name, waiting.pop(name))

    def job_folder(self, name: str) -> Path:
        return self.folder / "jobs" / name

    def _job(self, name: str, job: Mapping[str, Any]) -> None:
        folder = self.job_folder(name)
        (folder / "temp").mkdir(parents=True)
        trusted = job["permissions"].get("id-token") == "write"
        variables = {
            "PATH": f"{self.path}{os.pathsep}/usr/bin{os.pathsep}/bin",
            "LC_ALL": "C.UTF-8",
            "GITHUB_ACTIONS": "true",
            "RUNNER_TEMP": str(folder / "temp"),
            **(self.identity if trusted else {}),
        }
        printed = []
        for step in job["steps"]:
            if "uses" in step:
                self._action(step, folder)
            else:
                printed.append(self._command(step, folder, variables))
        self.printed[name] = "".join(printed)

    def _command(self, step: Mapping[str, Any], folder: Path, variables: Mapping[str, str]) -> str:
        own = {name: self._filled(value) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self._filled(step["run"])],
            cwd=folder / step.get("working-directory", "."),
            env={"HOME": os.environ["HOME"], **variables, **own},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{step['run']}\n{done.stdout}"
        return done.stdout

    def _filled(self, text: str) -> str:
        return re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: self.inputs[found[1]], text)

    def _action(self, step: Mapping[str, Any], folder: Path) -> None:
        action, _, pin = step["uses"].partition("@")
        assert action in PLAYED
        assert re.fullmatch("[0-9a-f]{40}", pin), f"{action} is not pinned by commit"
        given = step.get("with", {})
        if action == "actions/checkout":
            assert given["persist-credentials"] is False
            shutil.copytree(self.repositories[given.get("repository", "")], folder / given["path"])
        elif action == "actions/upload-artifact":
            _copy(folder / given["path"], self.folder / "artifacts" / given["name"])
        elif action == "actions/download-artifact":
            _copy(self.folder / "artifacts" / given["name"], folder / given.get("path", "."))


def _copy(source: Path, target: Path) -> None:
    """The file, or the content of the folder, into the folder `target`."""
    target.mkdir(parents=True, exist_ok=True)
    for path in [source] if source.is_file() else source.iterdir():
        if path.name.startswith("."):
            continue
        if path.is_dir():
            _copy(path, target / path.name)
        else:
            shutil.copyfile(path, target / path.name)
