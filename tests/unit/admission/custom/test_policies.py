"""What --policy names is read once, as a folder, a bundle or a module; pins and signatures come first."""

import gzip
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from in_toto_done_receipt.admission.custom import policies
from in_toto_done_receipt.admission.custom.policies import CustomPolicy, read_policies, refuse_modules
from in_toto_done_receipt.admission.custom.signature import FILE, read_key
from in_toto_done_receipt.errors import ConfigurationError
from tests.unit.admission.custom.conftest import MANIFEST, NEVER, bundle, tar

KEY = read_key(
    ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
    name="policy.pub",
)


def one(path: Path | str, **more: Any) -> CustomPolicy:
    (policy,) = read_policies([str(path)], **more)
    return policy


def put(folder: Path, data: bytes, name: str = "b.tar.gz") -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def refused(path: Path | str, match: str, **more: Any) -> ConfigurationError:
    with pytest.raises(ConfigurationError, match=match) as caught:
        read_policies([str(path)], **more)
    return caught.value


def test_a_folder(folder: Path) -> None:
    policy = one(folder)
    assert policy.sources == {"team/never.rego": NEVER.encode()}
    assert list(policy.tests) == ["team/never_test.rego"]
    assert (policy.module, policy.roots, policy.path) == (None, (), str(folder))


def test_a_bundle_of_the_folder_is_the_same_policy(folder: Path, tmp_path: Path) -> None:
    policy = one(put(tmp_path, bundle({"/team/never.rego": NEVER.encode()})))
    assert (policy.digest, policy.sources) == (one(folder).digest, one(folder).sources)
    assert policy.roots == ("done_receipt/custom",)


def test_a_module(tmp_path: Path) -> None:
    policy = one(put(tmp_path, b"\0asm\1\0\0\0", "m.wasm"))
    assert (policy.module, policy.sources) == (b"\0asm\1\0\0\0", {})
    assert policy.digest == hashlib.sha256(b"\0asm\1\0\0\0").hexdigest()


def test_a_bundle_with_a_module(tmp_path: Path) -> None:
    assert one(put(tmp_path, bundle({"policy.wasm": b"\0asm", "data.json": b" { }\n"}))).module == b"\0asm"


def test_files_beside_it_do_not_matter(folder: Path) -> None:
    before = one(folder).digest
    (folder / "README.md").write_text("x")
    (folder / ".git").mkdir()
    (folder / ".git" / "x.rego").write_text("no rego at all")
    (folder / "._never.rego").write_bytes(b"\0")
    assert one(folder).digest == before


def test_a_mounted_folder_is_read_through_its_links(tmp_path: Path) -> None:
    place = tmp_path / "mount"
    (place / "..2026").mkdir(parents=True)
    (place / "..2026" / "never.rego").write_text(NEVER)
    (place / "..data").symlink_to("..2026")
    (place / "never.rego").symlink_to("..data/never.rego")
    assert one(place).sources == {"never.rego": NEVER.encode()}


@pytest.mark.parametrize("name", ["data.json", "team/data.yaml", "team/data.yml", "patch.json"])
def test_a_folder_holds_no_data(folder: Path, name: str) -> None:
    (folder / name).write_text("{}")
    refused(folder, f"own: {name}: holds data, and policy of your own is rules only")


@pytest.mark.parametrize("name", ["data.json", "done_receipt/rules/data.json", "data.yaml", "patch.json", "plan.json"])
def test_a_bundle_holds_no_data(tmp_path: Path, name: str) -> None:
    data = bundle({"never.rego": NEVER.encode(), name: b'{"a": 1}'})
    refused(put(tmp_path, data), f"{name}: holds data, and policy of your own is rules only")


def test_a_bundle_is_rego_or_a_module(tmp_path: Path) -> None:
    data = bundle({"never.rego": NEVER.encode(), "policy.wasm": b"\0asm"})
    refused(put(tmp_path, data), "holds Rego and a compiled module, and not all of it would be evaluated")


def test_a_module_has_one_name(tmp_path: Path) -> None:
    refused(put(tmp_path, bundle({"a/policy.wasm": b"\0asm"})), r"the one module of a bundle is policy\.wasm")


def test_roots_of_ours_are_refused(tmp_path: Path) -> None:
    data = bundle(manifest=MANIFEST | {"roots": ["done_receipt"]})
    refused(put(tmp_path, data), "root done_receipt is not below")


def test_roots_that_overlap_are_refused(tmp_path: Path) -> None:
    first, second = put(tmp_path, bundle(), "a.tar.gz"), put(tmp_path, bundle(), "b.tar.gz")
    with pytest.raises(ConfigurationError, match="overlaps done_receipt/custom of"):
        read_policies([str(first), str(second)])


def test_named_twice_is_refused(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="named twice"):
        read_policies([str(folder), str(folder)])


@pytest.mark.parametrize("text", ["", "package x", "{}", "PK\3\4"])
def test_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    refused(put(tmp_path, text.encode(), "x"), "is neither a folder, a bundle")


def test_a_single_file_has_a_hint(tmp_path: Path) -> None:
    assert refused(put(tmp_path, NEVER.encode(), "x.rego"), "is neither").hint == "name the folder that it lies in"


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / "none", "none cannot be read: no such file")


def test_a_fifo_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "is a FIFO")


@pytest.mark.parametrize("make", [lambda p: p, lambda p: (p / "a_test.rego").write_text("package a\n") and p])
def test_without_rules_it_is_none(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    refused(make(tmp_path), "holds no policy")


def test_the_number_of_files_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policies, "MAX_FILES", 1)
    refused(folder, "more than 1 Rego files")


@pytest.mark.parametrize("kind", ["folder", "bundle"])
def test_the_size_of_a_file_is_bounded(
    folder: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policies, "MAX_REGO", 100)
    refused(folder if kind == "folder" else put(tmp_path, bundle()), "100")


def pins(folder: Path, tmp_path: Path) -> dict[Path, str]:
    archive, module = put(tmp_path, bundle()), put(tmp_path, b"\0asm", "m.wasm")
    return {
        folder: one(folder).digest,
        **{path: hashlib.sha256(path.read_bytes()).hexdigest() for path in (archive, module)},
    }


def test_a_pin_holds_the_policy(folder: Path, tmp_path: Path) -> None:
    for path, digest in pins(folder, tmp_path).items():
        assert one(f"{path}@sha256:{digest}").path == str(path)


def test_another_pin_is_refused(folder: Path, tmp_path: Path) -> None:
    for path, digest in pins(folder, tmp_path).items():
        refused(f"{path}@sha256:{'0' * 64}", f"sha256 is {digest}, pinned is {'0' * 64}")


def test_a_pin_is_compared_before_anything_looks_inside(tmp_path: Path) -> None:
    refused(f"{put(tmp_path, gzip.compress(b'no archive'))}@sha256:{'0' * 64}", "pinned is")


def signed(tmp_path: Path) -> Path:
    return put(tmp_path, bundle({"never.rego": NEVER.encode(), FILE: json.dumps({"signatures": ["x"]}).encode()}))


def test_a_signed_bundle_wants_a_key(tmp_path: Path) -> None:
    error = refused(signed(tmp_path), "is signed, and no key was named")
    assert error.hint == "add --policy-key PEM, or pin the bundle: PATH@sha256:DIGEST"


def test_a_signed_bundle_can_be_pinned_instead(tmp_path: Path) -> None:
    path = signed(tmp_path)
    assert one(f"{path}@sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}").sources


def test_a_signature_is_verified_before_anything_looks_inside(tmp_path: Path) -> None:
    data = gzip.compress(tar({FILE: json.dumps({"signatures": ["x"]}).encode(), "data.json": b'{"a": 1}'}))
    refused(put(tmp_path, data), "is not signed by", key=KEY)


@pytest.mark.parametrize("kind", ["folder", "module", "bundle"])
def test_with_a_key_everything_is_a_signed_bundle(folder: Path, tmp_path: Path, kind: str) -> None:
    made = {"folder": folder, "module": put(tmp_path, b"\0asm", "m.wasm"), "bundle": put(tmp_path, bundle())}
    refused(made[kind], r"is no signed bundle|is not signed \(", key=KEY)


def test_every_path_is_guarded(folder: Path) -> None:
    seen: list[Path] = []
    one(folder, guard=seen.append)
    assert seen == [folder, folder / "team" / "never.rego", folder / "team" / "never_test.rego"]


def test_modules_can_be_refused(tmp_path: Path) -> None:
    policy = one(put(tmp_path, b"\0asm", "m.wasm"))
    with pytest.raises(ConfigurationError, match=r"m\.wasm: is a compiled module, and OPA wants sources"):
        refuse_modules([policy], "OPA wants sources")
