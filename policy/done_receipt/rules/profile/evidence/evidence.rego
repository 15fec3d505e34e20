# METADATA
# title: What the profile wants shown is confirmed
# description: |
#   For each [[evidence]] of the profile the receipt has a claim of that id with evidence of that kind that was
#   recomputed, agrees and is ok; where the profile names paths or a command, with exactly those. Satisfied one by
#   one, as profile.evidence:CLAIM/KIND.
# custom:
#   short_name: evidence
#   order: 220
#   severity: error
#   failure_msg: evidence that the profile demands is missing or not confirmed
#   solution: |
#     Build the receipt with this claim and kind of evidence, and verify it where the evidence can be recomputed.
#   collections: []
#   depends_on: [evidence.unrefuted]
package done_receipt.rules.profile.evidence

import data.done_receipt.lib

satisfied_terms contains term if {
	some term in terms
	every demand in demands[term] {
		met(demand)
	}
}

violations contains violation if {
	lib.examined
	is_array(input.profile.evidence)
	some i, demand in input.profile.evidence
	not met(demand)
	text := concat("", [
		"claim ",
		lib.shown(lib.at(demand, ["claim"])),
		" has no confirmed evidence of kind ",
		lib.shown(lib.at(demand, ["kind"])),
		of_what(demand),
	])
	fact := lib.pointer(["profile", "evidence", i])
	violation := lib.termed("profile.evidence", name(demand), text, [fact, "/result/claims"])
}

demands[term] contains demand if {
	is_array(input.profile.evidence)
	some demand in input.profile.evidence
	term := name(demand)
}

terms contains term if some term, _ in demands

name(demand) := concat("/", [lib.shown(lib.at(demand, ["claim"])), lib.shown(lib.at(demand, ["kind"]))])

# Both lists are always there in the policy input, empty when the profile names none.
met(demand) if {
	is_string(demand.claim)
	is_string(demand.kind)
	is_array(demand.argv)
	is_array(demand.paths)
	confirmed := confirmed_items(demand.claim, demand.kind)
	count(confirmed) > 0
	argv_shown(demand, confirmed)
	every path in demand.paths {
		path_shown(path, confirmed)
	}
}

argv_shown(demand, _) if demand.argv == []

argv_shown(demand, confirmed) if {
	some evidence in confirmed
	evidence.argv == demand.argv
}

path_shown(path, confirmed) if {
	some evidence in confirmed
	evidence.path == path
}

confirmed_items(id, kind) := [evidence |
	some claim in lib.claims
	claim.id == id
	some evidence in claim.evidence
	evidence.kind == kind
	evidence.state == "confirmed"
	evidence.ok == true
]

of_what(demand) := concat("", [" for ", concat(", ", demand.paths)]) if {
	count(demand.paths) > 0
} else := concat("", [" for ", concat(" ", demand.argv)]) if {
	count(demand.argv) > 0
} else := ""
