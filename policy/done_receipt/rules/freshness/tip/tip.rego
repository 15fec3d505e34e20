# METADATA
# title: Nothing moved since
# description: |
#   Head is still the tip of its branch, and base is still an ancestor of it.
# custom:
#   short_name: tip
#   order: 184
#   severity: error
#   failure_msg: nothing shows that head is still the tip of its branch and base its ancestor
#   solution: |
#     Verify again at the branch's present tip.
#   collections: [protected-branch, release]
#   depends_on: [freshness.time]
#   effective_on: always
package done_receipt.rules.freshness.tip

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if lib.witnessed("freshness", "freshness.head_is_tip")

violations contains violation if {
	lib.demanded("freshness.tip")
	not satisfied
	text := concat("", [
		"a head that is still the tip of its branch is demanded by ",
		demand.whose("freshness.tip"),
		", and this verification does not show it",
	])
	violation := lib.violation("freshness.tip", text, grounds)
}

grounds := lib.facts(lib.paths_of("freshness"))
