# METADATA
# title: The predicate type is allowed
# description: |
#   The statement's predicate type is one of those that the verifier allows, compared as a whole.
# custom:
#   short_name: type
#   order: 50
#   severity: error
#   failure_msg: the verifier does not allow this predicate type
#   solution: |
#     Add the type to predicateTypes in the profile if you mean to admit such statements.
#   collections: [minimal]
#   depends_on: [signature.trusted]
package done_receipt.rules.statement.type

import data.done_receipt.lib

satisfied if {
	is_string(input.result.predicateType)
	is_array(input.profile.predicateTypes)
	input.result.predicateType in input.profile.predicateTypes
}

violations contains violation if {
	is_string(input.result.predicateType)
	not satisfied
	not unhandled
	text := concat("", [
		"predicate type ",
		input.result.predicateType,
		" is not among the allowed ones: ",
		allowed,
	])
	violation := lib.violation("statement.type", text, ["/result/predicateType", "/profile/predicateTypes"])
}

# statement.handler speaks then
unhandled if {
	some finding in lib.check("statement").findings
	finding.reason == "statement.no_handler"
}

default allowed := "none"

allowed := concat(", ", names) if {
	is_array(input.profile.predicateTypes)
	names := [name | some name in input.profile.predicateTypes; is_string(name)]
	count(names) > 0
}
