# METADATA
# title: No evidence is refuted
# description: |
#   Nothing that was recomputed contradicts the receipt.
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

satisfied if lib.none_in_state("refuted")

violations contains violation if {
	some violation in lib.items_in_state("evidence.unrefuted", "refuted", "is refuted")
}

violations contains violation if {
	lib.examined
	not satisfied
	count(lib.items_in_state("evidence.unrefuted", "refuted", "is refuted")) == 0
	text := "the result does not say of every evidence item whether it is refuted"
	violation := lib.violation("evidence.unrefuted", text, ["/result/claims", "/result/coverage"])
}
