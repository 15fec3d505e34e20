"""OPA's bundle signatures: .signatures.json, one JWS over the list of the bundle's files and their hashes.

Verified here, on the bytes that the engines then get, because `opa eval`, `opa test` and the others do not verify, and
`opa run` only when it is told. Ensures: a good signature by the verifier's key; exactly the files that it lists, each
with its hash; the wanted scope. Keys are public ones only: with HMAC whoever can verify can sign. Source: OPA, "Bundle
Signature Format". Raises ConfigurationError.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from in_toto_done_receipt.errors import ConfigurationError, MalformedInput
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

FILE: Final = ".signatures.json"
_BY_ITSELF: Final = "_default"  # what OPA writes for: no plug-in
_MIN_RSA_BITS: Final = 2048
_RSA: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
_CURVES: Final = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}
_HASHES: Final[Mapping[str, Callable[[bytes], Any]]] = {
    "SHA-256": hashlib.sha256,
    "SHA-384": hashlib.sha384,
    "SHA-512": hashlib.sha512,
}
_STRUCTURED: Final = (".manifest", "data.json")  # hashed by their values, not by their bytes


class SigningKey(Value, kw_only=True):
    """The public key whose signature a bundle must have, and the scope that it must be signed for."""

    name: str
    key: "RSAPublicKey | EllipticCurvePublicKey"
    algorithms: tuple[str, ...]
    scope: str = ""


def read_key(pem: bytes, *, name: str, scope: str = "") -> SigningKey:
    """The key of a PEM file. Raises ConfigurationError for anything but a public RSA or NIST elliptic curve key."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm):
        raise ConfigurationError(f"{name}: is not a public key in PEM") from None
    if isinstance(key, RSAPublicKey):
        if key.key_size < _MIN_RSA_BITS:
            raise ConfigurationError(f"{name}: RSA key has {key.key_size} bits, at least {_MIN_RSA_BITS} are needed")
        return SigningKey(name=name, key=key, algorithms=_RSA, scope=scope)
    if isinstance(key, EllipticCurvePublicKey) and key.curve.name in _CURVES:
        return SigningKey(name=name, key=key, algorithms=(_CURVES[key.curve.name],), scope=scope)
    raise ConfigurationError(f"{name}: bundles are signed with RSA, or ECDSA on P-256, P-384 or P-521")


def verify(files: Mapping[str, bytes], key: SigningKey, *, what: str) -> None:
    """The files are the ones that the key signed, no more and no fewer."""
    if FILE not in files:
        raise ConfigurationError(f"{what}: is not signed ({FILE} is missing), and {key.name} was named to verify it")
    where = f"{what}: {FILE}"
    claims = _claims(_token(files[FILE], where), key, where)
    scope = claims.get("scope", "")
    if scope != key.scope:
        raise ConfigurationError(f"{where}: scope is {_shown(scope)}, {_shown(key.scope)} is wanted")
    listed = _listed(claims.get("files"), where)
    present = set(files) - {FILE}
    if unsigned := sorted(present - set(listed)):
        raise ConfigurationError(f"{what}: {escape(unsigned[0])}: is not among the signed files")
    if missing := sorted(set(listed) - present):
        raise ConfigurationError(f"{what}: {escape(missing[0])}: is signed and missing")
    for name, (algorithm, expected) in listed.items():
        found = _HASHES[algorithm](_hashed(name, files[name], what)).hexdigest()
        if found != expected:
            raise ConfigurationError(f"{what}: {escape(name)}: {algorithm} is {found}, signed is {escape(expected)}")


def canonical(value: Any) -> bytes:
    """How OPA writes a JSON value before it hashes it: members by name, no white space, numbers as they stand."""
    if isinstance(value, dict):
        members = [_text(name) + b":" + canonical(value[name]) for name in sorted(value)]
        return b"{" + b",".join(members) + b"}"
    if isinstance(value, list):
        return b"[" + b",".join(map(canonical, value)) + b"]"
    if isinstance(value, _Number):
        return str(value).encode()
    return _text(value) if isinstance(value, str) else json.dumps(value).encode()


class _Number(str):
    """A number as it stands in the document."""

    __slots__ = ()


def _text(text: str) -> bytes:
    """As Go writes a string: also its two line separators are escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode()


def _hashed(name: str, data: bytes, what: str) -> bytes:
    if name.rpartition("/")[2] not in _STRUCTURED:
        return data
    _json(data, f"{what}: {name}")
    return canonical(json.loads(data, parse_int=_Number, parse_float=_Number))


def _token(data: bytes, where: str) -> str:
    tree = _json(data, where)
    match tree:
        case {"signatures": [str(token)], **more} if more in ({}, {"plugin": _BY_ITSELF}):
            return token
        case {"plugin": _}:
            raise ConfigurationError(f"{where}: asks for a plug-in of OPA to verify it")
    raise ConfigurationError(f"{where}: does not hold exactly one signature")


def _claims(token: str, key: SigningKey, where: str) -> dict[str, Any]:
    import jwt

    try:
        payload = jwt.PyJWS().decode(token, key.key, algorithms=list(key.algorithms))
    except (jwt.exceptions.PyJWTError, ValueError, TypeError) as error:
        wanted = " or ".join(key.algorithms)
        raise ConfigurationError(
            f"{where}: is not signed by {key.name} ({wanted}): {escape(str(error)).lower()}"
        ) from None
    tree = _json(payload, f"{where}: payload")
    if not isinstance(tree, dict):
        raise ConfigurationError(f"{where}: payload is not an object")
    return tree


def _listed(files: Any, where: str) -> dict[str, tuple[str, str]]:
    if not isinstance(files, list):
        raise ConfigurationError(f"{where}: lists no files")
    found: dict[str, tuple[str, str]] = {}
    for entry in files:
        match entry:
            case {"name": str(name), "hash": str(digest), "algorithm": str(algorithm)} if algorithm in _HASHES:
                if name in found:
                    raise ConfigurationError(f"{where}: lists {escape(name)} twice")
                found[name] = algorithm, digest
            case _:
                known = ", ".join(_HASHES)
                raise ConfigurationError(f"{where}: lists a file without name, hash and algorithm ({known})")
    return found


def _json(data: bytes, what: str) -> Any:
    try:
        return strict_json.loads(data, what=what)
    except MalformedInput as error:
        raise ConfigurationError(error.message) from None


def _shown(scope: Any) -> str:
    return escape(scope) if isinstance(scope, str) and scope else "none" if scope == "" else "not a text"
