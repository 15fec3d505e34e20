"""One authority that counts twice."""

import pytest

from testdata.receipts import generate
from tests.advisories.conftest import Court, statement
from tests.forge.keys import pem
from tests.forge.plan import Lies

HEAD = 'version = 1\nthreshold = 2\n[sigstore]\ntrustedRoot = "root.json"\n'
PERSON = """[[identity]]
name = "{name}"
principal = "{principal}"
subject = "{subject}"
issuer = "https://accounts.example.org"
"""
KEY = """[[key]]
name = "{name}"
principal = "{principal}"
path = "{path}"
"""
TRUST = ["--trust", "trust.toml"]


def person(name: str, subject: str = "dev@example.org", principal: str = "") -> str:
    return PERSON.format(name=name, principal=principal or name, subject=subject)


def test_two_people_are_two(court: Court) -> None:
    court.write("trust.toml", HEAD + person("dev") + person("rev", "rev@example.org"))
    both = court.bundle(), court.bundle(identity="rev@example.org", signer="other", index=5)
    assert court.judge(*both, trust=TRUST).code == 0


PEOPLE = {
    "one entry": person("dev"),
    "two entries of one identity": person("dev") + person("again"),
    "two identities of one principal": person("dev") + person("rev", "rev@example.org", principal="dev"),
}


@pytest.mark.parametrize("people", PEOPLE.values(), ids=PEOPLE)
def test_cve_2026_49834_one_identity_with_two_certificates_is_one(court: Court, people: str) -> None:
    court.write("trust.toml", HEAD + people + person("absent", "absent@example.org"))
    twice = court.bundle(), court.bundle(signer="other", index=5)
    court.refused(*twice, trust=TRUST, reason="signature.threshold")
    by_two_names = court.bundle(), court.bundle(identity="rev@example.org", signer="other", index=5)
    court.refused(*by_two_names, trust=TRUST, reason="signature.threshold")


def test_cve_2026_49834_one_signature_in_two_logs_is_one(court: Court) -> None:
    court.write("trust.toml", HEAD + person("dev") + person("again", "again@example.org"))
    court.refused(court.bundle(rekor="v1"), court.bundle(rekor="v2"), trust=TRUST, reason="signature.threshold")
    court.refused(court.bundle(), court.bundle(index=5), trust=TRUST, reason="signature.threshold")


def test_cve_2026_49834_two_entries_of_one_log_are_no_second_witness(court: Court) -> None:
    court.write("trust.toml", HEAD + person("dev") + person("again", "again@example.org"))
    court.refused(court.bundle(entries=2), trust=TRUST, reason=None)


def test_cve_2026_49834_two_promises_of_one_certificate_log_are_refused(court: Court) -> None:
    court.refused(court.bundle(lies=Lies(scts=2)), reason="signature.unsupported")


def test_cve_2026_49834_a_key_and_an_identity_of_one_principal_are_one(court: Court) -> None:
    court.write("worker.pub", generate.public_pem("worker"))
    one = KEY.format(name="laptop", principal="dev", path="worker.pub")
    court.write("trust.toml", HEAD + person("dev") + one + person("absent", "absent@example.org"))
    pair = court.bundle(), generate.envelope(statement())
    court.refused(*pair, trust=TRUST, reason="signature.threshold")
    two = KEY.format(name="laptop", principal="worker", path="worker.pub")
    court.write("trust.toml", HEAD + person("dev") + two)
    assert court.judge(*pair, trust=TRUST).code == 0


def test_cve_2026_49834_one_key_in_an_envelope_and_a_bundle_is_one(court: Court) -> None:
    key = court.forge.key("worker")
    court.write("worker.pub", pem(key.public_key()).decode())
    entries = KEY.format(name="worker", principal="worker", path="worker.pub")
    court.write("trust.toml", HEAD + entries + person("dev"))
    bundle = court.managed()
    court.refused(bundle, bundle["dsseEnvelope"], trust=TRUST, reason="signature.threshold")
    court.refused(bundle, court.managed(rekor="v1"), trust=TRUST, reason="signature.threshold")
    assert court.judge(bundle, court.bundle(), trust=TRUST).code == 0


def test_cve_2026_49834_one_key_under_two_names_is_an_error(court: Court) -> None:
    court.write("worker.pub", generate.public_pem("worker"))
    entries = "".join(KEY.format(name=name, principal=name, path="worker.pub") for name in ("one", "two"))
    court.write("trust.toml", HEAD + entries + person("dev"))
    assert court.judge(generate.envelope(statement()), trust=TRUST).code == 4
