# METADATA
# title: The contract held against the verifier's own
# description: |
#   Every sealed path is as the base revision or the verifier's own contract has it. The receipt's own list is not
#   enough, and neither is a contract that seals nothing.
# custom:
#   short_name: verified
#   order: 102
#   severity: error
#   failure_msg: nothing but the receipt's word shows that the contract held
#   solution: |
#     Give the contract with --contract, or the base revision with --repo and --base.
#   collections: [ci, protected-branch, release]
#   depends_on: [contract.held]
#   effective_on: always
package done_receipt.rules.contract.verified

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if {
	input.result.contract.state == "held"
	lib.witnessed("contract-seals", "contract-seals.held")
}

violations contains violation if {
	lib.demanded("contract.verified")
	not satisfied
	text := concat("", [
		"a contract that held against the verifier's own is demanded by ",
		demand.whose("contract.verified"),
		", the state of the contract is ",
		lib.shown(lib.at(input.result, ["contract", "state"])),
	])
	violation := lib.violation("contract.verified", text, grounds)
}

grounds := lib.facts(array.concat([["result", "contract", "state"]], lib.paths_of("contract-seals")))
