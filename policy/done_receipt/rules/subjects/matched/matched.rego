# METADATA
# title: The subjects are what the verifier has
# description: |
#   The verifier's artifacts are subjects of the receipt, or every subject was found in the workspace with its
#   digest. With minimumAssurance reported it is enough that nothing contradicts: then this warns.
# custom:
#   short_name: matched
#   order: 80
#   severity: error
#   failure_msg: a subject is missing or has another content, or nobody looked
#   solution: |
#     Give the files with --artifact or the workspace with --root, and ask for a new receipt if they changed.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.subjects.matched

import data.done_receipt.lib

satisfied if looked

satisfied if only_reported

violations contains violation if some violation in failures

violations contains violation if {
	not satisfied
	count(failures) == 0
	violation := lib.violation("subjects.matched", "no subject was compared with anything", grounds)
}

warnings contains warning if {
	only_reported
	not looked
	warning := lib.violation("subjects.matched", "no subject was compared with anything", grounds)
}

# Something matched, nothing failed; subjects for which the verifier has no artifact are listed and no failure.
looked if {
	something_matched
	lib.harmless("subjects")
	every finding in lib.check("subjects").findings {
		fine(finding)
	}
}

# On its own, because what follows it would be asked again for each one that matched.
something_matched if {
	some finding in lib.check("subjects").findings
	finding.status == "pass"
	finding.reason in {"subjects.matched", "subjects.artifacts_matched"}
}

fine(finding) if finding.status == "pass"

fine(finding) if {
	finding.status == "not_checked"
	finding.reason == "subjects.unmatched"
}

only_reported if {
	lib.reported_suffices
	lib.not_checked("subjects")
}

failures := lib.from_findings("subjects.matched", "subjects")

grounds := lib.facts(lib.paths_of("subjects"))
