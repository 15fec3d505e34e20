"""The page on choosing rules: each command that it shows is typed, and does what it shows."""

from pathlib import Path

from in_toto_done_receipt.admission.catalogue import load_catalogue
from tests.cli.test_docs import DOCS, bin_folder, steps, transcript, typed_in

__all__ = ["bin_folder"]

PAGE = DOCS / "how-to" / "choose-rules.md"


def test_the_page_on_choosing_rules_does_what_it_shows(tmp_path: Path, bin_folder: Path) -> None:
    wanted = steps(PAGE)
    assert len(wanted) > 12
    assert "\n".join(transcript(typed_in(tmp_path, bin_folder, wanted), wanted)) == ""


def test_it_names_every_collection_and_every_rule_that_only_warns() -> None:
    text, catalogue = PAGE.read_text(encoding="utf-8"), load_catalogue()
    warning = [rule.code for rule in catalogue.rules if rule.severity == "warning"]
    assert [name for name in (*catalogue.collections, *warning) if f"`{name}`" not in text] == []
