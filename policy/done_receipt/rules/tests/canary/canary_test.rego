package done_receipt.rules.tests.canary_test

import data.done_receipt.rules.tests.canary

good := {
	"demanded": ["tests.canary"],
	"profile": {"collection": "ci"},
	"result": {"checks": [{"id": "harness-canary", "status": "pass", "findings": [{
		"status": "pass",
		"reason": "harness-canary.fine",
		"message": "fine",
	}]}]},
}

with_status(status) := json.patch(good, [
	{"op": "replace", "path": "/result/checks/0/status", "value": status},
	{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": status},
	{"op": "replace", "path": "/result/checks/0/findings/0/message", "value": "look here"},
])

test_passed_satisfies if {
	canary.satisfied with input as good
	canary.violations == set() with input as good
	canary.grounds == ["/result/checks/0"] with input as good
}

test_anything_else_is_a_violation if {
	every status in ["fail", "error", "not_checked"] {
		not canary.satisfied with input as with_status(status)
		canary.violations == {{
			"code": "tests.canary",
			"message": "look here",
			"facts": ["/result/checks/0/findings/0"],
		}} with input as with_status(status)
	}
}

test_a_version_without_the_check_says_so if {
	later := json.patch(good, [{"op": "replace", "path": "/result/checks/0/id", "value": "another"}])
	not canary.satisfied with input as later
	canary.violations == {{
		"code": "tests.canary",
		"message": "harness-canary is demanded by collection ci, and this version does not look at it",
		"facts": ["/result/checks", "/profile/collection"],
	}} with input as later
}

test_not_demanded_only_a_failure_is_a_violation if {
	every status in ["not_checked", "pass"] {
		undemanded := json.patch(with_status(status), [{"op": "replace", "path": "/demanded", "value": []}])
		canary.violations == set() with input as undemanded
	}
	failed := json.patch(with_status("fail"), [{"op": "replace", "path": "/demanded", "value": []}])
	count(canary.violations) == 1 with input as failed
	none := json.patch(good, [
		{"op": "replace", "path": "/demanded", "value": []},
		{"op": "replace", "path": "/result/checks", "value": []},
	])
	canary.violations == set() with input as none
}
