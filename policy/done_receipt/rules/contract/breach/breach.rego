# METADATA
# title: The receipt reports no breach
# description: |
#   The receipt itself does not say that its acceptance contract moved during the run.
# custom:
#   short_name: breach
#   order: 110
#   severity: error
#   failure_msg: the receipt reports that its acceptance contract moved
#   solution: |
#     Do the work again without touching the sealed paths.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.contract.breach

import data.done_receipt.lib

satisfied if {
	is_object(input.result.contract)
	is_string(input.result.contract.state)
	lib.at(input.result, ["contract", "breach"]) == null
}

violations contains violation if {
	not satisfied
	violation := lib.violation("contract.breach", text, lib.facts([["result", "contract", "breach"]]))
}

default text := "nothing shows that the receipt reports no breach"

text := "the receipt itself reports a breach of its acceptance contract" if {
	lib.at(input.result, ["contract", "breach"]) != null
}

grounds := lib.facts([["result", "contract"]])
