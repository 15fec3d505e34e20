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
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [signature.trusted]
#   effective_on: always
package done_receipt.rules.statement.handler

import data.done_receipt.lib

# What comes later than the handler's reading is silent without it: every other rule depends on this one.
satisfied if {
	input.result.examined == true
	every finding in lib.check("statement").findings {
		is_string(finding.reason)
		finding.reason != "statement.no_handler"
	}
}

violations contains violation if some violation in unhandled

violations contains violation if {
	not satisfied
	count(unhandled) == 0
	facts := lib.facts(array.concat([["result", "examined"]], lib.paths_of("statement")))
	violation := lib.violation("statement.handler", unread, facts)
}

default unread := "the statement was not read"

unread := "the result does not say what was found about the statement" if input.result.examined == true

unhandled contains violation if {
	is_array(input.result.checks)
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
	facts := array.concat(lib.facts([["result", "predicateType"], ["result", "handlers"]]), [lib.finding_fact(i, j)])
	violation := lib.violation("statement.handler", text, facts)
}

default registered := "none"

registered := concat(", ", names) if {
	is_array(input.result.handlers)
	names := [name | some name in input.result.handlers; is_string(name)]
	count(names) > 0
}

grounds := lib.facts([["result", "examined"], ["result", "predicateType"]])
