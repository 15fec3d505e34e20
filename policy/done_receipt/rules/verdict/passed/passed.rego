# METADATA
# title: The verdict is checked and passed
# description: |
#   The receipt says that the work was checked and passed, and does not contradict itself.
# custom:
#   short_name: passed
#   order: 120
#   severity: error
#   failure_msg: the receipt does not say that the work was checked and passed
#   solution: |
#     Finish the work, check it, and build a new receipt.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.coherent, contract.breach]
#   effective_on: always
package done_receipt.rules.verdict.passed

import data.done_receipt.lib

satisfied if {
	input.result.verdict.checked == true
	input.result.verdict.passed == true
	input.result.verdict.coherent == true
}

violations contains violation if {
	not satisfied
	[text, member] := fault
	violation := lib.violation("verdict.passed", text, lib.facts([["result", "verdict", member]]))
}

default fault := ["the receipt contradicts itself", "coherent"]

fault := ["the statement has no verdict", "checked"] if {
	not is_object(lib.at(input.result, ["verdict"]))
} else := ["the receipt says that nobody checked", "checked"] if {
	not input.result.verdict.checked == true
} else := ["the receipt says that it did not pass", "passed"] if {
	not input.result.verdict.passed == true
}

grounds := lib.facts([["result", "verdict"]])
