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
#   collections: [minimal]
#   depends_on: [statement.handler]
package done_receipt.rules.evidence.unrefuted

import data.done_receipt.lib

satisfied if {
	lib.none_in_state("refuted")
	is_array(input.result.checks)
	count(lib.strays("evidence.unrefuted", "fail")) == 0
}

violations contains violation if some violation in lib.strays("evidence.unrefuted", "fail")

violations contains violation if some violation in violations_of_items

violations contains violation if {
	lib.examined
	not satisfied
	count(violations_of_items) == 0
	count(lib.strays("evidence.unrefuted", "fail")) == 0
	text := "the result does not say of every evidence item whether it is refuted"
	violation := lib.violation("evidence.unrefuted", text, ["/result/claims", "/result/coverage"])
}

violations_of_items := lib.items_in_state("evidence.unrefuted", "refuted", "is refuted")
