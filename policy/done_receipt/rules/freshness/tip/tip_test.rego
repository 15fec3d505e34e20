package done_receipt.rules.freshness.tip_test

import data.done_receipt.rules.freshness.tip

good := {
	"demanded": ["freshness.tip"],
	"profile": {"collection": "protected-branch"},
	"result": {"checks": [{"id": "freshness", "status": "pass", "findings": [
		{"status": "pass", "reason": "freshness.fresh", "message": "fine"},
		{"status": "pass", "reason": "freshness.head_is_tip", "message": "fine"},
	]}]},
}

test_a_finding_that_shows_it_satisfies if {
	tip.satisfied with input as good
	tip.violations == set() with input as good
	tip.grounds == ["/result/checks/0"] with input as good
}

test_no_such_finding_is_a_violation if {
	every path in ["result/checks", "result/checks/0/findings/1", "result/checks/0/findings/1/status"] {
		not tip.satisfied with input as json.remove(good, [path])
		some violation in tip.violations with input as json.remove(good, [path])
		contains(violation.message, " is demanded by collection protected-branch, and ")
	}
}

test_beside_a_failure_it_does_not_count if {
	bad := json.patch(good, [{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "fail"}])
	not tip.satisfied with input as bad
}

test_silent_when_not_demanded if {
	tip.violations == set() with input as {"demanded": [], "result": {}}
}
