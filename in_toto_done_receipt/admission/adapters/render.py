"""The files of each adapter, ready for its tool: `done-receipt policy adapter NAME`.

Source: contracts of conftest 0.71, Gatekeeper 3.23 (constraint framework, templates v1), cosign 3.1, policy-controller
0.13, go-witness (policy/rego.go), as their sources have them.
"""

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from in_toto_done_receipt.admission.adapters.sources import (
    adapter_source,
    as_library,
    as_v0,
    body_of,
    has_rules,
    in_one_module,
    shared_rules,
    with_deny,
    without_comments,
)
from in_toto_done_receipt.wire.value import Value

_ENTRY: Final = "gatekeeper/donereceipt/donereceipt.rego"
_RECORDED: Final = "gatekeeper/donereceipt/recorded.rego"
# The one line in which the two templates differ. `keys` is a function of the shared rules.
_ASK: Final = 'answer := external_data({"provider": parameters.provider, "keys": gatekeeper.keys(review)})\n'
_WITNESS: Final = "witness/done_receipt_witness/done_receipt_witness.rego"
_VSA: Final = "https://slsa.dev/verification_summary/v1"


class Wanted(Value, kw_only=True):
    """What an attached verdict has to say; for cosign and policy-controller, which have no other place for it.

    `images` are globs and `key` the verifier's public key in PEM: for policy-controller.
    """

    verifier_id: str
    resource_uris: tuple[str, ...]
    levels: tuple[str, ...]
    judged_by: str = ""
    max_age: int = 0
    claims: bool = False
    images: tuple[str, ...] = ()
    key: str = ""


Files = dict[str, bytes]


def conftest(folder: Path, _wanted: Wanted | None) -> Files:
    """A folder for `conftest test --policy`."""
    texts = shared_rules(folder) | {"main/main.rego": adapter_source(folder, "conftest/main/main.rego")}
    return {name: text.encode() for name, text in texts.items()}


def gatekeeper(folder: Path, _wanted: Wanted | None) -> Files:
    """The template for a cluster, the one for `gator`, and a constraint to start from."""
    return {
        "template.yaml": template(folder),
        "template-recorded.yaml": template(folder, recorded=True),
        "constraint.yaml": _CONSTRAINT.encode(),
    }


def cosign(folder: Path, wanted: Wanted | None) -> Files:
    """One file for `cosign verify-attestation --policy`."""
    return {"done-receipt.rego": _attested(folder, "signature", "cosign/signature/signature.rego", wanted).encode()}


def policy_controller(folder: Path, wanted: Wanted | None) -> Files:
    """A ClusterImagePolicy."""
    module = _attested(folder, "sigstore", "policy_controller/sigstore/sigstore.rego", wanted)
    images = "".join(f"  - glob: {json.dumps(glob)}\n" for glob in wanted.images) if wanted else ""
    key = _indented(wanted.key if wanted else "", 8)
    return {"image-policy.yaml": _IMAGE_POLICY.format(images=images, key=key, module=_indented(module, 10)).encode()}


def witness(folder: Path, _wanted: Wanted | None) -> Files:
    """The `regopolicies` of an attestation in a witness policy; all of them belong to it."""
    texts = {name: with_deny(text) for name, text in shared_rules(folder).items() if has_rules(text)}
    texts["done_receipt_witness.rego"] = adapter_source(
        folder, "witness/done_receipt_witness/done_receipt_witness.rego"
    )
    policies = [
        {"name": name, "module": base64.b64encode(as_v0(without_comments(text)).encode()).decode()}
        for name, text in sorted(texts.items())
    ]
    return {"regopolicies.json": (json.dumps(policies, indent=1) + "\n").encode()}


RENDERERS: Final[Mapping[str, Callable[[Path, Wanted | None], Files]]] = {
    "conftest": conftest,
    "gatekeeper": gatekeeper,
    "cosign": cosign,
    "policy-controller": policy_controller,
    "witness": witness,
}


def template(folder: Path, *, recorded: bool = False) -> bytes:
    """The constraint template: all rules as its libraries. `recorded`: its answers stand in the constraint."""
    asked = body_of(adapter_source(folder, _RECORDED)) + "\n" if recorded else _ASK
    entry = f"{as_library(without_comments(adapter_source(folder, _ENTRY)))}\n{asked}"
    libraries = [
        as_library(without_comments(text))
        for _, text in sorted(shared_rules(folder, "gatekeeper").items())
        if has_rules(text)
    ]
    kind = "DoneReceiptRecorded" if recorded else "DoneReceipt"
    head = _TEMPLATE.format(name=kind.lower(), kind=kind, answer=_ANSWER if recorded else _PROVIDER)
    blocks = "".join(f"        - |\n{_indented(text, 10)}" for text in libraries)
    return f"{head}          rego: |\n{_indented(entry, 12)}          libs:\n{_indented(blocks, 2)}".encode()


def _attested(folder: Path, package: str, entry: str, wanted: Wanted | None) -> str:
    settings = adapter_source(folder, "attested/attested/wanted.rego") if wanted is None else _settings(wanted)
    rules = adapter_source(folder, "attested/attested/attested.rego")
    tail = adapter_source(folder, entry).replace("attested.verdict", "verdict")
    return in_one_module(package, [settings, rules, tail])


def _settings(wanted: Wanted) -> str:
    tree: dict[str, Any] = {
        "verifier": wanted.verifier_id,
        "resources": list(wanted.resource_uris),
        "levels": list(wanted.levels),
        "judgedBy": wanted.judged_by,
        "maxAge": wanted.max_age,
        "claims": "beside a summary" if wanted.claims else "refused",
    }
    return f"package attested\n\nwanted := {json.dumps(tree, indent=1)}\n"


def _indented(text: str, by: int) -> str:
    """Each line moved to the right; of empty ones nothing is left to move."""
    return "".join(f"{' ' * by}{line}" if line.strip() else "\n" for line in text.splitlines(keepends=True))


_PROVIDER: Final = """\
            provider:
              description: The name of the Provider that answers for an image with a policy input.
              type: string
"""
_ANSWER: Final = """\
            answer:
              description: What external_data would give, recorded; for gator. Never deploy this template.
              type: object
              x-kubernetes-preserve-unknown-fields: true
"""
_TEMPLATE: Final = """\
# Made from the rules by done-receipt; do not edit.
apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata:
  name: {name}
spec:
  crd:
    spec:
      names:
        kind: {kind}
      validation:
        openAPIV3Schema:
          type: object
          properties:
{answer}\
            maxAge:
              description: In seconds; an answer that was made longer ago is none.
              type: integer
              minimum: 1
  targets:
    - target: admission.k8s.gatekeeper.sh
      code:
      - engine: Rego
        source:
          version: v1
"""
_CONSTRAINT: Final = """\
apiVersion: constraints.gatekeeper.sh/v1beta1
kind: DoneReceipt
metadata:
  name: done-receipt
spec:
  enforcementAction: deny
  match:
    kinds:
    - apiGroups: [""]
      kinds: ["Pod"]
    - apiGroups: ["apps"]
      kinds: ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"]
    - apiGroups: ["batch"]
      kinds: ["Job", "CronJob"]
  parameters:
    provider: done-receipt
    maxAge: 86400
"""
_IMAGE_POLICY: Final = f"""\
apiVersion: policy.sigstore.dev/v1beta1
kind: ClusterImagePolicy
metadata:
  name: done-receipt
spec:
  mode: enforce
  images:
{{images}}\
  authorities:
  - name: verifier
    key:
      data: |
{{key}}\
    attestations:
    - name: done-receipt
      predicateType: {_VSA}
      policy:
        type: rego
        data: |
{{module}}"""
