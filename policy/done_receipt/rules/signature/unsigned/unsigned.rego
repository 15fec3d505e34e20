# METADATA
# title: A signature was asked for
# description: |
#   A warning when the verifier asked for no signature: nothing says who wrote the receipt then. A denial where the
#   profile includes this rule.
# custom:
#   short_name: unsigned
#   order: 20
#   severity: warning
#   failure_msg: no signature was asked for, nothing says who wrote this
#   solution: |
#     Verify with a trust file or a trusted key.
#   collections: []
#   depends_on: []
#   effective_on: always
package done_receipt.rules.signature.unsigned

import data.done_receipt.lib

satisfied if {
	input.profile.unsigned == false
	input.result.trust.mode == "signed"
}

warnings contains remark if {
	not lib.demanded("signature.unsigned")
	input.profile.unsigned == true
}

violations contains remark if {
	lib.demanded("signature.unsigned")
	not satisfied
}

remark := lib.violation(
	"signature.unsigned",
	"no signature was asked for: nothing says who wrote this",
	lib.facts([["profile", "unsigned"], ["result", "trust", "mode"]]),
)

grounds := lib.facts([["profile", "unsigned"], ["result", "trust", "mode"]])
