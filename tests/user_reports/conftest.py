"""The desk of tests/advisories: a Sigstore of the test's own, bundles, the real command."""

from tests.advisories.conftest import court, forge

__all__ = ["court", "forge"]
