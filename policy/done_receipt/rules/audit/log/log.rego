# METADATA
# title: The audit log is the receipt's
# description: |
#   The verifier's audit log is unbroken, is the one that the receipt pins, and agrees with it. Satisfied as well when
#   the verifier gave none. It says nothing about who wrote either of them: no demand for evidence is met by it. A log
#   that an old format cannot pin, and counters that were not compared, are warnings.
# custom:
#   short_name: log
#   order: 175
#   severity: error
#   failure_msg: the audit log is damaged, or tells of the run what the receipt does not
#   solution: |
#     Give the log as it was when the receipt was built; have the receipt built with the log if it does not name it.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.audit.log

import data.done_receipt.lib

satisfied if lib.passed("audit-log")

satisfied if lib.not_checked_because("audit-log", {"audit-log.not_demanded"})

violations contains violation if some violation in failures

violations contains violation if {
	not satisfied
	count(failures) == 0
	violation := lib.violation("audit.log", "the audit log was not looked at", grounds)
}

failures := lib.from_findings("audit.log", "audit-log")

warnings contains warning if {
	some warning in lib.remarks("audit.log", "audit-log", {"audit-log.cannot_pin", "audit-log.no_counters"})
}

grounds := lib.facts(lib.paths_of("audit-log"))
