"""Is this the identity the verifier trusts? Pure comparison over what a verified certificate says.

Certificate claims have the names that `gh attestation verify` prints (Fulcio, docs/oid-info.md).
"""

from collections.abc import Mapping
from typing import Final

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.trust.model import TextRule, TrustedIdentity
from in_toto_done_receipt.wire.paths import twin_key
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.value import Value

# Last number of the Fulcio OID 1.3.6.1.4.1.57264.1.N. Up to 6 the value is raw text, from 9 on a DER UTF8String.
CLAIM_NAMES: Final[Mapping[int, str]] = {
    2: "githubWorkflowTrigger",
    3: "githubWorkflowSHA",
    4: "githubWorkflowName",
    5: "githubWorkflowRepository",
    6: "githubWorkflowRef",
    9: "buildSignerURI",
    10: "buildSignerDigest",
    11: "runnerEnvironment",
    12: "sourceRepositoryURI",
    13: "sourceRepositoryDigest",
    14: "sourceRepositoryRef",
    15: "sourceRepositoryIdentifier",
    16: "sourceRepositoryOwnerURI",
    17: "sourceRepositoryOwnerIdentifier",
    18: "buildConfigURI",
    19: "buildConfigDigest",
    20: "buildTrigger",
    21: "runInvocationURI",
    22: "sourceRepositoryVisibilityAtSigning",
    # Newer than what gh prints; named in its manner.
    23: "deploymentEnvironment",
    24: "tokenSubject",
}

# A rule on one of these says which repository the work came from.
SOURCE_CLAIMS: Final = ("sourceRepositoryURI", "sourceRepositoryIdentifier", "githubWorkflowRepository")


class CertificateFacts(Value, kw_only=True):
    """What a certificate says; true only after `trust.certified` verified it."""

    subject: str
    issuer: str
    claims: Mapping[str, str]


def match_identities(facts: CertificateFacts, identities: tuple[TrustedIdentity, ...]) -> tuple[TrustedIdentity, ...]:
    """The trusted identities that subject, issuer and every demanded claim fit; at least one.

    An entry that names subject and issuer exactly speaks for this certificate alone: with one such entry, expressions
    that happen to fit too are not asked, so that nobody is a second principal by a wider rule.

    When the subject is a shared builder's (a workflow of another repository than the certificate's source), an
    identity without a rule on the source repository does not fit: anybody can have a shared builder sign. Raises
    SignatureNotTrusted with the reason of the entry that came closest: identity, issuer, claims, shared_builder.
    """
    failures = []
    fitting = []
    for identity in _named(facts, identities) or identities:
        failure = _misfit(facts, identity)
        if failure is None:
            fitting.append(identity)
        else:
            failures.append(failure)
    if not fitting:
        raise max(failures, key=lambda failure: _CLOSENESS.index(failure.reason))
    return tuple(fitting)


def match_identity(facts: CertificateFacts, identities: tuple[TrustedIdentity, ...]) -> TrustedIdentity:
    """The first of `match_identities`."""
    return match_identities(facts, identities)[0]


def _named(facts: CertificateFacts, identities: tuple[TrustedIdentity, ...]) -> tuple[TrustedIdentity, ...]:
    """The entries that name the certificate's subject and issuer exactly, whatever else they demand."""
    return tuple(
        identity
        for identity in identities
        if identity.subject.exact
        and identity.issuer.exact
        and identity.subject.matches(facts.subject)
        and identity.issuer.matches(facts.issuer)
    )


_CLOSENESS: Final = ("signature.identity", "signature.issuer", "signature.claims", "signature.shared_builder")


def _misfit(facts: CertificateFacts, identity: TrustedIdentity) -> SignatureNotTrusted | None:
    if not identity.subject.matches(facts.subject):
        return SignatureNotTrusted(
            f"certificate identity is {shown(facts.subject)}, trusted is {_wanted(identity.subject)}",
            reason="signature.identity",
            hint=_near_miss(facts.subject, identity.subject),
        )
    if not identity.issuer.matches(facts.issuer):
        return SignatureNotTrusted(
            f"certificate issuer is {shown(facts.issuer)}, trusted is {_wanted(identity.issuer)}",
            reason="signature.issuer",
            hint=_near_miss(facts.issuer, identity.issuer),
        )
    for name, rules in identity.claim_rules:
        got = facts.claims.get(name)
        if got is None or not any(rule.matches(got) for rule in rules):
            says = "absent" if got is None else shown(got)
            wanted = " or ".join(_wanted(rule) for rule in rules)
            return SignatureNotTrusted(
                f"certificate claim {name} is {says}, demanded is {wanted}",
                reason="signature.claims",
                hint=next((hint for rule in rules if (hint := _near_miss(got or "", rule))), None),
            )
    return _shared_builder_misfit(facts, identity)


def _shared_builder_misfit(facts: CertificateFacts, identity: TrustedIdentity) -> SignatureNotTrusted | None:
    builders = {found for uri in (facts.subject, facts.claims.get("buildSignerURI", "")) if (found := repository(uri))}
    if not builders or any(name in SOURCE_CLAIMS for name, _ in identity.claim_rules):
        return None
    source = _source_repository(facts, builders)
    if source is not None and builders == {source}:
        return None
    builder = min(found for found in builders if found != source)
    came_from = "an unnamed repository" if source is None else shown(source)
    return SignatureNotTrusted(
        f"the identity is a builder in {shown(builder)}, used by {came_from}, and no source repository is demanded",
        reason="signature.shared_builder",
        hint="demand one with --certificate-source-repository, or claims.sourceRepositoryURI in the trust file",
    )


def repository(uri: str) -> str | None:
    """The repository that a workflow's URI lies in, in lower case as forges compare it; None if it shows none.

    GitHub: `https://HOST/OWNER/REPO/.github/workflows/FILE@REF`; GitLab: `https://HOST/GROUP/PROJECT//FILE@REF`.
    """
    scheme, separator, rest = uri.partition("://")
    if scheme != "https" or not separator:
        return None
    path = rest.partition("@")[0]
    for mark in ("/.github/workflows/", "//"):
        before, found, _ = path.partition(mark)
        if found and before.count("/") >= 2:
            return f"https://{before}".lower()
    return None


def _source_repository(facts: CertificateFacts, builders: set[str]) -> str | None:
    uri = facts.claims.get("sourceRepositoryURI")
    if uri is not None:
        return uri.removesuffix("/").lower()
    short = facts.claims.get("githubWorkflowRepository")  # OWNER/REPO in certificates from before 2023
    if short is None:
        return None
    host = min(builders).split("/")[2]
    return f"https://{host}/{short}".lower()


def _near_miss(got: str, rule: TextRule) -> str | None:
    """A hint when the two mean the same to people: no rule overlooks case or a slash, since no standard says so."""
    same = rule.exact and twin_key(got.removesuffix("/")) == twin_key(rule.text.removesuffix("/"))
    return "they differ only in case or a slash at the end: write it as the certificate has it" if same else None


def _wanted(rule: TextRule) -> str:
    return ("matching " if rule.pattern else "") + shown(rule.text)


def shown(text: str) -> str:
    """A subject or claim in a message: whole, since its end often is what differs, and quoted if it is not plain."""
    return text if text.isascii() and text.isprintable() and " " not in text and len(text) <= 400 else quote(text)
