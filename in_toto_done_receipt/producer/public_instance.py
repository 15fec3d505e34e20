"""The public instance of Sigstore, as its TUF repository describes it today. Needs the network; no test asks for it.

Updated from the root of trust that sigstore ships, in a folder that is gone afterwards: nothing is kept in HOME, and
nothing that lies there is believed.
"""

import tempfile
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.producer.calls import SHOWN_CHARACTERS
from in_toto_done_receipt.producer.signing_config import Instance, read_instance

REPOSITORY: Final = "https://tuf-repo-cdn.sigstore.dev"
_SHIPPED: Final = "https%3A%2F%2Ftuf-repo-cdn.sigstore.dev"
_TARGETS: Final = ("trusted_root.json", "signing_config.v0.2.json")


def shipped_root() -> bytes:
    """The TUF root of the public instance in the installed sigstore."""
    return resources.files("sigstore._store").joinpath(_SHIPPED, "root.json").read_bytes()


def fetch_instance(now: datetime, *, repository: str = REPOSITORY, root: bytes | None = None) -> Instance:
    """The instance that a TUF repository describes; `root` is the root of trust to start from (the shipped one).

    Raises ConfigurationError when the repository cannot be reached, or what it says is not signed as its root demands.
    """
    with tempfile.TemporaryDirectory(prefix="done-receipt-tuf-") as folder:
        try:
            trusted, signing = _download(repository, shipped_root() if root is None else root, folder)
        except Exception as error:  # noqa: BLE001 - TUF's errors, those of its HTTP library, of files: all mean the same
            text = str(error).partition("\n")[0][:SHOWN_CHARACTERS] or type(error).__name__
            raise ConfigurationError(
                f"the Sigstore instance at {repository} cannot be had: {text}",
                hint="--trust-config FILE names another instance, and needs no such download",
            ) from None
    return read_instance(
        signing_config=(f"{repository}/{_TARGETS[1]}", signing),
        trusted_root=(f"{repository}/{_TARGETS[0]}", trusted),
        now=now,
    )


def _download(repository: str, root: bytes, folder: str) -> tuple[bytes, ...]:
    from tuf.ngclient import Updater

    updater = Updater(
        metadata_dir=folder,
        metadata_base_url=repository,
        target_dir=folder,
        target_base_url=f"{repository}/targets/",
        bootstrap=root,
    )
    found = []
    for name in _TARGETS:
        target = updater.get_targetinfo(name)
        if target is None:
            raise ValueError(f"it has no {name}")
        found.append(Path(updater.download_target(target)).read_bytes())
    return tuple(found)
