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
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.statement.type

import data.done_receipt.lib

satisfied if {
	is_string(input.result.predicateType)
	is_array(input.profile.predicateTypes)
	input.result.predicateType in input.profile.predicateTypes
	count(refused) == 0
}

violations contains violation if {
	not satisfied
	text := concat("", [
		"predicate type ",
		lib.shown(lib.at(input.result, ["predicateType"])),
		" is not among the allowed ones: ",
		allowed,
	])
	facts := array.concat(grounds, sort([fact | some said in refused; some fact in said.facts]))
	violation := lib.violation("statement.type", text, facts)
}

refused := lib.of_reason("statement.type", "statement", "statement.type_not_allowed")

default allowed := "none"

allowed := concat(", ", names) if {
	is_array(input.profile.predicateTypes)
	names := [name | some name in input.profile.predicateTypes; is_string(name)]
	count(names) > 0
}

grounds := lib.facts([["result", "predicateType"], ["profile", "predicateTypes"]])
