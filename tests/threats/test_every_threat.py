"""Every line of the list of threats has a file here."""

import re
from pathlib import Path

HERE = Path(__file__).parent
DIRECTORY = {*range(1, 6), 7, 11, 12, 14, 15, 16, 17, 18, 19, *range(24, 31), *range(32, 42), 44, 45, 49, 50}
TESTS = {9, 10, 42, 48}  # and the half of 5, 49 and 50 that runs tests
GIT = {6, 8, 13, 20, 21, 22, 23, 31, 43, 46, 47}  # and the half of 7, 11, 12, 25 and 40 that takes a base


def test_every_threat_has_a_file() -> None:
    assert {int(path.name.split("_")[1]) for path in HERE.glob("test_[0-9]*.py")} == DIRECTORY | GIT | TESTS


def test_every_test_here_is_named_by_its_threat() -> None:
    for path in HERE.glob("test_[0-9]*.py"):
        number = path.name.split("_")[1]
        names = re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert names, path.name
        assert [name for name in names if not name.startswith(f"test_threat_{number}_")] == [], path.name
