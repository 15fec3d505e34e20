package done_receipt.rules.statement.type_test

import data.done_receipt.rules.statement.type

good := {
	"profile": {"predicateTypes": ["https://example.com/a"]},
	"result": {"predicateType": "https://example.com/a", "checks": []},
}

test_an_allowed_type_satisfies if {
	type.satisfied with input as good
	count(type.violations) == 0 with input as good
}

test_another_type_is_the_violation if {
	bad := json.patch(good, [{"op": "replace", "path": "/result/predicateType", "value": "https://example.com/a/b"}])
	not type.satisfied with input as bad
	some violation in type.violations with input as bad
	violation.message == "predicate type https://example.com/a/b is not among the allowed ones: https://example.com/a"
}

test_a_finding_that_refuses_it_is_the_violation_too if {
	finding := {"status": "fail", "reason": "statement.type_not_allowed", "message": "not this one"}
	check := {"id": "statement", "status": "fail", "findings": [finding]}
	refused := json.patch(good, [{"op": "add", "path": "/result/checks/-", "value": check}])
	not type.satisfied with input as refused
	some violation in type.violations with input as refused
	violation.facts == ["/result/predicateType", "/profile/predicateTypes", "/result/checks/0/findings/0"]
}

test_missing_does_not_satisfy if {
	every path in ["result/predicateType", "profile/predicateTypes"] {
		not type.satisfied with input as json.remove(good, [path])
		count(type.violations) == 1 with input as json.remove(good, [path])
	}
}

test_a_text_is_not_a_list_of_types if {
	text := json.patch(good, [{"op": "replace", "path": "/profile/predicateTypes", "value": "https://example.com/a"}])
	not type.satisfied with input as text
}
