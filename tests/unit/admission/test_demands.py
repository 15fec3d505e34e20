"""What is demanded, from the collection and the profile."""

from typing import Any

import pytest

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.demands import demanded
from in_toto_done_receipt.errors import ConfigurationError

CATALOGUE = load_catalogue()


def test_the_collection_is_demanded_in_order(settings: dict[str, Any]) -> None:
    bare = {**settings, "evidence": [], "agent": None, "usage": None}
    assert demanded(CATALOGUE, bare) == CATALOGUE.collections["minimal"]


def test_the_profile_adds_demands(admitted: dict[str, Any]) -> None:
    assert list(demanded(CATALOGUE, admitted["profile"])) == admitted["demanded"]


def test_unsigned_drops_the_signer_and_nothing_else(settings: dict[str, Any]) -> None:
    signed = demanded(CATALOGUE, settings)
    unsigned = demanded(CATALOGUE, {**settings, "unsigned": True})
    assert set(signed) - set(unsigned) == {"signature.trusted"}


def test_each_piece_of_evidence_is_demanded_once(settings: dict[str, Any]) -> None:
    twice = {**settings, "evidence": settings["evidence"] * 2}
    assert demanded(CATALOGUE, twice) == demanded(CATALOGUE, settings)


def test_an_unknown_collection_is_unavailable(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="collection release is not available in this version") as caught:
        demanded(CATALOGUE, {**settings, "collection": "release"})
    assert caught.value.hint == "available: minimal"
