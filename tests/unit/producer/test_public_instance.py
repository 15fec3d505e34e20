"""An instance out of a TUF repository: what its root signs is believed, and nothing else; nothing is kept."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import Metadata, MetaFile, Root, Snapshot, TargetFile, Targets, Timestamp

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.producer.public_instance import fetch_instance, shipped_root
from in_toto_done_receipt.producer.signing_config import SIGNING_CONFIG
from tests.forge.sigstore import Forge

pytestmark = pytest.mark.loopback

NOW = datetime(2026, 11, 30, tzinfo=UTC)
FULCIO = {
    "url": "https://fulcio.example.org",
    "majorApiVersion": 1,
    "validFor": {"start": "2020-01-01T00:00:00Z"},
    "operator": "example.org",
}
DOCUMENTS = {
    "trusted_root.json": json.dumps(Forge.of().trusted_root()).encode(),
    "signing_config.v0.2.json": json.dumps({"mediaType": SIGNING_CONFIG, "caUrls": [FULCIO]}).encode(),
}


class Repository:
    """A TUF repository in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.signer = CryptoSigner.generate_ed25519()
        self.url = ""
        (folder / "targets").mkdir()

    def write(self, documents: dict[str, bytes], *, expires: timedelta = timedelta(days=1)) -> bytes:
        """All metadata for these targets; gives the root to start from."""
        end = (datetime.now(UTC) + expires).replace(microsecond=0)
        root = Root(expires=end, consistent_snapshot=False)
        for role in ("root", "timestamp", "snapshot", "targets"):
            root.add_key(self.signer.public_key, role)
        targets = Targets(expires=end)
        for name, data in documents.items():
            targets.targets[name] = TargetFile.from_data(name, data)
            (self.folder / "targets" / name).write_bytes(data)
        self._sign("targets.json", Metadata(targets))
        snapshot = Snapshot(expires=end, meta={"targets.json": MetaFile(1)})
        self._sign("snapshot.json", Metadata(snapshot))
        self._sign("timestamp.json", Metadata(Timestamp(expires=end, snapshot_meta=MetaFile(1))))
        return self._sign("1.root.json", Metadata(root))

    def _sign(self, name: str, metadata: Any) -> bytes:
        metadata.sign(self.signer)
        data: bytes = metadata.to_bytes()
        (self.folder / name).write_bytes(data)
        return data


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_args: object) -> None:
        """Quiet."""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    folder = tmp_path / "repository"
    folder.mkdir()
    found = Repository(folder)
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        found.url = f"http://127.0.0.1:{server.server_port}"
        yield found
        server.shutdown()
        thread.join()


def test_what_the_repository_says(repository: Repository) -> None:
    root = repository.write(DOCUMENTS)
    instance = fetch_instance(NOW, repository=repository.url, root=root)
    assert instance.fulcio is not None
    assert instance.fulcio.url == FULCIO["url"]
    assert instance.root.data == DOCUMENTS["trusted_root.json"]
    assert instance.known_as == f"{repository.url}/signing_config.v0.2.json"


def test_nothing_is_kept(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    fetch_instance(NOW, repository=repository.url, root=repository.write(DOCUMENTS))
    assert list(scratch.iterdir()) == []


def refused(repository: Repository, root: bytes, said: str) -> None:
    with pytest.raises(
        ConfigurationError, match=f"the Sigstore instance at {repository.url} cannot be had: .*{said}"
    ) as caught:
        fetch_instance(NOW, repository=repository.url, root=root)
    assert "--trust-config" in str(caught.value.hint)


def test_a_target_that_was_changed(repository: Repository) -> None:
    root = repository.write(DOCUMENTS)
    (repository.folder / "targets" / "trusted_root.json").write_bytes(DOCUMENTS["trusted_root.json"] + b" ")
    refused(repository, root, "")


def test_a_repository_of_somebody_else(repository: Repository, tmp_path: Path) -> None:
    repository.write(DOCUMENTS)
    (tmp_path / "other" / "targets").mkdir(parents=True)
    root = Repository.__new__(Repository)
    root.folder, root.signer = tmp_path / "other", CryptoSigner.generate_ed25519()
    refused(repository, root.write(DOCUMENTS), "")


def test_metadata_that_has_expired(repository: Repository) -> None:
    refused(repository, repository.write(DOCUMENTS, expires=timedelta(days=-1)), "expired")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_repository_without(repository: Repository, name: str) -> None:
    documents = {known: data for known, data in DOCUMENTS.items() if known != name}
    refused(repository, repository.write(documents), f"it has no {name}")


def test_a_repository_of_nothing(repository: Repository) -> None:
    root = repository.write(DOCUMENTS)
    for path in repository.folder.glob("*.json"):
        path.unlink()
    refused(repository, root, "")


def test_the_root_that_comes_with_sigstore() -> None:
    assert Metadata[Root].from_bytes(shipped_root()).signed.type == "root"
