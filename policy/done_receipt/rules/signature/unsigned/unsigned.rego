# METADATA
# title: No signature was asked for
# description: |
#   A warning, never a violation: the verifier asked for no signature, so nothing says who wrote the receipt.
#   Satisfied when a signature was asked for.
# custom:
#   short_name: unsigned
#   order: 20
#   severity: warning
#   failure_msg: no signature was asked for, nothing says who wrote this
#   solution: |
#     Verify with a trust file or a trusted key.
#   collections: []
#   depends_on: []
package done_receipt.rules.signature.unsigned

import data.done_receipt.lib

satisfied if {
	input.profile.unsigned == false
	input.result.trust.mode == "signed"
}

warnings contains warning if {
	input.profile.unsigned == true
	warning := lib.violation(
		"signature.unsigned",
		"no signature was asked for: nothing says who wrote this",
		["/profile/unsigned"],
	)
}
