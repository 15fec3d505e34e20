"""Signing identities that lie about in an environment: what must not be near evidence while it runs."""

from collections.abc import Mapping
from typing import Final

OVERRIDE: Final = "identity-near-evidence"

# Whoever reads one of these can sign as this job: tokens, and where tokens are to be had.
AMBIENT_VARIABLES: Final = (
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",  # GitHub Actions, with `id-token: write`
    "ACTIONS_ID_TOKEN_REQUEST_URL",
    "SIGSTORE_ID_TOKEN",  # GitLab and everybody who follows the Sigstore clients
    "CI_JOB_JWT",  # GitLab before 17
    "CI_JOB_JWT_V1",
    "CI_JOB_JWT_V2",
    "BUILDKITE_AGENT_ACCESS_TOKEN",
    "CIRCLE_OIDC_TOKEN",
    "CIRCLE_OIDC_TOKEN_V2",
    "SYSTEM_OIDCREQUESTURI",  # Azure Pipelines
    "BITBUCKET_STEP_OIDC_TOKEN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AZURE_FEDERATED_TOKEN_FILE",
    "COSIGN_PASSWORD",  # signer settings
    "COSIGN_PRIVATE_KEY",
    "COSIGN_PKCS11_PIN",
    "VAULT_TOKEN",
)


def ambient_identity(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the variables that are set and not empty; never their values."""
    return tuple(name for name in AMBIENT_VARIABLES if environ.get(name))
