package done_receipt.rules.tests.inventory_test

import data.done_receipt.rules.tests.inventory

good := {
	"demanded": ["tests.inventory"],
	"profile": {"collection": "ci"},
	"result": {"checks": [{"id": "test-inventory", "status": "pass", "findings": [{
		"status": "pass",
		"reason": "test-inventory.fine",
		"message": "fine",
	}]}]},
}

with_status(status) := json.patch(good, [
	{"op": "replace", "path": "/result/checks/0/status", "value": status},
	{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": status},
	{"op": "replace", "path": "/result/checks/0/findings/0/message", "value": "look here"},
])

test_passed_satisfies if {
	inventory.satisfied with input as good
	inventory.violations == set() with input as good
	inventory.grounds == ["/result/checks/0"] with input as good
}

test_a_remark_is_a_warning if {
	remarked := json.patch(good, [
		{"op": "replace", "path": "/result/checks/0/findings/0/reason", "value": "test-inventory.flaky"},
		{"op": "add", "path": "/result/checks/0/findings/0/path", "value": "tests/test_a.py::test_b"},
	])
	inventory.satisfied with input as remarked
	inventory.warnings == {{
		"code": "tests.inventory",
		"term": "tests/test_a.py::test_b",
		"message": "fine",
		"facts": ["/result/checks/0/findings/0"],
	}} with input as remarked
	inventory.warnings == set() with input as good
}

test_anything_else_is_a_violation if {
	every status in ["fail", "error", "not_checked"] {
		not inventory.satisfied with input as with_status(status)
		inventory.violations == {{
			"code": "tests.inventory",
			"message": "look here",
			"facts": ["/result/checks/0/findings/0"],
		}} with input as with_status(status)
	}
}

test_a_version_without_the_check_says_so if {
	later := json.patch(good, [{"op": "replace", "path": "/result/checks/0/id", "value": "another"}])
	not inventory.satisfied with input as later
	inventory.violations == {{
		"code": "tests.inventory",
		"message": "test-inventory is demanded by collection ci, and this version does not look at it",
		"facts": ["/result/checks", "/profile/collection"],
	}} with input as later
}

test_not_demanded_only_a_failure_is_a_violation if {
	every status in ["not_checked", "pass"] {
		undemanded := json.patch(with_status(status), [{"op": "replace", "path": "/demanded", "value": []}])
		inventory.violations == set() with input as undemanded
	}
	failed := json.patch(with_status("fail"), [{"op": "replace", "path": "/demanded", "value": []}])
	count(inventory.violations) == 1 with input as failed
	none := json.patch(good, [
		{"op": "replace", "path": "/demanded", "value": []},
		{"op": "replace", "path": "/result/checks", "value": []},
	])
	inventory.violations == set() with input as none
}
