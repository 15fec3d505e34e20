# METADATA
# title: No evidence is stale
# description: |
#   Nothing holds only in the tree that the receipt speaks of and no longer in the place that the verifier pointed
#   at.
# custom:
#   short_name: current
#   order: 140
#   severity: error
#   failure_msg: the receipt is true of its own tree and not of the place the verifier pointed at
#   solution: |
#     Ask for a receipt of the present tree.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.evidence.current

import data.done_receipt.lib

satisfied if lib.none_in_state("stale")

violations contains violation if some violation in items

violations contains violation if {
	not satisfied
	count(items) == 0
	some violation in lib.uncounted("evidence.current", "is stale")
}

items := lib.items_in_state("evidence.current", "stale", "is stale")

grounds := lib.facts([["result", "coverage", "stale"], ["result", "claims"]])
