# METADATA
# title: Admission policy
# description: |
#   What a verifier demands before it says yes. The decision is data.done_receipt.admission.decision; the rules are
#   packages done_receipt.rules.<category>.<rule>. `opa check --schema policy/schemas` holds every reference into the
#   input against the published schema.
# scope: subpackages
# schemas:
#   - input: schema.input
package done_receipt
