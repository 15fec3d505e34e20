# METADATA
# title: The receipt agrees with itself
# description: |
#   The statement is the expected one and what it says does not contradict itself: passed, reason, breach,
#   outcome, times, and each item's ok against what it observed. Another trusted receipt in the file that says of the
#   same outputs that they failed is a warning, and so is a statement that was imported from an old format, an old
#   receipt's path in another spelling, sealed names that look alike, and a run that did not complete and has counted
#   nothing.
# custom:
#   short_name: coherent
#   order: 60
#   severity: error
#   failure_msg: the receipt contradicts itself or is not the expected one
#   solution: |
#     Build the receipt again, from the run itself; an honest builder's does not contradict itself.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.statement.coherent

import data.done_receipt.lib

satisfied if {
	input.result.verdict.coherent == true
	found_coherent
	every finding in lib.check("statement").findings {
		fine(finding)
	}
}

# Somebody looked: findings that are remarks only say nothing about it.
found_coherent if {
	some finding in lib.check("statement").findings
	finding.status == "pass"
	finding.reason == "statement.coherent"
}

fine(finding) if finding.status in {"pass", "not_checked"}

# statement.type speaks of it
fine(finding) if finding.reason == "statement.type_not_allowed"

violations contains violation if some violation in failures

violations contains violation if {
	not satisfied
	count(failures) == 0
	violation := lib.violation("statement.coherent", "nothing shows that the receipt agrees with itself", grounds)
}

failures := lib.from_findings_except("statement.coherent", "statement", {"statement.type_not_allowed"})

warnings contains warning if some warning in lib.remarks("statement.coherent", "statement", remarkable)

remarkable := {
	"statement.contradicted",
	"statement.imported",
	"statement.path_spelling",
	"statement.twin_names",
	"statement.counters_zero",
}

grounds := lib.facts(array.concat([["result", "verdict", "coherent"]], lib.paths_of("statement")))
