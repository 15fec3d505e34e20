# METADATA
# title: The receipt is of the demanded repository
# description: |
#   The receipt names the repository of the profile's [source], character for character, and so does every signer's
#   certificate that names one.
# custom:
#   short_name: repository
#   order: 181
#   severity: error
#   failure_msg: the receipt, or a certificate, is of another repository, or nobody compared it
#   solution: |
#     Give the receipt to the gate of its own repository, or spell the demand as the receipt does; give recompute the
#     profile and the flags that admit has.
#   collections: []
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.freshness.repository

import data.done_receipt.lib

satisfied if lib.witnessed("freshness", "freshness.same_repository")

violations contains violation if some violation in failures

violations contains violation if {
	lib.demanded("freshness.repository")
	not satisfied
	count(failures) == 0
	text := "a repository is demanded, and this verification compared none"
	violation := lib.violation("freshness.repository", text, grounds)
}

failures contains violation if {
	some i in lib.positions.freshness
	some j, finding in input.result.checks[i].findings
	finding.reason == "freshness.other_repository"
	not finding.status == "pass"
	violation := lib.of_finding("freshness.repository", i, j, finding)
}

grounds := lib.facts(lib.paths_of("freshness"))
