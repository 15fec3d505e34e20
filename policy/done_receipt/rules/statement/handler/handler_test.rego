package done_receipt.rules.statement.handler_test

import data.done_receipt.rules.statement.handler

good := {
	"profile": {"minimumAssurance": "fully_rechecked"},
	"result": {"examined": true, "checks": [{"id": "statement", "status": "pass", "findings": [{
		"status": "pass",
		"reason": "statement.coherent",
		"message": "fine",
	}]}]},
}

test_examined_satisfies if {
	handler.satisfied with input as good
	count(handler.violations) == 0 with input as good
}

test_no_handler_names_the_type_and_the_registered_ones if {
	finding := {"status": "not_checked", "reason": "statement.no_handler", "message": "no handler"}
	bad := json.patch(good, [
		{"op": "replace", "path": "/result/examined", "value": false},
		{"op": "add", "path": "/result/predicateType", "value": "https://example.com/other"},
		{"op": "add", "path": "/result/handlers", "value": ["https://example.com/a", "https://example.com/b"]},
		{"op": "replace", "path": "/result/checks/0/findings/0", "value": finding},
	])
	not handler.satisfied with input as bad
	some violation in handler.violations with input as bad
	violation.message == concat(" ", [
		"no handler for predicate type https://example.com/other, registered:",
		"https://example.com/a, https://example.com/b",
	])
}

test_no_handler_is_said_even_if_nothing_is_registered if {
	finding := {"status": "not_checked", "reason": "statement.no_handler", "message": "no handler"}
	bad := json.patch(good, [{"op": "replace", "path": "/result/checks/0/findings/0", "value": finding}])
	some violation in handler.violations with input as bad
	violation.message == "no handler for predicate type missing, registered: none"
}

test_what_was_not_read_is_a_violation if {
	unread := json.patch(good, [{"op": "replace", "path": "/result/examined", "value": false}])
	{v.message | some v in handler.violations} == {"the statement was not read"} with input as unread
	bare := json.remove(good, ["result/checks"])
	messages := {v.message | some v in handler.violations} with input as bare
	messages == {"the result does not say what was found about the statement"}
}

test_missing_does_not_satisfy if {
	every path in ["result/examined", "result/checks", "result/checks/0/findings/0/reason"] {
		not handler.satisfied with input as json.remove(good, [path])
		count(handler.violations) == 1 with input as json.remove(good, [path])
	}
}
