"""OPA's bundle signatures, verified here: by the verifier's key, over exactly the files."""

import hashlib
import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from in_toto_done_receipt.admission.custom.archive import read_archive
from in_toto_done_receipt.admission.custom.signature import FILE, SigningKey, canonical, read_key, verify
from in_toto_done_receipt.errors import ConfigurationError
from tests.unit.admission.custom.conftest import MANIFEST, NEVER

P256 = ec.generate_private_key(ec.SECP256R1())
RSA = rsa.generate_private_key(65537, 2048)
SHORT = rsa.generate_private_key(65537, 1024)  # noqa: S505 - that is the point
FILES = {".manifest": json.dumps(MANIFEST, indent=3).encode(), "team/never.rego": NEVER.encode()}
ALGORITHMS: dict[str, Any] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), RSA),
    "ES256": P256,
    "ES384": ec.generate_private_key(ec.SECP384R1()),
    "ES512": ec.generate_private_key(ec.SECP521R1()),
}


def public(key: Any) -> bytes:
    made: bytes = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return made


def private(key: Any) -> bytes:
    made: bytes = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return made


KEY = read_key(public(P256), name="policy.pub")


def listed(files: Mapping[str, bytes] = FILES, algorithm: str = "SHA-256") -> list[dict[str, str]]:
    kind = algorithm.replace("-", "").lower()
    hashed = {name: canonical(json.loads(data)) if name == ".manifest" else data for name, data in files.items()}
    return [
        {"name": name, "hash": hashlib.new(kind, data).hexdigest(), "algorithm": algorithm}
        for name, data in hashed.items()
    ]


def token(claims: Any = None, *, key: Any = P256, algorithm: str = "ES256") -> str:
    payload = json.dumps({"files": listed()} if claims is None else claims).encode()
    return jwt.PyJWS().encode(payload, key, algorithm=algorithm)


def signed(text: str, files: Mapping[str, bytes] = FILES, **more: Any) -> dict[str, bytes]:
    return {**files, FILE: json.dumps({"signatures": [text], **more}).encode()}


def refused(files: Mapping[str, bytes], match: str, key: SigningKey = KEY) -> None:
    with pytest.raises(ConfigurationError, match=match):
        verify(files, key, what="b")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_good_signature(algorithm: str) -> None:
    key = ALGORITHMS[algorithm]
    verify(signed(token(key=key, algorithm=algorithm)), read_key(public(key), name="k"), what="b")


@pytest.mark.parametrize("algorithm", ["SHA-256", "SHA-384", "SHA-512"])
def test_each_hash(algorithm: str) -> None:
    verify(signed(token({"files": listed(algorithm=algorithm)})), KEY, what="b")


@pytest.mark.integration
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_opa_signs_is_verified(algorithm: str, opa: Path, folder: Path, tmp_path: Path) -> None:
    key = ALGORITHMS[algorithm]
    (folder / ".manifest").write_text(json.dumps(MANIFEST | {"metadata": {"a": ["é\u2028<&", 1.50, None, True]}}))
    (tmp_path / "key.pem").write_bytes(private(key))
    argv = [str(opa), "build", "--bundle", str(folder), "--signing-key", "key.pem", "--signing-alg", algorithm]
    subprocess.run(argv, cwd=tmp_path, check=True)
    files = read_archive((tmp_path / "bundle.tar.gz").read_bytes(), what="b")
    verify(files, read_key(public(key), name="k"), what="b")
    refused(files | {"x.rego": b"package x"}, "is not among the signed files", read_key(public(key), name="k"))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda files: files | {"team/never.rego": files["team/never.rego"].replace(b"held", b"hell")},
        lambda files: files | {".manifest": files[".manifest"].replace(b'"1"', b'"2"')},
        lambda files: files | {"team/more.rego": b"package x\n"},
        lambda files: files | {"README": b"x"},
        lambda files: {name: data for name, data in files.items() if name != "team/never.rego"},
        lambda files: {name: data for name, data in files.items() if name != ".manifest"},
    ],
    ids=["rule", "manifest", "another rule", "any other file", "rule away", "manifest away"],
)
def test_any_other_file_is_refused(spoil: Callable[[dict[str, bytes]], dict[str, bytes]]) -> None:
    refused(spoil(signed(token())), "signed")


def test_white_space_of_the_manifest_is_no_change() -> None:
    verify(signed(token()) | {".manifest": json.dumps(MANIFEST).encode()}, KEY, what="b")


def test_another_key_is_refused() -> None:
    refused(signed(token(key=ec.generate_private_key(ec.SECP256R1()))), r"is not signed by policy\.pub \(ES256\)")


@pytest.mark.parametrize("algorithm", ["RS256", "ES384", "HS256"])
def test_another_algorithm_than_the_keys_is_refused(algorithm: str) -> None:
    key = ALGORITHMS.get(algorithm, "s" * 64)
    refused(signed(token(key=key, algorithm=algorithm)), "is not signed by")


def test_the_public_key_as_a_secret_is_refused() -> None:
    head, body = "eyJhbGciOiJIUzI1NiJ9", jwt.utils.base64url_encode(json.dumps({"files": listed()}).encode()).decode()
    import hmac

    mark = hmac.digest(public(P256), f"{head}.{body}".encode(), "sha256")
    refused(signed(f"{head}.{body}.{jwt.utils.base64url_encode(mark).decode()}"), "is not signed by")


def test_no_algorithm_is_refused() -> None:
    body = jwt.utils.base64url_encode(json.dumps({"files": listed()}).encode()).decode()
    refused(signed(f"eyJhbGciOiJub25lIn0.{body}."), "is not signed by")


def test_unsigned_is_refused() -> None:
    refused(FILES, r"is not signed \(\.signatures\.json is missing\), and policy\.pub was named")


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[]", b'{"signatures": []}', b'{"signatures": ["a", "b"]}', b'{"signatures": [1]}',
     b'{"signatures": "a"}', b'{"signatures": ["a"], "more": 1}', b"\xff", b'{"signatures":[],"signatures":["a"]}'],
)  # fmt: skip
def test_another_signatures_file_is_refused(data: bytes) -> None:
    refused({**FILES, FILE: data}, r"b: \.signatures\.json")


def test_a_plug_in_is_refused() -> None:
    refused(signed(token(), plugin="mine"), "plug-in")


@pytest.mark.parametrize("text", ["", ".", "..", "a.b.c", "é.é.é", "a", token()[:-4], "." + token()])
def test_what_is_no_token_is_refused(text: str) -> None:
    refused(signed(text), "is not signed by")


@pytest.mark.parametrize(
    "claims",
    [
        [],
        {},
        {"files": {}},
        {"files": [1]},
        {"files": [{"name": "a", "hash": "b"}]},
        {"files": [{"name": "a", "hash": "b", "algorithm": "MD5"}]},
        {"files": [*listed(), listed()[0]]},
        {"files": listed()[1:]},
        {"files": []},
    ],
    ids=json.dumps,
)
def test_another_list_of_files_is_refused(claims: Any) -> None:
    refused(signed(token(claims)), r"b: ")


@pytest.mark.parametrize(("said", "wanted"), [("write", ""), ("", "write"), ("read", "write"), (1, "")])
def test_another_scope_is_refused(said: Any, wanted: str) -> None:
    key = read_key(public(P256), name="k", scope=wanted)
    refused(signed(token({"files": listed(), "scope": said})), "scope is", key)


def test_the_wanted_scope() -> None:
    verify(
        signed(token({"files": listed(), "scope": "write"})), read_key(public(P256), name="k", scope="write"), what="b"
    )


@pytest.mark.parametrize(
    ("pem", "why"),
    [
        (b"", "not a public key in PEM"),
        (b"secret", "not a public key in PEM"),
        (private(P256), "not a public key in PEM"),
        (public(ed25519.Ed25519PrivateKey.generate()), "signed with RSA, or ECDSA"),
        (public(ec.generate_private_key(ec.SECP256K1())), "signed with RSA, or ECDSA"),
        (public(SHORT), "RSA key has 1024 bits"),
    ],
)
def test_another_key_file_is_refused(pem: bytes, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        read_key(pem, name="k")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, "x"]}, b'{"a":[true,null,"x"],"b":1}'),
        ('<&>é\u2028\u2029\x00\x1f\x7f\n"\\', b'"<&>\xc3\xa9\\u2028\\u2029\\u0000\\u001f\x7f\\n\\"\\\\"'),
        ({}, b"{}"),
        ([], b"[]"),
    ],
)
def test_the_form_that_is_hashed(value: Any, text: bytes) -> None:
    assert canonical(value) == text
