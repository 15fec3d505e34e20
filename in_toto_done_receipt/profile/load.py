"""Read acceptance.toml: types first, then what types cannot say, each fault naming the place."""

from typing import Final, get_args

from in_toto_done_receipt.errors import ProfileError
from in_toto_done_receipt.profile.check import check_profile
from in_toto_done_receipt.profile.model import Collection, Profile
from in_toto_done_receipt.wire.config import read_config

COLLECTIONS: Final[tuple[str, ...]] = get_args(Collection)  # weakest first: each adds to the one before


def load_profile(data: bytes, *, what: str) -> Profile:
    """The profile in these bytes. `what` names the file in messages. Raises ProfileError.

    Does not check that the rules which it names exist: `admission` knows them.
    """
    profile = read_config(data, Profile, what=what, error=ProfileError, lists_say_something=True)
    check_profile(profile, what)
    return profile
