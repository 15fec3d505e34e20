# METADATA
# title: No claim failed
# description: |
#   No claim was recomputed and found to be as the receipt says, and not ok: evidence that confirms a failure.
# custom:
#   short_name: succeeded
#   order: 160
#   severity: error
#   failure_msg: the evidence was recomputed and confirms that something is not ok
#   solution: |
#     Repair what the evidence shows and build a new receipt.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.evidence.succeeded

import data.done_receipt.lib

satisfied if {
	every claim in lib.claims {
		claim.state != "failed"
		every evidence in claim.evidence {
			evidence.ok == true
		}
	}
}

violations contains violation if some violation in failed

violations contains violation if {
	not satisfied
	count(failed) == 0
	some violation in lib.uncounted("evidence.succeeded", "is ok")
}

failed contains violation if {
	some i, claim in input.result.claims
	some j, evidence in claim.evidence
	evidence.ok == false
	name := lib.item_name(claim, j)
	text := concat("", [name, " (", lib.shown(lib.at(evidence, ["kind"])), ") is not ok: ", word(evidence)])
	fact := lib.pointer(["result", "claims", i, "evidence", j, "ok"])
	violation := lib.termed("evidence.succeeded", name, text, [fact])
}

failed contains violation if {
	some i, claim in input.result.claims
	claim.state == "failed"
	not some_not_ok(claim)
	text := concat("", ["claim ", lib.shown(lib.at(claim, ["id"])), " failed"])
	fact := lib.pointer(["result", "claims", i, "state"])
	violation := lib.termed("evidence.succeeded", lib.shown(lib.at(claim, ["id"])), text, [fact])
}

some_not_ok(claim) if {
	some evidence in claim.evidence
	evidence.ok == false
}

word(evidence) := "recomputed, and it is so" if {
	evidence.state == "confirmed"
} else := "the receipt says so itself"

grounds := lib.facts([["result", "claims"]])
