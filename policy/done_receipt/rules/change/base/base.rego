# METADATA
# title: The verifier named the base of the change
# description: |
#   The verifier gave the revision that the change starts from, and it is not the revision that the change ends in.
#   Without it nothing can be said about what the change did to tests, contract and harness.
# custom:
#   short_name: base
#   order: 92
#   severity: error
#   failure_msg: no base revision was given, so nothing shows what the change changed
#   solution: |
#     Verify with --repo, --head and --base or --target-ref.
#   collections: [ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.change.base

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if {
	is_string(start)
	is_string(end)
	start != ""
	start != end
}

violations contains violation if {
	lib.demanded("change.base")
	not satisfied
	facts := lib.facts([["result", "change", "base"], ["result", "change", "head"], ["profile", "collection"]])
	violation := lib.violation("change.base", text, facts)
}

start := lib.at(input.result, ["change", "base"])

end := lib.at(input.result, ["change", "head"])

text := concat("", ["base and head are one revision, ", start]) if {
	is_string(start)
	start == end
} else := concat("", [
	"the base revision of the change is demanded by ",
	demand.whose("change.base"),
	", and this verification has none",
])

grounds := lib.facts([["result", "change", "base"], ["result", "change", "head"]])
