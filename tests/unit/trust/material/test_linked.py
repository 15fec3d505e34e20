"""Chains of a root that are proved once, when it is loaded; all others are proved with every certificate."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.x509.oid import ExtendedKeyUsageOID

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.trust.material.anchors import Anchors, Authority, Validity, _linked
from in_toto_done_receipt.trust.material.chain import issuers
from tests.forge.authority import named
from tests.forge.keys import derived

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
NOT_MEANT = (
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "crl_sign",
    "encipher_only",
    "decipher_only",
)


def issue(name: str, issuer: str, *, signed_by: str | None = None, ca: bool = True, **what: Any) -> x509.Certificate:
    """A certificate of `name` by `issuer`; both are the names of their keys."""
    start, end = what.get("valid", (NOW - 9 * DAY, NOW + 9 * DAY))
    public, private = derived("P-256", name).public_key(), derived("P-256", signed_by or issuer)
    usage = dict.fromkeys(NOT_MEANT, False)
    signs = what.get("signs", ca)
    builder = (
        x509.CertificateBuilder()
        .subject_name(named(name))
        .issuer_name(named(issuer))
        .public_key(public)
        .serial_number(len(name) + 1)
        .not_valid_before(start)
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca, what.get("below")), critical=True)
        .add_extension(x509.KeyUsage(digital_signature=not ca, key_cert_sign=signs, **usage), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(private.public_key()), critical=False)
    )
    if not ca:
        san = x509.SubjectAlternativeName([x509.UniformResourceIdentifier(what.get("uri", "https://a.example/x"))])
        builder = builder.add_extension(san, critical=False)  # there is a subject
        builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
    if "permitted" in what:
        names = [x509.UniformResourceIdentifier(what["permitted"])]
        builder = builder.add_extension(x509.NameConstraints(names, None), critical=True)
    return builder.sign(private, hashes.SHA256())


ROOT, MIDDLE = issue("root", "root"), issue("middle", "root")
LEAF = issue("leaf", "middle", ca=False)

CHAINS: dict[str, tuple[Sequence[x509.Certificate], bool]] = {
    "a root": ([ROOT], True),
    "an intermediate and a root": ([MIDDLE, ROOT], True),
    "two intermediates": ([issue("low", "middle"), MIDDLE, ROOT], True),
    "exactly as many as are allowed": ([issue("middle", "root", below=0), issue("root", "root", below=1)], True),
    "one more than is allowed": ([MIDDLE, issue("root", "root", below=0)], False),
    "signed by somebody else": ([issue("middle", "root", signed_by="other"), ROOT], False),
    "issued by another name": ([issue("middle", "other", signed_by="root"), ROOT], False),
    "in another order": ([ROOT, MIDDLE], False),
    "no authority": ([issue("middle", "root", ca=False), ROOT], False),
    "an authority that may not sign": ([issue("middle", "root", signs=False), ROOT], False),
    "with conditions on names": ([issue("middle", "root", permitted="a.example"), ROOT], False),
    "with conditions on names at the root": ([MIDDLE, issue("root", "root", permitted="a.example")], False),
}


@pytest.mark.parametrize(("chain", "linked"), CHAINS.values(), ids=CHAINS)
def test_what_is_proved_once(chain: Sequence[x509.Certificate], linked: bool) -> None:
    assert _linked(tuple(chain)) is linked


def asked(leaf: x509.Certificate, *chain: x509.Certificate, linked: bool, at: datetime = NOW) -> bool:
    """Whether the chain issued the leaf."""
    authority = Authority(where="x", chain=chain, valid=Validity(start=NOW - 99 * DAY, end=None), linked=linked)
    anchors = Anchors(name="x", logs=(), certificate_logs=(), authorities=(authority,), timestamp_authorities=())
    try:
        return issuers(leaf, anchors, [at]) == (chain[0],)
    except SignatureNotTrusted:
        return False


VALID = (NOW - DAY, NOW)
CASES: dict[str, tuple[x509.Certificate, Sequence[x509.Certificate], bool]] = {
    "good": (LEAF, [MIDDLE, ROOT], True),
    "a stranger's leaf": (issue("leaf", "middle", signed_by="other", ca=False), [MIDDLE, ROOT], False),
    "an intermediate that ends at this moment": (LEAF, [issue("middle", "root", valid=VALID), ROOT], True),
    "a root that ends at this moment": (LEAF, [MIDDLE, issue("root", "root", valid=VALID)], True),
    "an intermediate that had ended": (LEAF, [issue("middle", "root", valid=(NOW - 2 * DAY, NOW - DAY)), ROOT], False),
    "an intermediate that had not begun": (
        LEAF,
        [issue("middle", "root", valid=(NOW + DAY, NOW + 2 * DAY)), ROOT],
        False,
    ),
    "a root that had ended": (LEAF, [MIDDLE, issue("root", "root", valid=(NOW - 2 * DAY, NOW - DAY))], False),
    "a root that had not begun": (LEAF, [MIDDLE, issue("root", "root", valid=(NOW + DAY, NOW + 2 * DAY))], False),
}


@pytest.mark.parametrize("linked", [True, False], ids=["proved once", "proved again"])
@pytest.mark.parametrize(("leaf", "chain", "good"), CASES.values(), ids=CASES)
def test_both_ways_come_to_the_same(
    leaf: x509.Certificate, chain: Sequence[x509.Certificate], good: bool, linked: bool
) -> None:
    assert asked(leaf, *chain, linked=linked) is good


def test_a_chain_that_does_not_hold_is_never_believed() -> None:
    """What was not proved when the root was loaded is proved then, and fails."""
    for name, (chain, linked) in CHAINS.items():
        if not linked and chain[0].subject == MIDDLE.subject and "conditions" not in name:
            assert not asked(LEAF, *chain, linked=_linked(tuple(chain))), name


def test_conditions_on_names_are_not_overlooked() -> None:
    """The library knows no conditions on URIs, and so takes none of the certificates."""
    middle = issue("middle", "root", permitted="a.example")
    inside, outside = (
        issue("leaf", "middle", ca=False, uri=f"https://{host}/x") for host in ("a.example", "b.example")
    )
    for leaf in (inside, outside):
        assert not asked(leaf, middle, ROOT, linked=_linked((middle, ROOT)))
