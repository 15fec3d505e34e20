"""The in-toto Statement and its subjects, by the specification (in-toto/attestation spec/v1, text version 1.2)."""

import re
from typing import Any, Final

from in_toto_done_receipt.errors import LimitExceeded, MalformedEnvelope, MalformedStatement
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.digests import ACCEPTED, digest_fault
from in_toto_done_receipt.wire.dsse import MAX_PAYLOAD_BYTES, decode_base64
from in_toto_done_receipt.wire.members import Members
from in_toto_done_receipt.wire.pointer import join, kind_of, quote
from in_toto_done_receipt.wire.value import Value

STATEMENT_V1: Final = "https://in-toto.io/Statement/v1"
STATEMENT_V0_1: Final = "https://in-toto.io/Statement/v0.1"  # still written by cosign; read, never written

MAX_SUBJECTS: Final = 10_000
_STATEMENT_MEMBERS: Final = ("_type", "subject", "predicateType", "predicate")
_DESCRIPTOR_MEMBERS: Final = ("name", "uri", "digest", "content", "downloadLocation", "mediaType", "annotations")
# field_types.md: a TypeURI is a URI as in RFC 3986, with a scheme; beyond that it is opaque and never taken apart.
_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+")


class Subject(Value, kw_only=True):
    """One subject. `digest` holds every algorithm as it was given; only `digests.ACCEPTED` ones are ever compared."""

    name: str | None
    uri: str | None
    digest: dict[str, str]
    index: int


class Statement(Value, kw_only=True):
    """A statement. `tree` is all of it, `unrecognized` the JSON pointers of what was ignored."""

    type: str
    subjects: tuple[Subject, ...]
    predicate_type: str
    predicate: dict[str, Any] | None
    tree: dict[str, Any]
    unrecognized: tuple[str, ...]


def read_statement(payload: bytes) -> Statement:
    """The statement in a payload.

    Ensures `_type` v1 or v0.1; 1-10,000 subjects, each with a digest set that is not empty, whose sha256, sha384 and
    sha512 are lowercase hex of the right length; a predicate type that is a URI; a predicate that is an object,
    null or absent. Unknown members are ignored and listed, and so are digests of other algorithms. Raises
    MalformedStatement with its pointer, MalformedJson, LimitExceeded. Does not check that subject names are unique, nor
    what is in the predicate.
    """
    tree = strict_json.loads(payload, what="statement", max_bytes=MAX_PAYLOAD_BYTES)
    members = Members(tree, _STATEMENT_MEMBERS, what="statement", error=MalformedStatement)
    type_ = members.required("_type", "string")
    if type_ not in (STATEMENT_V1, STATEMENT_V0_1):
        raise members.fault("/_type", f"expected {STATEMENT_V1}, got {quote(type_)}")
    predicate_type = members.required("predicateType", "string")
    if not _URI.fullmatch(predicate_type):
        raise members.fault("/predicateType", f"expected a URI, got {quote(predicate_type)}")
    listed = members.required("subject", "array")
    if not listed:
        raise members.fault("/subject", "expected at least one subject, got none")
    if len(listed) > MAX_SUBJECTS:
        raise LimitExceeded("subjects", allowed=MAX_SUBJECTS, value=len(listed), where="statement")
    unrecognized = list(members.unknown)
    subjects = tuple(_subject(item, index, unrecognized) for index, item in enumerate(listed))
    return Statement(
        type=type_,
        subjects=subjects,
        predicate_type=predicate_type,
        # Unset and empty mean the same (statement.md), and some writers say null for unset.
        predicate=None if tree.get("predicate") is None else members.optional("predicate", "object"),
        tree=tree,
        unrecognized=tuple(unrecognized),
    )


def _subject(tree: Any, index: int, unrecognized: list[str]) -> Subject:
    """One subject: a ResourceDescriptor (resource_descriptor.md) in which `digest` is required (statement.md)."""
    place = join("/subject", index)
    members = Members(tree, _DESCRIPTOR_MEMBERS, what="statement", place=place, error=MalformedStatement)
    unrecognized.extend(members.unknown)
    for name in ("downloadLocation", "mediaType"):
        members.optional(name, "string")
    members.optional("annotations", "object")
    content = members.optional("content", "string")
    if content is not None:
        try:
            decode_base64(content, "content")
        except MalformedEnvelope as error:
            raise members.fault(members.at("content"), error.message) from error
    return Subject(
        name=members.optional("name", "string"),
        uri=members.optional("uri", "string"),
        digest=_digest_set(members, unrecognized),
        index=index,
    )


def _digest_set(members: Members, unrecognized: list[str]) -> dict[str, str]:
    """The digest set of a subject (digest_set.md): names to strings; only accepted algorithms have rules for values."""
    digest: dict[str, Any] = members.required("digest", "object")
    place = members.at("digest")
    if not digest:
        raise members.fault(place, "expected at least one digest, got none")
    for algorithm, value in digest.items():
        if not algorithm:
            raise members.fault(place, "expected the name of an algorithm, got an empty one")
        if not isinstance(value, str) or not value:
            got = "an empty string" if value == "" else kind_of(value)
            raise members.fault(join(place, algorithm), f"expected a digest as a string, got {got}")
        if algorithm not in ACCEPTED:
            unrecognized.append(join(place, algorithm))
        elif fault := digest_fault(algorithm, value):
            raise members.fault(join(place, algorithm), fault)
    return digest
