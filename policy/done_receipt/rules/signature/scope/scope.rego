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
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [signature.trusted]
#   effective_on: always
package done_receipt.rules.signature.scope

import data.done_receipt.lib

satisfied if {
	lib.harmless("signature")
	every finding in lib.check("signature").findings {
		is_string(finding.reason)
		finding.reason != "signature.out_of_scope"
	}
}

violations contains violation if some violation in out_of_scope

violations contains violation if {
	not satisfied
	count(out_of_scope) == 0
	facts := lib.facts(lib.paths_of("signature"))
	violation := lib.violation("signature.scope", "nothing shows what the signers are trusted for", facts)
}

out_of_scope := lib.of_reason("signature.scope", "signature", "signature.out_of_scope")

grounds := lib.facts(lib.paths_of("signature"))
