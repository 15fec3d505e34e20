"""The verifier's limits in the form in which `observe` takes them."""

from typing import TYPE_CHECKING

from in_toto_done_receipt.profile.settings import Settings

if TYPE_CHECKING:
    from in_toto_done_receipt.observe.manifest.model import ManifestLimits
    from in_toto_done_receipt.observe.sandbox.model import CommandLimits, CopyLimits


def manifest_limits(settings: Settings) -> "ManifestLimits":
    """Bounds of a scan and of a manifest file."""
    from in_toto_done_receipt.observe.manifest.model import ManifestLimits

    limits = settings.limits
    return ManifestLimits(
        entries=limits["manifest-entries"],
        depth=limits["manifest-depth"],
        file_bytes=limits["manifest-file-bytes"],
        total_bytes=limits["manifest-total-bytes"],
        manifest_bytes=limits["manifest-bytes"],
    )


def command_limits(settings: Settings, *, seconds: float, stream_bytes: int) -> "CommandLimits":
    """Bounds of one command, or of one run of the tests: `command-*`, but for these two."""
    from in_toto_done_receipt.observe.sandbox.model import CommandLimits

    limits = settings.limits
    return CommandLimits(
        seconds=seconds,
        stream_bytes=stream_bytes,
        processes=limits["command-processes"],
        total_memory=limits["command-memory-bytes"],
        disk_bytes=limits["command-disk-bytes"],
        disk_files=limits["command-disk-files"],
    )


def copy_limits(settings: Settings) -> "CopyLimits":
    """Bounds of the copy that a command runs in."""
    from in_toto_done_receipt.observe.sandbox.model import CopyLimits

    return CopyLimits(entries=settings.limits["copy-entries"], total_bytes=settings.limits["copy-bytes"])
