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
#   collections: [minimal]
#   depends_on: [statement.coherent]
package done_receipt.rules.verdict.passed

import data.done_receipt.lib

satisfied if {
	input.result.verdict.checked == true
	input.result.verdict.passed == true
	input.result.verdict.coherent == true
}

violations contains violation if {
	lib.examined
	not is_object(lib.at(input.result, ["verdict"]))
	violation := lib.violation("verdict.passed", "the statement has no verdict", ["/result/verdict"])
}

violations contains violation if {
	lib.examined
	is_object(input.result.verdict)
	not input.result.verdict.checked == true
	violation := lib.violation("verdict.passed", "the receipt says that nobody checked", ["/result/verdict/checked"])
}

violations contains violation if {
	lib.examined
	input.result.verdict.checked == true
	not input.result.verdict.passed == true
	violation := lib.violation("verdict.passed", "the receipt says that it did not pass", ["/result/verdict/passed"])
}
