# METADATA
# title: Tests were run again and passed
# description: |
#   At least one evidence item of kind tests was confirmed by the profile's own runner and command, and none of that
#   kind failed.
# custom:
#   short_name: confirmed
#   order: 162
#   severity: error
#   failure_msg: no evidence of kind tests was confirmed by the profile's runner
#   solution: |
#     Name runner and command in [tests] of the profile, have the receipt carry evidence of kind tests, and verify
#     with --repo, a base and --recheck-commands.
#   collections: [ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.tests.confirmed

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if {
	count(good) > 0
	lib.harmless("evidence-tests")
	is_string(runner)
	runner == lib.at(input.profile, ["tests", "runner"])
}

violations contains violation if {
	lib.demanded("tests.confirmed")
	not satisfied
	text := concat("", ["tests that were run again are demanded by ", demand.whose("tests.confirmed"), ", and ", found])
	violation := lib.violation("tests.confirmed", text, lib.facts(array.concat(paths, [["profile", "collection"]])))
}

warnings contains warning if some warning in lib.remarks("tests.confirmed", "evidence-tests", remarkable)

remarkable := {"evidence-tests.other_command"}

default paths := [["result", "claims"]]

paths := items if count(items) > 0

items := [["result", "claims", i, "evidence", j] |
	some i, claim in lib.claims
	some j, evidence in claim.evidence
	evidence.kind == "tests"
]

good := [path |
	some path in items
	evidence := input.result.claims[path[2]].evidence[path[4]]
	evidence.state == "confirmed"
	evidence.ok == true
]

runner := lib.at(input.result, ["tests", "runner"])

found := "the receipt has no evidence of kind tests" if {
	count(items) == 0
} else := "no item of kind tests is confirmed" if {
	count(good) == 0
} else := "the check evidence-tests did not pass" if {
	not lib.harmless("evidence-tests")
} else := concat("", [
	"they ran under ",
	lib.shown(runner),
	", the profile names ",
	lib.shown(lib.at(input.profile, ["tests", "runner"])),
])

grounds := lib.facts(array.concat(good, [["result", "tests", "runner"]]))
