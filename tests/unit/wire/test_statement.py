import json
from typing import Any

import pytest

from in_toto_done_receipt.errors import LimitExceeded, MalformedJson, MalformedStatement
from in_toto_done_receipt.wire.statement import Subject, read_statement

SHA256, SHA384, SHA512 = "ab" * 32, "cd" * 48, "ef" * 64


def payload(**changes: Any) -> bytes:
    members = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "a", "digest": {"sha256": SHA256}}],
        "predicateType": "https://example.com/p/v1",
        "predicate": {"x": 1},
    }
    return json.dumps({name: value for name, value in (members | changes).items() if value is not ...}).encode()


def with_subject(**changes: Any) -> bytes:
    members = {"name": "a", "digest": {"sha256": SHA256}} | changes
    return payload(subject=[{name: value for name, value in members.items() if value is not ...}])


def test_read_statement_reads_all_members() -> None:
    data = payload()
    read = read_statement(data)
    assert read.type == "https://in-toto.io/Statement/v1"
    assert read.subjects == (Subject(name="a", uri=None, digest={"sha256": SHA256}, index=0),)
    assert read.predicate_type == "https://example.com/p/v1"
    assert read.predicate == {"x": 1}
    assert read.tree == json.loads(data)
    assert read.unrecognized == ()


ACCEPTED: dict[str, bytes] = {
    "version 0.1": payload(_type="https://in-toto.io/Statement/v0.1"),
    "no predicate": payload(predicate=...),
    "empty predicate": payload(predicate={}),
    "predicate null": payload(predicate=None),
    "no name": with_subject(name=...),
    "empty name": with_subject(name=""),
    "every descriptor member": with_subject(
        uri="pkg:pypi/a@1", content="YQ==", downloadLocation="https://a", mediaType="text/plain", annotations={"n": [1]}
    ),
    "all accepted algorithms": with_subject(digest={"sha256": SHA256, "sha384": SHA384, "sha512": SHA512}),
    "no accepted algorithm": with_subject(digest={"gitCommit": "ab" * 20}),
    "same name twice": payload(subject=[{"name": "a", "digest": {"sha256": SHA256}}] * 2),
    "URN as predicate type": payload(predicateType="urn:example:p:v1"),
}


@pytest.mark.parametrize("data", ACCEPTED.values(), ids=ACCEPTED)
def test_read_statement_accepts_what_the_specification_allows(data: bytes) -> None:
    assert read_statement(data).subjects


def test_read_statement_lists_what_it_ignores() -> None:
    subject = {"name": "a", "digest": {"sha256": SHA256, "md5": "x", "SHA256": "y"}, "size": 3}
    read = read_statement(payload(subject=[subject], extra=None))
    assert read.unrecognized == ("/extra", "/subject/0/size", "/subject/0/digest/md5", "/subject/0/digest/SHA256")


MALFORMED: dict[str, tuple[bytes, str, str]] = {
    "not an object": (b"[]", "", "expected an object, got array"),
    "no type": (payload(_type=...), "", "required member _type is missing"),
    "a link": (payload(_type="link"), "/_type", 'got "link"'),
    "type with a slash more": (payload(_type="https://in-toto.io/Statement/v1/"), "/_type", "expected https"),
    "no predicate type": (payload(predicateType=...), "", "required member predicateType is missing"),
    "empty predicate type": (payload(predicateType=""), "/predicateType", 'expected a URI, got ""'),
    "predicate type without scheme": (
        payload(predicateType="cosign/attestation/v1"),
        "/predicateType",
        "expected a URI",
    ),
    "predicate type with a space": (payload(predicateType="https://a b"), "/predicateType", "expected a URI"),
    "predicate type with a line break": (payload(predicateType="https://a\n"), "/predicateType", "expected a URI"),
    "predicate array": (payload(predicate=[]), "/predicate", "expected object, got array"),
    "no subject": (payload(subject=...), "", "required member subject is missing"),
    "empty subject": (payload(subject=[]), "/subject", "expected at least one subject, got none"),
    "subject object": (payload(subject={}), "/subject", "expected array, got object"),
    "subject of another type": (payload(subject=["a"]), "/subject/0", "expected an object, got string"),
    "subject without digest": (with_subject(digest=...), "/subject/0", "required member digest is missing"),
    "content instead of digest": (with_subject(digest=..., content="YQ=="), "/subject/0", "member digest is missing"),
    "empty digest": (with_subject(digest={}), "/subject/0/digest", "at least one digest, got none"),
    "digest array": (with_subject(digest=[SHA256]), "/subject/0/digest", "expected object, got array"),
    "empty algorithm": (with_subject(digest={"": "x"}), "/subject/0/digest", "an empty one"),
    "digest value null": (with_subject(digest={"sha256": None}), "/subject/0/digest/sha256", "got null"),
    "empty digest value": (with_subject(digest={"sha256": ""}), "/subject/0/digest/sha256", "got an empty string"),
    "digest value of another type": (with_subject(digest={"x/y": 1}), "/subject/0/digest/x~1y", "got integer"),
    "short digest": (with_subject(digest={"sha256": "ab" * 31}), "/subject/0/digest/sha256", "got 62 characters"),
    "uppercase digest": (with_subject(digest={"sha256": "AB" * 32}), "/subject/0/digest/sha256", "lowercase hex"),
    "digest that is not hex": (with_subject(digest={"sha512": "g" * 128}), "/subject/0/digest/sha512", "lowercase hex"),
    "digest with a line end": (with_subject(digest={"sha256": "ab" * 31 + "a\n"}), "/subject/0/digest/sha256", "hex"),
    "digits that are not ASCII": (with_subject(digest={"sha256": "\u0661" * 64}), "/subject/0/digest/sha256", "hex"),
    "name null": (with_subject(name=None), "/subject/0/name", "expected string, got null"),
    "uri of another type": (with_subject(uri=1), "/subject/0/uri", "expected string, got integer"),
    "annotations array": (with_subject(annotations=[]), "/subject/0/annotations", "expected object, got array"),
    "content not base64": (with_subject(content="!!!"), "/subject/0/content", "not base64"),
    "protobuf type": (payload(type="https://in-toto.io/Statement/v1"), "/type", "another spelling of _type"),
    "protobuf type alone": (payload(_type=..., type="x"), "/type", "another spelling of _type"),
    "protobuf predicate type": (payload(predicate_type="x"), "/predicate_type", "another spelling of predicateType"),
    "predicate type in another case": (payload(PredicateType="x"), "/PredicateType", "another spelling"),
    "name that folds to a known one": (
        payload()[:-1] + ', "\u017fubject": []}'.encode(),
        "/\u017fubject",
        "another spelling of subject",
    ),
    "protobuf descriptor": (with_subject(media_type="x"), "/subject/0/media_type", "another spelling of mediaType"),
}


@pytest.mark.parametrize(("data", "pointer", "fact"), MALFORMED.values(), ids=MALFORMED)
def test_read_statement_refuses_with_pointer(data: bytes, pointer: str, fact: str) -> None:
    with pytest.raises(MalformedStatement, match=f"^statement: .*{fact}") as caught:
        read_statement(data)
    assert (caught.value.pointer, caught.value.reason) == (pointer, "statement.malformed")


def test_read_statement_refuses_a_member_given_twice() -> None:
    twice = b'{"predicateType": "https://b", ' + payload()[1:]
    with pytest.raises(MalformedJson, match='statement: duplicate member "predicateType"'):
        read_statement(twice)


def test_read_statement_accepts_ten_thousand_subjects() -> None:
    assert len(read_statement(payload(subject=[{"digest": {"sha256": SHA256}}] * 10_000)).subjects) == 10_000


def test_read_statement_refuses_more_subjects() -> None:
    with pytest.raises(LimitExceeded, match="subjects is 10000, got 10001"):
        read_statement(payload(subject=[{"digest": {"sha256": SHA256}}] * 10_001))


def test_read_statement_refuses_a_payload_above_ten_mebibytes() -> None:
    with pytest.raises(LimitExceeded, match="10485760"):
        read_statement(b" " * (10 * 2**20 + 1))
