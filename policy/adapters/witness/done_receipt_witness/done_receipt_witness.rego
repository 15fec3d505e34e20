# METADATA
# title: witness
# description: |
#   Rego of a witness policy, for the command-run attestation of a step that ran
#   `done-receipt verify … --format policy-input`, or for an attestation that is a policy input itself. witness asks for
#   the `deny` of every package at once and takes no answer for consent: so `deny` is a set whatever the input is, in
#   this package and in every one that stands beside it.
package done_receipt_witness

import data.done_receipt_adapters.document
import data.done_receipt_adapters.wording

deny contains wording.sentence(denial) if some denial in document.denials(shown)

# What the command printed; null, which is denied, when that is no JSON.
shown := printed if {
	is_string(input.stdout)
	printed := json.unmarshal(input.stdout)
} else := null if {
	is_string(input.stdout)
} else := input
