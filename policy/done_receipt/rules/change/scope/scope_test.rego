package done_receipt.rules.change.scope_test

import data.done_receipt.rules.change.scope

good := {
	"demanded": ["change.scope"],
	"profile": {"collection": "ci"},
	"result": {"checks": [{"id": "change-scope", "status": "pass", "findings": [{
		"status": "pass",
		"reason": "change-scope.fine",
		"message": "fine",
	}]}]},
}

with_status(status) := json.patch(good, [
	{"op": "replace", "path": "/result/checks/0/status", "value": status},
	{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": status},
	{"op": "replace", "path": "/result/checks/0/findings/0/message", "value": "look here"},
])

test_passed_satisfies if {
	scope.satisfied with input as good
	scope.violations == set() with input as good
	scope.grounds == ["/result/checks/0"] with input as good
}

test_a_remark_is_a_warning if {
	remarked := json.patch(good, [{
		"op": "replace",
		"path": "/result/checks/0/findings/0/reason",
		"value": "change-scope.symlink",
	}])
	scope.satisfied with input as remarked
	scope.warnings == {{
		"code": "change.scope",
		"message": "fine",
		"facts": ["/result/checks/0/findings/0"],
	}} with input as remarked
	scope.warnings == set() with input as good
}

test_anything_else_is_a_violation if {
	every status in ["fail", "error", "not_checked"] {
		not scope.satisfied with input as with_status(status)
		scope.violations == {{
			"code": "change.scope",
			"message": "look here",
			"facts": ["/result/checks/0/findings/0"],
		}} with input as with_status(status)
	}
}

test_a_version_without_the_check_says_so if {
	later := json.patch(good, [{"op": "replace", "path": "/result/checks/0/id", "value": "another"}])
	not scope.satisfied with input as later
	scope.violations == {{
		"code": "change.scope",
		"message": "change-scope is demanded by collection ci, and this version does not look at it",
		"facts": ["/result/checks", "/profile/collection"],
	}} with input as later
}

test_not_demanded_only_a_failure_is_a_violation if {
	every status in ["not_checked", "pass"] {
		undemanded := json.patch(with_status(status), [{"op": "replace", "path": "/demanded", "value": []}])
		scope.violations == set() with input as undemanded
	}
	failed := json.patch(with_status("fail"), [{"op": "replace", "path": "/demanded", "value": []}])
	count(scope.violations) == 1 with input as failed
	none := json.patch(good, [
		{"op": "replace", "path": "/demanded", "value": []},
		{"op": "replace", "path": "/result/checks", "value": []},
	])
	scope.violations == set() with input as none
}
