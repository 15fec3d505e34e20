# METADATA
# title: A handler read the statement
# description: |
#   A handler is registered for the statement's predicate type and it read the statement. Without one nothing
#   later can be said, and nothing later is said.
# custom:
#   short_name: handler
#   order: 40
#   severity: error
#   failure_msg: no handler is registered for the predicate type
#   solution: |
#     Verify a receipt of a registered predicate type, or name the plug-in that brings the handler.
#   collections: [minimal]
#   depends_on: [signature.trusted]
package done_receipt.rules.statement.handler

import data.done_receipt.lib

satisfied if {
	lib.examined
	every finding in lib.check("statement").findings {
		is_string(finding.reason)
		finding.reason != "statement.no_handler"
	}
}

violations contains violation if {
	some i, check in input.result.checks
	check.id == "statement"
	some j, finding in check.findings
	finding.reason == "statement.no_handler"
	text := concat("", [
		"no handler for predicate type ",
		lib.shown(lib.at(input.result, ["predicateType"])),
		", registered: ",
		registered,
	])
	facts := ["/result/predicateType", lib.pointer(["result", "checks", i, "findings", j])]
	violation := lib.violation("statement.handler", text, facts)
}

default registered := "none"

registered := concat(", ", names) if {
	is_array(input.result.handlers)
	names := [name | some name in input.result.handlers; is_string(name)]
	count(names) > 0
}
