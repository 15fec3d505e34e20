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
#   collections: [minimal]
#   depends_on: [evidence.unrefuted]
package done_receipt.rules.evidence.current

import data.done_receipt.lib

satisfied if lib.none_in_state("stale")

violations contains violation if {
	some violation in lib.items_in_state("evidence.current", "stale", "is stale")
}
