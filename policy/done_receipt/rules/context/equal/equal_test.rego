package done_receipt.rules.context.equal_test

import data.done_receipt.rules.context.equal as context_equal

good := {
	"profile": {"minimumAssurance": "fully_rechecked"},
	"result": {"examined": true, "checks": [{"id": "context", "status": "pass", "findings": [{
		"status": "pass",
		"reason": "context.equal",
		"message": "fine",
	}]}]},
}

test_equal_satisfies if {
	context_equal.satisfied with input as good
	count(context_equal.violations) == 0 with input as good
}

test_not_demanded_satisfies if {
	undemanded := json.patch(good, [
		{"op": "replace", "path": "/result/checks/0/status", "value": "not_checked"},
		{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "not_checked"},
		{"op": "replace", "path": "/result/checks/0/findings/0/reason", "value": "context.not_demanded"},
	])
	context_equal.satisfied with input as undemanded
	count(context_equal.violations) == 0 with input as undemanded
}

test_another_reason_not_to_look_does_not if {
	skipped := json.patch(good, [
		{"op": "replace", "path": "/result/checks/0/status", "value": "not_checked"},
		{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "not_checked"},
	])
	not context_equal.satisfied with input as skipped
	count(context_equal.violations) == 1 with input as skipped
}

test_a_difference_is_the_violation if {
	bad := json.patch(good, [
		{"op": "replace", "path": "/result/checks/0/status", "value": "fail"},
		{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "fail"},
	])
	not context_equal.satisfied with input as bad
	some violation in context_equal.violations with input as bad
	violation.message == "fine"
}

test_missing_does_not_satisfy if {
	every path in ["result/checks", "result/checks/0/status", "result/checks/0/findings/0/status"] {
		not context_equal.satisfied with input as json.remove(good, [path])
		count(context_equal.violations) == 1 with input as json.remove(good, [path])
	}
}
