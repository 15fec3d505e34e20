# METADATA
# title: What only some collections demand
# description: |
#   Rules about checks that not every version has: who demands them, and what stands against them where they are.
package done_receipt.demand

import data.done_receipt.catalogue
import data.done_receipt.lib

# Who demands the rule, in words.
whose(code) := concat("", ["collection ", input.profile.collection]) if {
	code in collection
} else := "the profile"

# The rules that the profile's collection demands.
collection := catalogue.collections[input.profile.collection]

# What stands against a check that only some collections demand. A finding that failed always does; where the rule is
# demanded, so does each one that was not checked, or that there is no such check.
owed(code, id) := failures if {
	failures := lib.from_findings(code, id)
	count(failures) > 0
} else := undone if {
	lib.demanded(code)
	not lib.passed(id)
	undone := {v |
		some i in lib.positions[id]
		some j, finding in input.result.checks[i].findings
		finding.status == "not_checked"
		v := lib.of_finding(code, i, j, finding)
	}
	count(undone) > 0
} else := {v | some v in unseen(code, id)}

unseen(code, id) := {lib.violation(code, text, lib.facts([["result", "checks"], ["profile", "collection"]]))} if {
	lib.demanded(code)
	not lib.positions[id]
	text := concat("", [id, " is demanded by ", whose(code), ", and this version does not look at it"])
} else := {lib.violation(code, text, lib.facts(lib.paths_of(id)))} if {
	lib.demanded(code)
	not lib.passed(id)
	text := concat("", [id, " is demanded by ", whose(code), ", and it did not pass"])
} else := set()
