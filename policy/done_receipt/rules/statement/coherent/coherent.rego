# METADATA
# title: The receipt agrees with itself
# description: |
#   The statement is the expected one and what it says does not contradict itself: passed, reason, breach,
#   outcome, times, and each item's ok against what it observed.
# custom:
#   short_name: coherent
#   order: 60
#   severity: error
#   failure_msg: the receipt contradicts itself or is not the expected one
#   solution: |
#     Build the receipt again; a receipt that contradicts itself was not made by an honest builder.
#   collections: [minimal]
#   depends_on: [statement.handler]
package done_receipt.rules.statement.coherent

import data.done_receipt.lib

satisfied if {
	lib.harmless("statement")
	input.result.verdict.coherent == true
}

violations contains violation if some violation in failures

violations contains violation if {
	lib.examined
	not satisfied
	count(failures) == 0
	violation := lib.violation("statement.coherent", "the receipt contradicts itself", ["/result/verdict/coherent"])
}

# statement.type speaks of a type that is not allowed
failures := lib.from_findings_except("statement.coherent", "statement", {"statement.type_not_allowed"})
