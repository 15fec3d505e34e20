package done_receipt.rules.usage.limits_test

import data.done_receipt.rules.usage.limits

good := {
	"profile": {"usage": {"maxInputTokens": 10, "maxToolCalls": 3}},
	"result": {"examined": true, "run": {"inputTokens": 10, "toolCalls": 0}},
}

test_within_the_limits_satisfies if {
	limits.satisfied with input as good
	count(limits.violations) == 0 with input as good
}

test_above_is_a_violation if {
	bad := json.patch(good, [{"op": "replace", "path": "/result/run/inputTokens", "value": 11}])
	not limits.satisfied with input as bad
	limits.violations == {{
		"code": "usage.limits",
		"term": "maxInputTokens",
		"message": "inputTokens is 11, at most 10 is allowed",
		"facts": ["/result/run/inputTokens", "/profile/usage/maxInputTokens"],
	}} with input as bad
}

test_a_number_that_is_missing_is_a_violation if {
	every path in ["result/run/toolCalls", "result/run"] {
		bad := json.remove(good, [path])
		not limits.satisfied with input as bad
		"maxToolCalls" in {violation.term | some violation in limits.violations} with input as bad
	}
}

test_what_is_no_number_is_never_small_enough if {
	every value in [null, false, "1", [], {}, -1] {
		bad := json.patch(good, [{"op": "replace", "path": "/result/run/toolCalls", "value": value}])
		not limits.satisfied with input as bad
		count(limits.violations) == 1 with input as bad
	}
}

test_an_unknown_limit_is_a_violation if {
	bad := json.patch(good, [{"op": "add", "path": "/profile/usage/maxDays", "value": 1}])
	not limits.satisfied with input as bad
	count(limits.violations) == 1 with input as bad
}

test_limits_that_are_no_object_do_not_satisfy if {
	bad := json.patch(good, [{"op": "replace", "path": "/profile/usage", "value": "none"}])
	not limits.satisfied with input as bad
	count(limits.violations) == 1 with input as bad
}

test_silent_when_not_demanded if {
	not limits.satisfied with input as json.remove(good, ["profile/usage"])
	count(limits.violations) == 0 with input as json.remove(good, ["profile/usage"])
}
