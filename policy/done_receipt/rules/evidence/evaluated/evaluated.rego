# METADATA
# title: All evidence could be evaluated
# description: |
#   No evidence item, and no check that no other rule speaks of, ended in an error of its own.
# custom:
#   short_name: evaluated
#   order: 150
#   severity: error
#   failure_msg: an evidence item could not be evaluated
#   solution: |
#     Remove what stood in the way (permissions, a special file, a file that changed while it was read) and verify
#     again.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.evidence.evaluated

import data.done_receipt.lib

satisfied if {
	lib.none_in_state("error")
	is_array(input.result.checks)
	count(strays) == 0
}

violations contains violation if some violation in strays

violations contains violation if some violation in items

violations contains violation if {
	not satisfied
	count(items) == 0
	count(strays) == 0
	some violation in lib.uncounted("evidence.evaluated", "could be evaluated")
}

items := lib.items_in_state("evidence.evaluated", "error", "could not be evaluated")

strays := lib.strays("evidence.evaluated", "error")

grounds := lib.facts([["result", "coverage", "error"], ["result", "claims"]])
