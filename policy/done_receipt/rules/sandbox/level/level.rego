# METADATA
# title: Commands ran in the demanded sandbox
# description: |
#   When a command or test run counts as confirmed, it ran at least at the sandbox level that the profile demands:
#   rlimits, landlock, bubblewrap.
# custom:
#   short_name: level
#   order: 210
#   severity: error
#   failure_msg: a command was confirmed in a weaker sandbox than the profile demands
#   solution: |
#     Verify on a machine that offers the demanded level; doctor says what this one offers.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.sandbox.level

import data.done_receipt.lib

satisfied if {
	lib.claims
	ranks[input.result.sandbox.level] >= 0
	ranks[input.profile.sandbox.required] > 0
	not ran
}

satisfied if strong_enough

violations contains violation if {
	not satisfied
	text := concat("", [
		"commands ran at level ",
		lib.shown(lib.at(input.result, ["sandbox", "level"])),
		", demanded is ",
		lib.shown(lib.at(input.profile, ["sandbox", "required"])),
	])
	violation := lib.violation("sandbox.level", text, grounds)
}

ranks := {"none": 0, "rlimits": 1, "landlock": 2, "bubblewrap": 3}

ran if {
	some claim in lib.claims
	some evidence in claim.evidence
	evidence.kind in {"command", "tests"}
	evidence.state == "confirmed"
}

strong_enough if {
	lib.claims
	ranks[input.profile.sandbox.required] > 0
	ranks[input.result.sandbox.level] >= ranks[input.profile.sandbox.required]
}

grounds := lib.facts([["result", "sandbox", "level"], ["profile", "sandbox", "required"]])
