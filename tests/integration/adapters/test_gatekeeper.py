"""Gatekeeper: `gator` with recorded answers, and Gatekeeper's own engine with a provider that answers over TLS."""

import base64
import copy
import http.server
import json
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.integration.adapters.deciding import Decided
from tests.integration.adapters.tls import server_certificate

pytestmark = [pytest.mark.integration, pytest.mark.loopback, pytest.mark.xdist_group("adapters")]

IMAGE = f"registry.example.com/app@sha256:{'a' * 64}"
OTHER = f"registry.example.com/side@sha256:{'b' * 64}"


@pytest.fixture(scope="module")
def templates(adapter: Callable[..., Path]) -> Path:
    return adapter("gatekeeper")


def constraint(name: str, parameters: dict[str, Any], kind: str = "DoneReceiptRecorded") -> dict[str, Any]:
    return {
        "apiVersion": "constraints.gatekeeper.sh/v1beta1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {
            "match": {"kinds": [{"apiGroups": ["", "apps"], "kinds": ["Pod", "Deployment"]}]},
            "parameters": parameters,
        },
    }


def pod(*images: str, name: str = "pod") -> dict[str, Any]:
    containers = [{"name": f"c{place}", "image": image} for place, image in enumerate(images)]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": containers}}


def recorded(*pairs: tuple[str, Any], **other: Any) -> dict[str, Any]:
    """What external_data gives for these answers."""
    return {"responses": [list(pair) for pair in pairs], "errors": [], "status_code": 200, "system_error": "", **other}


def written(folder: Path, **documents: Any) -> list[str]:
    """Words `-f FILE`, one for each document."""
    words = []
    for name, tree in documents.items():
        (folder / f"{name}.yaml").write_text(json.dumps(tree))
        words += ["-f", str(folder / f"{name}.yaml")]
    return words


def gator(tool: Callable[[str], Path], *words: str | Path) -> subprocess.CompletedProcess[str]:
    argv = [str(tool("gator")), *map(str, words)]
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)


def codes(messages: list[str]) -> set[str]:
    return {message.partition(":")[0].partition("[")[0] for message in messages}


def test_gator_decides_as_admit_does_on_every_result_of_testdata(
    tool: Callable[[str], Path], templates: Path, decided: list[Decided], tmp_path: Path
) -> None:
    """One constraint for each, with the answer recorded in it."""
    names = {case.name.replace("_", "-"): case for case in decided}
    for name, case in names.items():
        tree = constraint(name, {"answer": recorded((IMAGE, case.document))})
        (tmp_path / f"{name}.yaml").write_text(json.dumps(tree))
    (tmp_path / "pod.yaml").write_text(json.dumps(pod(IMAGE)))
    done = gator(tool, "test", "-o", "json", "-f", templates / "template-recorded.yaml", "-f", tmp_path)
    assert done.returncode == 1, done.stderr
    found: dict[str, set[str]] = {name: set() for name in names}
    for result in json.loads(done.stdout):
        found[result["constraint"]["metadata"]["name"]] |= codes([result["msg"]])
    assert found == {name: set(case.codes) for name, case in names.items()}


def test_a_suite_of_gator_verify(
    tool: Callable[[str], Path], templates: Path, decided: list[Decided], tmp_path: Path
) -> None:
    admitted = next(case for case in decided if case.allow).document
    denied = next(case for case in decided if not case.allow).document
    answers: dict[str, tuple[dict[str, Any], str | None]] = {
        "admitted": (recorded((IMAGE, admitted)), None),
        "denied": (recorded((IMAGE, denied)), IMAGE),
        "system-error": (
            recorded((IMAGE, admitted), system_error="down"),
            "adapter.provider: the provider failed: down",
        ),
        "status": (recorded((IMAGE, admitted), status_code=500), "status 500"),
        "error": (recorded(errors=[[IMAGE, "unknown"]]), "unknown"),
        "nothing": (recorded(), "has 0 answers"),
        "of-another": (recorded((OTHER, admitted)), "nobody asked"),
        "twice": (recorded((IMAGE, admitted), (IMAGE, admitted)), "has 2 answers"),
        "no-input": (recorded((IMAGE, {"allow": True})), "adapter.input"),
    }
    tests: list[dict[str, Any]] = []
    for name, (answer, message) in answers.items():
        (tmp_path / f"{name}.yaml").write_text(json.dumps(constraint(name, {"answer": answer})))
        said = [{"violations": "no"}] if message is None else [{"violations": "yes", "message": message}]
        tagged = [{"violations": 1, "message": "is not named by its digest"}]
        cases = [
            {"name": "pod", "object": "pod.yaml", "assertions": said},
            {"name": "by tag", "object": "tagged.yaml", "assertions": tagged},
        ]
        tests.append({"name": name, "template": "template.yaml", "constraint": f"{name}.yaml", "cases": cases})
    (tmp_path / "pod.yaml").write_text(json.dumps(pod(IMAGE)))
    (tmp_path / "tagged.yaml").write_text(json.dumps(pod("registry.example.com/app:1")))
    suite = {"apiVersion": "test.gatekeeper.sh/v1alpha1", "kind": "Suite", "metadata": {"name": "s"}, "tests": tests}
    (tmp_path / "template.yaml").write_bytes((templates / "template-recorded.yaml").read_bytes())
    (tmp_path / "suite.yaml").write_text(json.dumps(suite))
    done = gator(tool, "verify", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS" in done.stdout


def test_without_parameters_nothing_runs(tool: Callable[[str], Path], templates: Path, tmp_path: Path) -> None:
    words = written(tmp_path, constraint=constraint("empty", {}), pod=pod(IMAGE))
    done = gator(tool, "test", "-f", templates / "template-recorded.yaml", *words)
    assert (done.returncode, "adapter.provider" in done.stdout) == (1, True)


class Provider:
    """What a provider answers: changed by a test before it asks."""

    def __init__(self) -> None:
        self.status, self.response, self.asked = 200, b"", list[Any]()

    def says(self, **response: Any) -> None:
        tree = {"apiVersion": "externaldata.gatekeeper.sh/v1beta1", "kind": "ProviderResponse", "response": response}
        self.status, self.response = 200, json.dumps(tree).encode()


@contextmanager
def serving(provider: Provider, folder: Path) -> Iterator[dict[str, Any]]:
    """The Provider, as Gatekeeper wants it described, while it answers."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            provider.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(provider.status)
            self.send_header("Content-Length", str(len(provider.response)))
            self.end_headers()
            self.wfile.write(provider.response)

        def log_message(self, format: str, *args: Any) -> None:
            """Silence."""

    certificate, key = server_certificate(folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield {
            "apiVersion": "externaldata.gatekeeper.sh/v1beta1",
            "kind": "Provider",
            "metadata": {"name": "done-receipt"},
            "spec": {
                "url": f"https://127.0.0.1:{server.server_port}/",
                "timeout": 2,
                "caBundle": base64.b64encode(certificate.read_bytes()).decode(),
            },
        }
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Provider, dict[str, Any]]]:
    answering = Provider()
    with serving(answering, tmp_path_factory.mktemp("tls")) as described:
        yield answering, described


Review = Callable[..., list[str]]


@pytest.fixture
def review(
    tool: Callable[[str], Path], templates: Path, provider: tuple[Provider, dict[str, Any]], tmp_path: Path
) -> Review:
    """The messages of Gatekeeper's engine about one object, with this provider or another."""

    def ask(reviewed: dict[str, Any], described: dict[str, Any] | None = None, **parameters: Any) -> list[str]:
        asked = constraint("c", {"provider": "done-receipt", **parameters}, kind="DoneReceipt")
        documents = {"constraint": asked, "object": reviewed, "provider": described or provider[1]}
        paths = [tmp_path / f"{name}.yaml" for name in documents]
        for path, tree in zip(paths, documents.values(), strict=True):
            path.write_text(json.dumps(tree))
        argv = [tool("gatekeeper-review"), templates / "template.yaml", *paths]
        done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        said: dict[str, list[str]] = json.loads(done.stdout)
        return said[reviewed["metadata"]["name"]]

    return ask


def test_it_asks_the_provider_once_for_all_images(
    review: Review, provider: tuple[Provider, dict[str, Any]], decided: list[Decided]
) -> None:
    admitted = next(case for case in decided if case.allow).document
    answering, _ = provider
    answering.asked.clear()
    answering.says(items=[{"key": OTHER, "value": admitted}, {"key": IMAGE, "value": admitted}])
    assert review(pod(OTHER, IMAGE, IMAGE)) == []
    assert [asked["request"]["keys"] for asked in answering.asked] == [[IMAGE, OTHER]]
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}}
    assert review(deployment | {"spec": {"template": {"spec": pod(IMAGE, OTHER)["spec"]}}}) == []


def test_the_engine_decides_as_admit_does(
    review: Review, provider: tuple[Provider, dict[str, Any]], decided: list[Decided]
) -> None:
    for case in decided[::8]:
        provider[0].says(items=[{"key": IMAGE, "value": case.document}])
        assert codes(review(pod(IMAGE))) == case.codes, case.name


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ({"systemError": "down"}, "adapter.provider"),
        ({"items": [{"key": IMAGE, "error": "unknown"}]}, "adapter.provider"),
        ({"items": []}, "adapter.answer"),
        ({}, "adapter.answer"),
        ({"items": [{"key": IMAGE}]}, "adapter.input"),
        ({"items": [{"key": IMAGE, "value": "{}"}]}, "adapter.input"),
        ({"items": [{"key": OTHER, "value": {}}]}, "adapter.answer"),
    ],
)
def test_an_answer_that_is_none_denies(
    review: Review, provider: tuple[Provider, dict[str, Any]], response: dict[str, Any], code: str
) -> None:
    provider[0].says(**response)
    assert code in codes(review(pod(IMAGE)))


def test_a_provider_that_fails_denies(
    review: Review, provider: tuple[Provider, dict[str, Any]], decided: list[Decided]
) -> None:
    answering, described = provider
    answering.says(items=[{"key": IMAGE, "value": next(case for case in decided if case.allow).document}])
    assert review(pod(IMAGE)) == []
    answering.status = 500
    assert codes(review(pod(IMAGE))) == {"adapter.provider"}
    answering.status, answering.response = 200, b"<html>"
    assert "adapter.provider" in codes(review(pod(IMAGE)))
    gone = copy.deepcopy(described)
    gone["spec"]["url"] = "https://127.0.0.1:9/"
    assert "adapter.provider" in codes(review(pod(IMAGE), gone))
    assert "adapter.provider" in codes(review(pod(IMAGE), provider="another"))


def test_an_old_answer_denies_where_an_age_is_set(
    review: Review, provider: tuple[Provider, dict[str, Any]], decided: list[Decided]
) -> None:
    admitted = copy.deepcopy(next(case for case in decided if case.allow).document)
    admitted["evaluatedAt"] = "2020-01-01T00:00:00Z"
    provider[0].says(items=[{"key": IMAGE, "value": admitted}])
    assert any("older than maxAge" in message for message in review(pod(IMAGE), maxAge=86400))
