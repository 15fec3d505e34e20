package done_receipt.rules.tests.confirmed_test

import data.done_receipt.rules.tests.confirmed

good := {
	"demanded": ["tests.confirmed"],
	"profile": {"collection": "ci", "tests": {"runner": "pytest"}},
	"result": {
		"tests": {"runner": "pytest"},
		"coverage": {"total": 2},
		"checks": [{"id": "evidence-tests", "status": "pass", "findings": [{
			"status": "pass",
			"reason": "evidence-tests.confirmed",
			"message": "fine",
			"claim": "c",
			"evidence": 1,
		}]}],
		"claims": [{"id": "c", "state": "confirmed", "evidence": [
			{"kind": "file", "ok": true, "state": "confirmed"},
			{"kind": "tests", "ok": true, "state": "confirmed"},
		]}],
	},
}

test_a_confirmed_item_satisfies if {
	confirmed.satisfied with input as good
	confirmed.violations == set() with input as good
	confirmed.grounds == ["/result/claims/0/evidence/1", "/result/tests/runner"] with input as good
}

said(text) := {concat("", ["tests that were run again are demanded by collection ci, and ", text])}

test_an_item_that_nobody_ran_again_is_a_violation if {
	every change in [
		{"op": "replace", "path": "/result/claims/0/evidence/1/state", "value": "reported"},
		{"op": "replace", "path": "/result/claims/0/evidence/1/ok", "value": false},
	] {
		bad := json.patch(good, [change])
		not confirmed.satisfied with input as bad
		{v.message | some v in confirmed.violations} == said("no item of kind tests is confirmed") with input as bad
		some violation in confirmed.violations with input as bad
		violation.facts == ["/result/claims/0/evidence/1", "/profile/collection"]
	}
}

test_no_such_item_is_a_violation if {
	none := json.patch(good, [{"op": "replace", "path": "/result/claims/0/evidence/1/kind", "value": "command"}])
	every bad in [none, json.remove(good, ["result/claims"])] {
		not confirmed.satisfied with input as bad
		messages := {v.message | some v in confirmed.violations} with input as bad
		messages == said("the receipt has no evidence of kind tests")
		some violation in confirmed.violations with input as bad
		count(violation.facts) == 2
	}
}

test_a_check_that_did_not_pass_is_a_violation if {
	broken := json.patch(good, [{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "error"}])
	every bad in [broken, json.remove(good, ["result/checks"])] {
		not confirmed.satisfied with input as bad
		messages := {v.message | some v in confirmed.violations} with input as bad
		messages == said("the check evidence-tests did not pass")
	}
}

test_another_command_is_a_warning if {
	remark := {
		"status": "pass",
		"reason": "evidence-tests.other_command",
		"message": "another command",
		"claim": "c",
	}
	remarked := json.patch(good, [{"op": "add", "path": "/result/checks/0/findings/1", "value": remark}])
	confirmed.satisfied with input as remarked
	confirmed.warnings == {{
		"code": "tests.confirmed",
		"message": "another command",
		"facts": ["/result/checks/0/findings/1"],
	}} with input as remarked
	confirmed.warnings == set() with input as good
}

test_another_runner_is_a_violation if {
	another := json.patch(good, [{"op": "replace", "path": "/result/tests/runner", "value": "make"}])
	every text, bad in {
		"they ran under make, the profile names pytest": another,
		"they ran under missing, the profile names missing": json.remove(good, ["result/tests", "profile/tests"]),
	} {
		not confirmed.satisfied with input as bad
		{v.message | some v in confirmed.violations} == said(text) with input as bad
	}
}

test_silent_when_not_demanded if {
	confirmed.violations == set() with input as {"demanded": [], "result": {}}
}
