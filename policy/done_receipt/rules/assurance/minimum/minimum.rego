# METADATA
# title: Enough was recomputed
# description: |
#   The assurance that the recheck earned is at least the demanded one: reported, partially_rechecked,
#   fully_rechecked.
# custom:
#   short_name: minimum
#   order: 170
#   severity: error
#   failure_msg: too little of the evidence was recomputed
#   solution: |
#     Give the workspace (--root), allow the commands (--recheck-commands and an allow entry), and ask for
#     evidence that can be recomputed: a claim without evidence never can.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [evidence.unrefuted, evidence.current, evidence.evaluated]
#   effective_on: always
package done_receipt.rules.assurance.minimum

import data.done_receipt.lib

satisfied if {
	ranks[input.result.assurance] >= ranks[input.profile.minimumAssurance]
	earned
}

violations contains violation if {
	not satisfied
	text := concat("", [
		"assurance is ",
		lib.shown(lib.at(input.result, ["assurance"])),
		", demanded is ",
		lib.shown(lib.at(input.profile, ["minimumAssurance"])),
		": ",
		lib.shown(lib.at(input.result, ["coverage", "confirmed"])),
		" of ",
		lib.shown(lib.at(input.result, ["coverage", "total"])),
		" item(s) confirmed",
	])
	facts := array.concat(grounds, open)
	violation := lib.violation("assurance.minimum", text, facts)
}

ranks := {"reported": 0, "partially_rechecked": 1, "fully_rechecked": 2}

# The result does not say more than its items do.
earned if {
	input.result.assurance == "reported"
	lib.claims
}

earned if {
	input.result.assurance == "partially_rechecked"
	is_number(input.result.coverage.confirmed)
	input.result.coverage.confirmed > 0
	lib.claims
}

earned if {
	input.result.assurance == "fully_rechecked"
	input.result.coverage.confirmed == input.result.coverage.total
	every claim in lib.claims {
		count(claim.evidence) > 0
		every evidence in claim.evidence {
			evidence.state == "confirmed"
		}
	}
}

# The claims that stand in the way.
open := [lib.pointer(["result", "claims", i, "state"]) |
	some i, claim in input.result.claims
	claim.state != "confirmed"
]

grounds := lib.facts([["result", "assurance"], ["profile", "minimumAssurance"], ["result", "coverage"]])
