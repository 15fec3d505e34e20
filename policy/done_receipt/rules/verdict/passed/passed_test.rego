package done_receipt.rules.verdict.passed_test

import data.done_receipt.rules.verdict.passed

good := {"result": {"examined": true, "verdict": {"checked": true, "passed": true, "coherent": true}}}

test_passed_satisfies if {
	passed.satisfied with input as good
	count(passed.violations) == 0 with input as good
}

test_not_passed_is_a_violation if {
	bad := json.patch(good, [{"op": "replace", "path": "/result/verdict/passed", "value": false}])
	not passed.satisfied with input as bad
	count(passed.violations) == 1 with input as bad
	some violation in passed.violations with input as bad
	violation.message == "the receipt says that it did not pass"
}

test_not_checked_is_a_violation if {
	bad := json.patch(good, [{"op": "replace", "path": "/result/verdict/checked", "value": false}])
	not passed.satisfied with input as bad
	{violation.message | some violation in passed.violations} == {"the receipt says that nobody checked"} with input as bad
}

test_missing_does_not_satisfy if {
	every path in ["result/verdict", "result/verdict/checked", "result/verdict/passed", "result/verdict/coherent"] {
		not passed.satisfied with input as json.remove(good, [path])
	}
}

test_a_word_is_not_true if {
	not passed.satisfied with input as json.patch(good, [{
		"op": "replace",
		"path": "/result/verdict/passed",
		"value": "true",
	}])
}

test_a_statement_without_a_verdict_is_a_violation if {
	every value in [null, "passed", []] {
		bad := json.patch(good, [{"op": "replace", "path": "/result/verdict", "value": value}])
		not passed.satisfied with input as bad
		{violation.message | some violation in passed.violations} == {"the statement has no verdict"} with input as bad
	}
}
