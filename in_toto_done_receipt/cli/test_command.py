"""The test command of a profile, held against what its runner can honour."""

from in_toto_done_receipt.errors import ConfigurationError, ProfileError
from in_toto_done_receipt.profile.settings import Settings


def check_test_command(settings: Settings) -> None:
    """A test command that its runner cannot honour is an error before anything is looked at. Raises ProfileError."""
    if settings.tests is None:
        return
    from in_toto_done_receipt.observe.runners.registry import check_command  # loads the runner

    try:
        check_command(settings.tests.runner, settings.tests.argv)
    except ConfigurationError as error:
        where = f"{settings.origins.get('tests', 'profile')}: tests.argv"
        raise ProfileError(f"{where}: {error.message}", hint=error.hint) from None
