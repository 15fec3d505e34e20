"""The flags of `verify` that say whom to trust, without a trust file. Their names are cosign's and gh's."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import UsageError
from in_toto_done_receipt.trust.file import Read, checked_policy, read_named
from in_toto_done_receipt.trust.keys import load_key
from in_toto_done_receipt.trust.model import ClaimRules, TextRule, TrustedIdentity, TrustedKey, TrustPolicy
from in_toto_done_receipt.trust.root import read_root
from in_toto_done_receipt.trust.rules import STRANGE_ISSUERS, STRANGERS, text_rule
from in_toto_done_receipt.wire.pointer import quote

SOURCE_FLAG: Final = "--certificate-source-repository"
# Flags that demand a claim of the certificate exactly. cosign's, then gh's.
CLAIM_FLAGS: Final[Mapping[str, str]] = {
    SOURCE_FLAG: "sourceRepositoryURI",
    "--certificate-github-workflow-name": "githubWorkflowName",
    "--certificate-github-workflow-ref": "githubWorkflowRef",
    "--certificate-github-workflow-repository": "githubWorkflowRepository",
    "--certificate-github-workflow-sha": "githubWorkflowSHA",
    "--certificate-github-workflow-trigger": "githubWorkflowTrigger",
    "--source-digest": "sourceRepositoryDigest",
    "--source-ref": "sourceRepositoryRef",
    "--signer-digest": "buildSignerDigest",
}
_HOSTED: Final = ("runnerEnvironment", (TextRule(text="github-hosted"),))  # of --deny-self-hosted-runners

_IDENTITY_FLAGS: Final = ("--certificate-identity", "--certificate-identity-regexp")
_ISSUER_FLAGS: Final = ("--certificate-oidc-issuer", "--certificate-oidc-issuer-regexp")


def from_flags(
    *,
    read: Read,
    trusted_keys: tuple[str, ...] = (),
    certificate_identity: str | None = None,
    certificate_identity_regexp: str | None = None,
    certificate_oidc_issuer: str | None = None,
    certificate_oidc_issuer_regexp: str | None = None,
    claims: Mapping[str, str] | None = None,
    deny_self_hosted_runners: bool = False,
    trusted_root: Path | None = None,
    threshold: int | None = None,
) -> TrustPolicy:
    """The policy that the flags of `verify` say.

    Each of `trusted_keys` is NAME=PATH, and NAME is the principal; `claims` are values by the flags of CLAIM_FLAGS.
    Raises UsageError for flags that are empty, contradict each other or lack a partner; TrustError for a key or a root
    that cannot be used.
    """
    keys = tuple(_key(text, read) for text in trusted_keys)
    identity = _identity(
        text_rule(certificate_identity, certificate_identity_regexp, _IDENTITY_FLAGS, STRANGERS, UsageError),
        text_rule(certificate_oidc_issuer, certificate_oidc_issuer_regexp, _ISSUER_FLAGS, STRANGE_ISSUERS, UsageError),
        _rules(claims or {}, deny_self_hosted_runners),
    )
    if identity is not None and trusted_root is None:
        raise UsageError(
            "a certificate identity is trusted without --trusted-root",
            hint="a certificate is only worth what its root is; there is no built-in or cached one",
        )
    if trusted_root is not None and identity is None:
        raise UsageError(
            "--trusted-root without --certificate-identity and --certificate-oidc-issuer",
            hint="a key that demands a log entry or a timestamp needs a trust file",
        )
    if not keys and identity is None:
        raise UsageError(
            "nobody is trusted", hint="use --trust, --trusted-key NAME=PEM, --certificate-identity, or --unsigned"
        )
    root = None
    if trusted_root is not None:
        root = read_root(read_named(trusted_root, "--trusted-root", read), name=str(trusted_root))
    wanted = 1 if threshold is None else threshold
    return checked_policy(keys, () if identity is None else (identity,), root, wanted, "--threshold", UsageError)


def _key(text: str, read: Read) -> TrustedKey:
    name, separator, path = text.partition("=")
    if not separator or not name or not path:
        raise UsageError(f"--trusted-key: expected NAME=PEM, got {quote(text)}", hint="NAME is who the key belongs to")
    what = f"--trusted-key {quote(name)}"
    return load_key(read_named(Path(path), what, read), name=name, what=f"{what}: {path}")


def _rules(claims: Mapping[str, str], hosted: bool) -> ClaimRules:
    for flag, value in claims.items():
        if not value:
            raise UsageError(f"{flag}: is empty")
    if "://" not in claims.get(SOURCE_FLAG, "://"):
        raise UsageError(
            f"{SOURCE_FLAG}: expected a URL, got {quote(claims[SOURCE_FLAG])}",
            hint="as the certificate has it: https://github.com/OWNER/REPO",
        )
    rules = [(CLAIM_FLAGS[flag], (TextRule(text=value),)) for flag, value in claims.items()]
    return tuple(sorted([*rules, _HOSTED] if hosted else rules))


def _identity(subject: TextRule | None, issuer: TextRule | None, rules: ClaimRules) -> TrustedIdentity | None:
    if subject is None and issuer is None and not rules:
        return None
    if subject is None or issuer is None:
        missing = _ISSUER_FLAGS if issuer is None else _IDENTITY_FLAGS
        raise UsageError(
            f"{missing[0]} is missing",
            hint="identity and issuer together name somebody; another issuer can say anything",
        )
    return TrustedIdentity(name=subject.text, principal=subject.text, subject=subject, issuer=issuer, claim_rules=rules)
