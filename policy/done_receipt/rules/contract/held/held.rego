# METADATA
# title: The acceptance contract did not move
# description: |
#   Every sealed path is as the verifier's contract, or else the receipt's own list, has it. When nothing is
#   sealed this is satisfied and warns; with minimumAssurance reported a contract that nobody looked at is enough
#   and warns. A file of the tree that decides how a command ends, and that is not sealed, is a warning, and so is a
#   path that an old format sealed as null.
# custom:
#   short_name: held
#   order: 100
#   severity: error
#   failure_msg: a sealed path moved, or nobody looked
#   solution: |
#     Put the sealed paths back and do the work again, or seal a new contract if the change is right.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.contract.held

import data.done_receipt.lib

satisfied if {
	contract.state in {"held", "held_as_reported"}
	unmoved
	lib.found("contract-seals", concat(".", ["contract-seals", contract.state]))
}

satisfied if nothing_sealed

satisfied if only_reported

violations contains violation if {
	some i, movement in contract.moved
	text := concat("", [lib.shown(lib.at(movement, ["path"])), " is sealed and was ", changes[movement.change]])
	fact := lib.pointer(["result", "contract", "moved", i])
	violation := lib.termed("contract.held", lib.shown(lib.at(movement, ["path"])), text, [fact])
}

violations contains violation if some violation in others

violations contains violation if {
	not satisfied
	not some_moved
	count(others) == 0
	text := concat("", ["the state of the contract is ", lib.shown(lib.at(contract, ["state"]))])
	violation := lib.violation("contract.held", text, grounds)
}

warnings contains lib.violation("contract.held", "nothing is sealed", grounds) if nothing_sealed

warnings contains warning if {
	only_reported
	warning := lib.violation("contract.held", "nobody looked at the sealed paths", grounds)
}

warnings contains warning if {
	some warning in lib.remarks("contract.held", "evidence-command", {"evidence-command.unsealed_script"})
}

warnings contains warning if {
	some warning in lib.remarks("contract.held", "contract-seals", remarkable)
}

remarkable := {"contract-seals.null_seal", "contract-seals.changed_by_target"}

default contract := {}

contract := input.result.contract if is_object(input.result.contract)

# Nothing is listed as moved, and the check found nothing against it.
unmoved if {
	object.get(contract, "moved", []) == []
	lib.harmless("contract-seals")
}

some_moved if {
	some movement in contract.moved
	changes[movement.change]
}

nothing_sealed if {
	contract.state == "nothing_sealed"
	unmoved
	lib.found("contract-seals", "contract-seals.nothing_sealed")
}

only_reported if {
	lib.reported_suffices
	contract.state == "not_checked"
	unmoved
}

changes := {
	"modified": "modified",
	"created": "created",
	"deleted": "deleted",
	"not_a_file": "replaced by something that is not a file",
}

# What the check found beside the paths that moved, which are listed one by one above.
moves contains concat(".", ["contract-seals", name]) if some name, _ in changes

others := lib.from_findings_except("contract.held", "contract-seals", moves) if {
	some_moved
} else := lib.from_findings("contract.held", "contract-seals")

grounds := lib.facts(array.concat([["result", "contract", "state"]], lib.paths_of("contract-seals")))
