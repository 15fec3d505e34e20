"""A repository from a description: the same commits, and so the same ids, wherever and whenever it is built."""

from pathlib import Path
from typing import Any

from tests.repositories.build import Repo


def build_history(history: dict[str, Any], folder: Path) -> tuple[Repo, dict[str, str]]:
    """The repository in `folder/repo`, and the id of each named commit.

    A commit has `name`, `branch`, `files` (path to text, null deletes) and may have `from` (the name of the commit that
    its branch starts at), `links` (path to target) and `executable` (paths).
    """
    repo = Repo(folder / "repo", algorithm=history.get("algorithm", "sha1"))
    ids: dict[str, str] = {}
    for commit in history["commits"]:
        if "from" in commit:
            repo.git("checkout", "-q", "-B", commit["branch"], ids[commit["from"]])
        repo.write(commit.get("files", {}))
        for path, target in commit.get("links", {}).items():
            link = repo.path / path
            if link.is_dir() and not link.is_symlink():
                link.rmdir()  # what was in it, the commit takes out
            link.unlink(missing_ok=True)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(target)
        for path in commit.get("executable", ()):
            (repo.path / path).chmod(0o755)
        ids[commit["name"]] = repo.commit(message=commit["name"])
    for branch, name in history.get("branches", {}).items():
        repo.git("update-ref", f"refs/heads/{branch}", ids[name])
    if "worktree" in history:
        repo.git("checkout", "-q", "--detach")
        repo.git("worktree", "add", "-q", "--force", str(folder / "linked"), history["worktree"])
    return repo, ids


def filled(arguments: list[str], repo: Repo, ids: dict[str, str]) -> list[str]:
    """Command line words with `{repo}`, `{linked}` and `{NAME}` of a commit filled in."""
    return [word.format(repo=repo.path, linked=repo.path.parent / "linked", **ids) for word in arguments]
