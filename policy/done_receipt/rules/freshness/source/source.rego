# METADATA
# title: The receipt is about this change
# description: |
#   Base, head and repository in the receipt are the verifier's own and those of the signer's certificate: it is not
#   an old receipt, and none of another branch or fork.
# custom:
#   short_name: source
#   order: 182
#   severity: error
#   failure_msg: nothing binds the receipt to the verifier's base, head and repository
#   solution: |
#     Ask for a receipt of this very change, and verify with --repo, --base and --head.
#   collections: [ci, protected-branch, release]
#   depends_on: [freshness.time]
#   effective_on: always
package done_receipt.rules.freshness.source

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if lib.witnessed("freshness", "freshness.source_equal")

violations contains violation if {
	lib.demanded("freshness.source")
	not satisfied
	text := concat("", [
		"a receipt bound to base, head and repository is demanded by ",
		demand.whose("freshness.source"),
		", and this verification does not show it",
	])
	violation := lib.violation("freshness.source", text, grounds)
}

grounds := lib.facts(lib.paths_of("freshness"))
