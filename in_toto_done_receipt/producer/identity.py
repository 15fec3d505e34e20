"""Signing identities that lie about in an environment: what must not be near evidence while it runs."""

from collections.abc import Mapping
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError

OVERRIDE: Final = "identity-near-evidence"

# Whoever reads one of these can sign as this job: tokens, and where tokens and credentials are to be had. Every source
# that the library for ambient tokens asks (`id`), and what the services of `--signer` are opened with.
AMBIENT_VARIABLES: Final = (
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",  # GitHub Actions, with `id-token: write`
    "ACTIONS_ID_TOKEN_REQUEST_URL",
    "SIGSTORE_ID_TOKEN",  # GitLab and everybody who follows the Sigstore clients
    "CI_JOB_JWT",  # GitLab before 17
    "CI_JOB_JWT_V1",
    "CI_JOB_JWT_V2",
    "BUILDKITE_AGENT_ACCESS_TOKEN",  # with it the agent's program hands out tokens
    "BUILDKITE_AGENT_JOB_API_TOKEN",
    "CIRCLE_OIDC_TOKEN",
    "CIRCLE_OIDC_TOKEN_V2",
    "SYSTEM_OIDCREQUESTURI",  # Azure Pipelines
    "BITBUCKET_STEP_OIDC_TOKEN",
    "GOOGLE_SERVICE_ACCOUNT_NAME",  # an account to act as, through the machine's metadata service
    "GOOGLE_APPLICATION_CREDENTIALS",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AZURE_CLIENT_SECRET",
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "AZURE_PASSWORD",
    "AZURE_FEDERATED_TOKEN_FILE",
    "IDENTITY_HEADER",  # Azure, managed identity
    "MSI_SECRET",
    "VAULT_TOKEN",
    "COSIGN_PASSWORD",
    "COSIGN_PRIVATE_KEY",
    "COSIGN_PKCS11_PIN",
)


def ambient_identity(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the variables that are set and not empty; never their values."""
    return tuple(name for name in AMBIENT_VARIABLES if environ.get(name))


def refuse_identity(environ: Mapping[str, str], *, hint: str) -> None:
    """Whoever is about to run evidence asks this first, unless told by name not to (`OVERRIDE`).

    Raises ConfigurationError, which names the variables and not what they hold. Not seen: identities that no variable
    tells of, as the metadata service of a machine in a cloud.
    """
    found = ambient_identity(environ)
    if found:
        raise ConfigurationError(
            f"a signing identity is in the environment ({', '.join(found)}), and evidence would run beside it",
            hint=f"{hint}, or add --override {OVERRIDE}",
        )
