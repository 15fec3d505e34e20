"""Each absent layer comes with what to do."""

from pathlib import Path

import pytest

from in_toto_done_receipt.observe.sandbox import remedies
from in_toto_done_receipt.observe.sandbox.remedies import IN_CONTAINER, INSTALL, REMEDIES, remedy
from in_toto_done_receipt.results.model import Layer, SandboxLevel


def absent(name: str, detail: str = "") -> Layer:
    return Layer(name=name, active=False, detail=detail)


@pytest.mark.parametrize("name", ["bubblewrap", *REMEDIES])
def test_an_active_layer_needs_none(name: str) -> None:
    assert remedy(Layer(name=name, active=True), "rlimits") is None


@pytest.mark.parametrize("name", REMEDIES)
def test_an_absent_layer_has_one(name: str) -> None:
    assert remedy(absent(name), "rlimits") == REMEDIES[name]


@pytest.mark.parametrize(
    ("level", "needed"), [("bubblewrap", False), ("landlock", True), ("rlimits", True)], ids=lambda value: str(value)
)
def test_a_lower_level_is_not_missed(level: SandboxLevel, needed: bool) -> None:
    assert (remedy(absent("landlock"), level) is not None) == (needed)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"kernel/unprivileged_userns_clone": "0\n"}, "sysctl kernel.unprivileged_userns_clone=1"),
        ({"user/max_user_namespaces": "0\n"}, "sysctl user.max_user_namespaces=15000"),
        ({"kernel/apparmor_restrict_unprivileged_userns": "1\n"}, "AppArmor"),
        ({"user/max_user_namespaces": "95000\n"}, "try `bwrap"),
        ({}, "try `bwrap"),
    ],
)
def test_bubblewrap_by_what_the_kernel_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], said: str
) -> None:
    monkeypatch.setattr(remedies, "CONTAINERS", ())
    for name, value in settings.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(value)
    found = remedy(absent("bubblewrap", "the self-test ended with 1"), "landlock", settings=tmp_path)
    assert found is not None
    assert said in found


def test_bubblewrap_that_is_not_there(tmp_path: Path) -> None:
    assert remedy(absent("bubblewrap", "no bwrap at /usr/bin/bwrap"), "rlimits", settings=tmp_path) == INSTALL


def test_bubblewrap_in_a_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedies, "CONTAINERS", (tmp_path,))
    assert remedy(absent("bubblewrap", "refused"), "rlimits", settings=tmp_path) == IN_CONTAINER
