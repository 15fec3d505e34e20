# METADATA
# title: The run's times can be true
# description: |
#   The run ended before it was signed and before now, within the tolerance, and not longer ago than the profile
#   allows.
# custom:
#   short_name: time
#   order: 180
#   severity: error
#   failure_msg: the run's times cannot be true, or it is too old
#   solution: |
#     Ask for a new receipt; check the clocks of both machines when the difference is small.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.freshness.time

import data.done_receipt.lib

satisfied if lib.passed("freshness")

# What failed is nothing but what another rule speaks of.
satisfied if {
	found := lib.check("freshness")
	found.status == "fail"
	every finding in found.findings {
		spared(finding)
	}
	some finding in found.findings
	finding.status == "pass"
}

spared(finding) if finding.status == "pass"

spared(finding) if finding.reason in elsewhere

elsewhere := {"freshness.other_repository"}

violations contains violation if some violation in failures

violations contains violation if {
	not satisfied
	count(failures) == 0
	violation := lib.violation("freshness.time", "the run's times were not judged", grounds)
}

failures := lib.from_findings_except("freshness.time", "freshness", elsewhere)

grounds := lib.facts(lib.paths_of("freshness"))
