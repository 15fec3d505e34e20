# METADATA
# title: No evidence is refuted
# description: |
#   Nothing that was recomputed contradicts the receipt: no evidence item, and no finding of a check that no other
#   rule speaks of.
# custom:
#   short_name: unrefuted
#   order: 130
#   severity: error
#   failure_msg: an evidence item was recomputed and contradicts the receipt
#   solution: |
#     What the receipt says is not what is there: do not admit it; find out what changed, and when.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.evidence.unrefuted

import data.done_receipt.lib

satisfied if {
	lib.none_in_state("refuted")
	is_array(input.result.checks)
	count(strays) == 0
}

violations contains violation if some violation in strays

violations contains violation if some violation in items

violations contains violation if {
	not satisfied
	count(items) == 0
	count(strays) == 0
	some violation in lib.uncounted("evidence.unrefuted", "is refuted")
}

items := lib.items_in_state("evidence.unrefuted", "refuted", "is refuted")

strays := lib.strays("evidence.unrefuted", "fail")

grounds := lib.facts([["result", "coverage", "refuted"], ["result", "claims"]])
