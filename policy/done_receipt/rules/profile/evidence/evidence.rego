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
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.profile.evidence

import data.done_receipt.lib

satisfied_terms contains term if {
	some term in terms
	every demand in demands[term] {
		met(demand)
	}
}

violations contains violation if {
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
	facts := lib.facts([["profile", "evidence", i], ["result", "claims"]])
	violation := lib.termed("profile.evidence", name(demand), text, facts)
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
	count(confirmed[demand.claim][demand.kind]) > 0
	argv_shown(demand)
	runner_shown(demand)
	every path in demand.paths {
		path_shown(demand, path)
	}
}

argv_shown(demand) if demand.argv == []

argv_shown(demand) if {
	some steps in confirmed[demand.claim][demand.kind]
	item(steps).argv == demand.argv
}

# The items of kind tests were all run by one runner, the profile's.
runner_shown(demand) if lib.at(demand, ["runner"]) == null

runner_shown(demand) if demand.runner == lib.at(input.result, ["tests", "runner"])

path_shown(demand, path) if {
	some steps in confirmed[demand.claim][demand.kind]
	item(steps).path == path
}

# Steps to each item that was confirmed and is ok, by claim and kind.
confirmed[claim.id][evidence.kind] contains ["result", "claims", i, "evidence", j] if {
	some i, claim in lib.claims
	some j, evidence in claim.evidence
	evidence.state == "confirmed"
	evidence.ok == true
}

item(steps) := input.result.claims[steps[2]].evidence[steps[4]]

of_what(demand) := concat("", [" for ", listed]) if {
	listed := words(", ", lib.at(demand, ["paths"]))
	listed != ""
} else := concat("", [" for ", listed]) if {
	listed := words(" ", lib.at(demand, ["argv"]))
	listed != ""
} else := concat("", [" by the runner ", demand.runner]) if {
	is_string(demand.runner)
} else := ""

words(between, list) := concat(between, [word | some word in list; is_string(word)]) if is_array(list)

term_grounds[term] contains fact if {
	some term in satisfied_terms
	some demand in demands[term]
	some steps in confirmed[demand.claim][demand.kind]
	fact := lib.pointer(steps)
}
