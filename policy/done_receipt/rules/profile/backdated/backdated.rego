# METADATA
# title: The verification is of now
# description: |
#   A warning when the verifier judged as of an earlier time: keys, exceptions and ages that have run out since
#   still count then. A denial where the profile includes this rule.
# custom:
#   short_name: backdated
#   order: 250
#   severity: warning
#   failure_msg: the evaluation time lies in the past
#   solution: |
#     Verify without --at.
#   collections: []
#   depends_on: []
#   effective_on: always
package done_receipt.rules.profile.backdated

import data.done_receipt.lib

satisfied if input.profile.backdated == false

warnings contains remark if {
	not lib.demanded("profile.backdated")
	input.profile.backdated == true
}

violations contains remark if {
	lib.demanded("profile.backdated")
	not satisfied
}

remark := lib.violation("profile.backdated", text, lib.facts([["profile", "backdated"], ["evaluatedAt"]]))

text := concat("", ["judged as of ", lib.shown(lib.at(input, ["evaluatedAt"])), ", which is past"])

grounds := lib.facts([["profile", "backdated"], ["evaluatedAt"]])
