"""The page on a Sigstore of one's own: each command is typed, with the addresses of a stack in place of the page's."""

import shutil
from pathlib import Path

import pytest

from tests.cli.test_docs import DOCS, steps, transcript, typed_in
from tests.integration.made import PERSON
from tests.integration.stack.issuer import HOST
from tests.integration.stack.sigstore import SigstoreStack

pytestmark = [pytest.mark.integration, pytest.mark.loopback]

PAGE = DOCS / "how-to" / "private-sigstore.md"
GIVEN = ("fulcio-chain.pem", "tsa-chain.pem", "ctlog.pub", "rekor.pub")


def test_the_page_on_a_private_sigstore_does_what_it_shows(
    sigstore_stack: SigstoreStack, sigstore_bin: Path, tmp_path: Path
) -> None:
    at = sigstore_stack.at
    text = PAGE.read_text(encoding="utf-8")
    for name, url in {"fulcio": at.fulcio, "ctlog": at.ctlog, "rekor": at.rekor, "tsa": at.tsa}.items():
        text = text.replace(f"https://{name}.acme.example", url)
    text = text.replace("origin=rekor.acme.example", f"origin={HOST}")
    assert "acme.example" not in text
    page, folder = tmp_path / "page.md", tmp_path / "folder"
    page.write_text(text)
    folder.mkdir()
    for name in GIVEN:
        shutil.copy(sigstore_stack.folder / name, folder)
    (folder / "token").write_text(sigstore_stack.fetch_token("email", email=PERSON))
    wanted = steps(page)
    assert len(wanted) > 15
    assert "\n".join(transcript(typed_in(folder, sigstore_bin, wanted), wanted)) == ""
