"""A Sigstore instance to sign with: which of its services to call now, and the root that its signatures verify with.

Reads SigningConfig v0.2 and ClientTrustConfig v0.1 (protobuf-specs, sigstore_trustroot.proto) and chooses as they
demand: valid now, the highest version that is spoken here, the newest, one of each operator. Calls nothing.
"""

from datetime import UTC, datetime
from typing import Any, Final

from in_toto_done_receipt.errors import ConfigurationError, MalformedInput, TrustError
from in_toto_done_receipt.producer.calls import Service, service
from in_toto_done_receipt.trust.model import RootFile
from in_toto_done_receipt.trust.root import MAX_ROOT_BYTES, read_root
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.value import Value

SIGNING_CONFIG: Final = "application/vnd.dev.sigstore.signingconfig.v0.2+json"
TRUST_CONFIG: Final = "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json"
MAX_CONFIG_BYTES: Final = MAX_ROOT_BYTES + (1 << 20)
MAX_STAMPS: Final = 8  # timestamps in one bundle; a verifier reads 32

FULCIO: Final = "Fulcio"
REKOR: Final = "Rekor"
TSA: Final = "timestamp authority"


class Log(Value, kw_only=True):
    """A transparency log and the version of its interface: 1 or 2."""

    service: Service
    version: int


class Instance(Value, kw_only=True):
    """What to call and what to trust. A service that the configuration does not name is None or absent.

    `known_as` says where all this comes from, for messages; `issuer` is where a person logs in.
    """

    known_as: str
    root: RootFile
    fulcio: Service | None
    log: Log | None
    stamps: tuple[Service, ...]
    issuer: Service | None


class _Offer(Value, kw_only=True):
    """One service of a signing configuration that can be called now."""

    url: str
    version: int
    operator: str
    start: datetime


def read_instance(
    *,
    trust_config: tuple[str, bytes] | None = None,
    signing_config: tuple[str, bytes] | None = None,
    trusted_root: tuple[str, bytes] | None = None,
    now: datetime,
) -> Instance:
    """The instance that these files (name and content) describe; signing configuration and root of their own go first.

    Raises ConfigurationError: a file that is not what its flag wants, no signing configuration or no root among them,
    services that the configuration demands and does not have.
    """
    config: Any = None
    root: RootFile | None = None
    name = ""
    if trust_config is not None:
        name, data = trust_config
        tree = _document(data, name, TRUST_CONFIG, "a client trust configuration")
        config = tree.get("signingConfig")
        if trusted_root is None:
            root = _inner_root(tree.get("trustedRoot"), name)
    if signing_config is not None:
        name, data = signing_config
        config = _document(data, name, SIGNING_CONFIG, "a signing configuration")
    if trusted_root is not None:
        root = read_root(trusted_root[1], name=trusted_root[0])
    if root is None or config is None:
        missing = "trusted root" if root is None else "signing configuration"
        raise ConfigurationError(
            f"a {missing} is missing", hint="--trust-config FILE has both; or --signing-config and --trusted-root"
        )
    return _instance(config, root, name, now)


def _document(data: bytes, name: str, media_type: str, what: str) -> dict[str, Any]:
    try:
        tree = strict_json.loads(data, what=name, max_bytes=MAX_CONFIG_BYTES)
    except MalformedInput as fault:
        raise ConfigurationError(fault.message, hint=fault.hint) from None
    got = tree.get("mediaType") if isinstance(tree, dict) else None
    if got != media_type:
        found = quote(got) if isinstance(got, str) else "no media type"
        raise ConfigurationError(f"{name}: expected {what} of media type {media_type}, got {found}")
    return dict(tree)


def _inner_root(tree: Any, name: str) -> RootFile:
    if not isinstance(tree, dict):
        raise TrustError(f"{name}: trustedRoot is missing")
    return read_root(canonical(tree), name=f"{name}: trustedRoot")


def _instance(config: Any, root: RootFile, name: str, now: datetime) -> Instance:
    if not isinstance(config, dict) or config.get("mediaType") != SIGNING_CONFIG:
        raise ConfigurationError(f"{name}: signingConfig is not of media type {SIGNING_CONFIG}")
    reader = _Reader(config, name, now)
    (fulcio,) = reader.one("caUrls", FULCIO) or (None,)
    (issuer,) = reader.one("oidcUrls", "OIDC issuer") or (None,)
    logs = reader.several("rekorTlogUrls", "rekorTlogConfig", versions=(2, 1))
    if len(logs) > 1:
        raise ConfigurationError(f"{name}: entries in {len(logs)} logs are demanded, a bundle here holds one")
    stamps = reader.several("tsaUrls", "tsaConfig", versions=(1,))
    if len(stamps) > MAX_STAMPS:
        raise ConfigurationError(f"{name}: {len(stamps)} timestamps are demanded, at most {MAX_STAMPS} are made")
    return Instance(
        known_as=name,
        root=root,
        fulcio=fulcio,
        log=Log(service=service(REKOR, logs[0].url), version=logs[0].version) if logs else None,
        stamps=tuple(service(TSA, offer.url) for offer in stamps),
        issuer=issuer,
    )


class _Reader:
    """Chooses services from one signing configuration."""

    def __init__(self, config: dict[str, Any], name: str, now: datetime) -> None:
        self._config, self._name, self._now = config, name, now

    def one(self, member: str, called: str) -> tuple[Service] | None:
        """The newest service that can be called."""
        offers = self._offers(member, (1,))
        return (service(called, offers[0].url),) if offers else None

    def several(self, member: str, selector: str, *, versions: tuple[int, ...]) -> list[_Offer]:
        """One service of each operator, as many as the selector wants, all of the highest version."""
        offers = self._offers(member, versions)
        if not self._config.get(member) and self._config.get(selector) is None:
            return []
        by_operator: dict[str, _Offer] = {}
        for offer in offers:
            if offer.version == offers[0].version:
                by_operator.setdefault(offer.operator, offer)  # the newest comes first
        found = list(by_operator.values())
        wanted = self._wanted(selector, len(found))
        if wanted > len(found):
            raise ConfigurationError(
                f"{self._name}: {selector} demands {wanted} operators, {len(found)} can be called now"
            )
        return found[:wanted]

    def _wanted(self, selector: str, found: int) -> int:
        choice = self._config.get(selector)
        kind = choice.get("selector") if isinstance(choice, dict) else None
        if kind == "ALL":
            return found
        if kind == "ANY":
            return min(1, found)
        count = choice.get("count") if isinstance(choice, dict) else None
        if kind == "EXACT" and isinstance(count, int) and not isinstance(count, bool) and count > 0:
            return count
        raise ConfigurationError(f"{self._name}: {selector}: expected selector ALL, ANY or EXACT with a count")

    def _offers(self, member: str, versions: tuple[int, ...]) -> list[_Offer]:
        """What is valid now and spoken here: the highest version first, the newest first."""
        listed = self._config.get(member, [])
        if not isinstance(listed, list):
            raise ConfigurationError(f"{self._name}: {member} is not a list")
        found = []
        for place, entry in enumerate(listed):
            where = f"{self._name}: {member}[{place}]"
            version = entry.get("majorApiVersion") if isinstance(entry, dict) else None
            if type(version) is not int or version not in versions:
                continue
            offer, end = _offer(entry, version, where)
            if offer.start <= self._now and (end is None or self._now <= end):
                found.append(offer)
        return sorted(found, key=lambda offer: (offer.version, offer.start), reverse=True)


def _offer(entry: dict[str, Any], version: int, where: str) -> tuple[_Offer, datetime | None]:
    valid = entry.get("validFor")
    url, operator = entry.get("url"), entry.get("operator", "")
    if not isinstance(valid, dict) or not isinstance(url, str) or not isinstance(operator, str):
        raise ConfigurationError(f"{where}: url, validFor or operator is missing or of another type")
    start = _moment(valid.get("start"), where)
    end = None if valid.get("end") is None else _moment(valid["end"], where)
    return _Offer(url=url, version=version, operator=operator, start=start), end


def _moment(text: Any, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ConfigurationError(f"{where}: validFor is not a time with a zone: {quote(str(text))}")
