# METADATA
# title: Nothing was loosened by name
# description: |
#   A warning for each override that the verifier named: a flag was allowed to loosen what a profile says, or to
#   leave out a safeguard. A denial where the profile includes this rule.
# custom:
#   short_name: overrides
#   order: 240
#   severity: warning
#   failure_msg: an override loosens what the profile says
#   solution: |
#     Verify without --override.
#   collections: []
#   depends_on: []
#   effective_on: always
package done_receipt.rules.profile.overrides

import data.done_receipt.lib

satisfied if input.profile.overrides == []

warnings contains remark if {
	not lib.demanded("profile.overrides")
	some remark in remarks
}

violations contains remark if {
	lib.demanded("profile.overrides")
	some remark in remarks
}

violations contains remark if {
	lib.demanded("profile.overrides")
	not is_array(lib.at(input, ["profile", "overrides"]))
	remark := lib.violation("profile.overrides", "the overrides cannot be read", grounds)
}

remarks contains remark if {
	is_array(input.profile.overrides)
	some i, name in input.profile.overrides
	text := concat("", ["override ", lib.shown(name), " was given: it loosens what the verifier's files say"])
	remark := lib.violation("profile.overrides", text, lib.facts([["profile", "overrides", i]]))
}

grounds := lib.facts([["profile", "overrides"]])
