# METADATA
# title: The receipt was made for this packet
# description: |
#   Packet, input commit and output manifest in the receipt are exactly the verifier's. Satisfied as well when the
#   verifier gave none of them: then it demands no context.
# custom:
#   short_name: equal
#   order: 70
#   severity: error
#   failure_msg: the receipt was made for another packet, input or output
#   solution: |
#     Ask for a receipt of this very run, or check the three digests that you gave.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.context.equal

import data.done_receipt.lib

satisfied if lib.passed("context")

satisfied if lib.not_checked_because("context", {"context.not_demanded"})

violations contains violation if some violation in failures

violations contains violation if {
	not satisfied
	count(failures) == 0
	violation := lib.violation("context.equal", "the context was not compared", grounds)
}

failures := lib.from_findings("context.equal", "context")

grounds := lib.facts(lib.paths_of("context"))
