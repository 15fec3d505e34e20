"""What counts as an identity in an environment."""

import pytest

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.producer.identity import AMBIENT_VARIABLES, ambient_identity, refuse_identity


@pytest.mark.parametrize("name", AMBIENT_VARIABLES)
def test_each_is_found_by_name_only(name: str) -> None:
    assert ambient_identity({name: "sesame", "PATH": "/bin"}) == (name,)


def test_an_empty_one_is_none() -> None:
    assert ambient_identity({"SIGSTORE_ID_TOKEN": "", "HOME": "/"}) == ()


def test_a_refusal_names_the_variables_and_not_what_they_hold() -> None:
    with pytest.raises(ConfigurationError) as caught:
        refuse_identity({"VAULT_TOKEN": "sesame", "CIRCLE_OIDC_TOKEN": "open"}, hint="go elsewhere")
    assert caught.value.message == (
        "a signing identity is in the environment (CIRCLE_OIDC_TOKEN, VAULT_TOKEN), and evidence would run beside it"
    )
    assert caught.value.hint == "go elsewhere, or add --override identity-near-evidence"


def test_without_an_identity_there_is_no_refusal() -> None:
    refuse_identity({"PATH": "/bin", "VAULT_TOKEN": ""}, hint="go elsewhere")
