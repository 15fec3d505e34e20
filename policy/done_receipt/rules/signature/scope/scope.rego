# METADATA
# title: The signers may speak for this
# description: |
#   Every trusted signer is trusted for the agent, the model, the repository and the predicate type that the
#   receipt names.
# custom:
#   short_name: scope
#   order: 30
#   severity: error
#   failure_msg: a signer is trusted, but not for what the receipt says
#   solution: |
#     Have the receipt signed by somebody with this scope, or widen the signer's scope in the trust file.
#   collections: [minimal]
#   depends_on: [signature.trusted]
package done_receipt.rules.signature.scope

import data.done_receipt.lib

satisfied if {
	lib.harmless("signature")
	every finding in lib.check("signature").findings {
		is_string(finding.reason)
		finding.reason != "signature.out_of_scope"
	}
}

violations contains violation if {
	some i, check in input.result.checks
	check.id == "signature"
	some j, finding in check.findings
	finding.reason == "signature.out_of_scope"
	fact := lib.pointer(["result", "checks", i, "findings", j])
	violation := lib.violation("signature.scope", lib.message(finding), [fact])
}
