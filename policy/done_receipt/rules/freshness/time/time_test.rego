package done_receipt.rules.freshness.time_test

import data.done_receipt.rules.freshness.time as freshness_time

good := {
	"profile": {"minimumAssurance": "fully_rechecked"},
	"result": {"examined": true, "checks": [{"id": "freshness", "status": "pass", "findings": [{
		"status": "pass",
		"reason": "freshness.fresh",
		"message": "fine",
	}]}]},
}

test_fresh_satisfies if {
	freshness_time.satisfied with input as good
	count(freshness_time.violations) == 0 with input as good
}

test_each_fault_is_a_violation if {
	bad := json.patch(good, [
		{"op": "replace", "path": "/result/checks/0/status", "value": "fail"},
		{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "fail"},
	])
	not freshness_time.satisfied with input as bad
	count(freshness_time.violations) == 1 with input as bad
}

test_not_judged_is_a_violation if {
	skipped := json.patch(good, [
		{"op": "replace", "path": "/result/checks/0/status", "value": "not_checked"},
		{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "not_checked"},
	])
	not freshness_time.satisfied with input as skipped
	some violation in freshness_time.violations with input as skipped
	violation.message == "the run's times were not judged"
}

test_missing_does_not_satisfy if {
	every path in ["result/checks", "result/checks/0/status", "result/checks/0/findings/0/status"] {
		not freshness_time.satisfied with input as json.remove(good, [path])
		count(freshness_time.violations) == 1 with input as json.remove(good, [path])
	}
}

test_two_checks_of_this_name_do_not_satisfy if {
	twice := json.patch(good, [{"op": "add", "path": "/result/checks/-", "value": good.result.checks[0]}])
	not freshness_time.satisfied with input as twice
}
