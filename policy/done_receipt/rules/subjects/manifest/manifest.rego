# METADATA
# title: The output is exactly the manifest
# description: |
#   The recomputed inventory of the workspace is the manifest that the receipt names. Satisfied as well when the
#   receipt names none. With minimumAssurance reported it is enough that nothing contradicts: then this warns.
# custom:
#   short_name: manifest
#   order: 90
#   severity: error
#   failure_msg: the files are not exactly those of the receipt's manifest, or nobody looked
#   solution: |
#     Give the workspace with --root; with the manifest at hand, --manifest names every path that differs.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.subjects.manifest

import data.done_receipt.lib

satisfied if lib.passed("output-manifest")

satisfied if unclaimed

satisfied if only_reported

violations contains violation if some violation in failures

violations contains violation if {
	not satisfied
	count(failures) == 0
	violation := lib.violation("subjects.manifest", "the output manifest was not recomputed", grounds)
}

warnings contains warning if {
	only_reported
	not unclaimed
	warning := lib.violation("subjects.manifest", "the output manifest was not recomputed", grounds)
}

unclaimed if lib.not_checked_because("output-manifest", {"output-manifest.not_claimed"})

only_reported if {
	lib.reported_suffices
	lib.not_checked("output-manifest")
}

failures := lib.from_findings("subjects.manifest", "output-manifest")

grounds := lib.facts(lib.paths_of("output-manifest"))
