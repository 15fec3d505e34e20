"""What counts as an identity in an environment."""

import pytest

from in_toto_done_receipt.producer.identity import AMBIENT_VARIABLES, ambient_identity


@pytest.mark.parametrize("name", AMBIENT_VARIABLES)
def test_each_is_found_by_name_only(name: str) -> None:
    assert ambient_identity({name: "sesame", "PATH": "/bin"}) == (name,)


def test_an_empty_one_is_none() -> None:
    assert ambient_identity({"SIGSTORE_ID_TOKEN": "", "HOME": "/"}) == ()
