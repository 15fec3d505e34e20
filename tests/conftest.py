"""For every test: no network but loopback where asked for, no home, no surroundings, fixed examples in CI."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parents[1]
CI = bool(os.environ.get("CI"))

settings.register_profile("default", max_examples=100, deadline=None)
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True, print_blob=True, database=None)
settings.register_profile("campaign", max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if CI else "default"))

# What a person's shell, a git hook or a CI job may have set, and what a test that needs it sets for itself.
SURROUNDINGS = (
    "GIT_",
    "XDG_",
    "SIGSTORE_",
    "ACTIONS_ID_TOKEN_",
    "COSIGN_",
    "AWS_",
    "AZURE_",
    "GOOGLE_",
    "VAULT_",
    "BUILDKITE",
    "NO_COLOR",
    "FORCE_COLOR",
    "SSL_CERT_",
)
PROXIES = tuple(f"{scheme}_proxy" for scheme in ("http", "https", "all", "no"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("loopback"):
            item.add_marker(pytest.mark.allow_hosts(["127.0.0.1", "::1"]))


@pytest.fixture(scope="session", autouse=True)
def no_home() -> Iterator[None]:
    """HOME is a place where nothing can be read or made, not even by root; the surroundings are gone."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(SURROUNDINGS) or name.lower() in PROXIES:
                patch.delenv(name)
        patch.setenv("HOME", "/dev/null")
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` beside the checkout (or $SHARED) with large real files; a CI run must have it."""
    folder = Path(os.environ.get("SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        reason = f"needs real files in {folder}, which does not exist"
        if CI:
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def tool() -> Callable[[str], Path]:
    """The path of a tool that `make tools` built; for tests marked `integration`."""

    def find(name: str) -> Path:
        path = ROOT / ".tools" / "bin" / name
        if not path.is_file():
            pytest.fail(f"{name} is missing: run `make tools`")
        return path

    return find
