import json
from base64 import b64encode
from copy import deepcopy
from typing import Any

import pytest

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.trust.material.plain import log_index, normalised, to_bytes
from in_toto_done_receipt.wire.bundle import read_bundle


def tree() -> dict[str, Any]:
    return {
        "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
        "verificationMaterial": {
            "certificate": {"rawBytes": "-_-_"},
            "tlogEntries": [
                {
                    "logIndex": "9",
                    "kindVersion": {"kind": "dsse", "version": "0.0.1"},
                    "inclusionProof": {
                        "logIndex": 7,
                        "hashes": ["-w", "+w=="],
                        "checkpoint": {"envelope": "note\n— x"},
                    },
                }
            ],
        },
        "dsseEnvelope": {"payload": "-_8", "payloadType": "t", "signatures": [{"sig": "_w"}], "other": 1},
        "unknown": 1,
    }


def normal(changed: dict[str, Any]) -> dict[str, Any]:
    return normalised(read_bundle(changed))


def test_encodings_get_their_plain_spelling() -> None:
    plain = normal(tree())
    material = plain["verificationMaterial"]
    assert material["certificate"]["rawBytes"] == "+/+/"
    assert material["tlogEntries"][0]["inclusionProof"]["hashes"] == ["+w==", "+w=="]
    assert plain["dsseEnvelope"] == {
        "payload": b64encode(b"\xfb\xff").decode(),
        "payloadType": "t",
        "signatures": [{"sig": "/w==", "keyid": ""}],
    }


def test_members_that_nobody_read_are_not_handed_over() -> None:
    assert set(normal(tree())) == {"mediaType", "verificationMaterial", "dsseEnvelope"}


def test_numbers_become_protobuf_strings_and_the_proofs_index_counts() -> None:
    plain = normal(tree())
    assert plain["verificationMaterial"]["tlogEntries"][0]["inclusionProof"]["logIndex"] == "7"
    assert log_index(plain) == 7


def test_input_is_left_alone() -> None:
    given = tree()
    before = deepcopy(given)
    to_bytes(normal(given))
    assert given == before


def test_bytes_are_json() -> None:
    plain = normal(tree())
    assert json.loads(to_bytes(plain)) == plain


ENTRY = ("verificationMaterial", "tlogEntries", 0)


@pytest.mark.parametrize(
    ("path", "value", "reason", "message"),
    [
        (("verificationMaterial", "tlogEntries"), [], "unsupported", "no transparency log entry"),
        (("verificationMaterial", "tlogEntries"), [{}, {}], "unsupported", "2 transparency log entries"),
        (("verificationMaterial", "tlogEntries"), {}, "sigstore", "not a list of objects"),
        (("verificationMaterial", "tlogEntries"), [7], "sigstore", "not a list of objects"),
        ((*ENTRY, "kindVersion"), 7, "unsupported", 'of kind "None/None"'),
        ((*ENTRY, "kindVersion", "version"), ["0.0.1"], "unsupported", "of kind"),
        ((*ENTRY, "kindVersion", "kind"), "intoto\n", "unsupported", r'of kind "intoto\\n/0.0.1"'),
        ((*ENTRY, "inclusionProof"), None, "unsupported", "no inclusionProof"),
        ((*ENTRY, "inclusionProof", "checkpoint"), {}, "unsupported", r"no inclusionProof\.checkpoint"),
        ((*ENTRY, "inclusionProof"), {"checkpoint": {"envelope": "x"}}, "sigstore", "no logIndex"),
        ((*ENTRY, "inclusionProof", "logIndex"), "07", "sigstore", "expected a decimal number"),
        ((*ENTRY, "inclusionProof", "logIndex"), "1_0", "sigstore", "expected a decimal number"),
        ((*ENTRY, "inclusionProof", "logIndex"), "٣", "sigstore", "expected a decimal number"),
        ((*ENTRY, "inclusionProof", "logIndex"), True, "sigstore", "expected a decimal number"),
        ((*ENTRY, "inclusionProof", "logIndex"), -1, "sigstore", "expected a decimal number"),
        ((*ENTRY, "integratedTime"), 1.5, "sigstore", "expected a decimal number"),
        ((*ENTRY, "log_index"), "7", "sigstore", 'unknown member "log_index"'),
        (("verificationMaterial", "certificate", "raw_bytes"), "AA==", "sigstore", 'unknown member "raw_bytes"'),
        (("verificationMaterial", "certificate", "rawBytes"), "AA==junk", "sigstore", "not base64"),
        (("verificationMaterial", "certificate", "rawBytes"), "A A=", "sigstore", "not base64"),
        ((*ENTRY, "inclusionProof", "hashes"), ["AB=="], "sigstore", "unused bits"),
    ],
)
def test_refuses(path: tuple[Any, ...], value: Any, reason: str, message: str) -> None:
    changed = tree()
    holder: Any = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    with pytest.raises(SignatureNotTrusted, match=message) as caught:
        normal(changed)
    assert caught.value.reason == f"signature.{reason}"
