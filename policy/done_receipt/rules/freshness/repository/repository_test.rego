package done_receipt.rules.freshness.repository_test

import data.done_receipt.rules.freshness.repository
import data.done_receipt.rules.freshness.time as freshness_time

good := {
	"demanded": ["freshness.repository"],
	"profile": {"collection": "minimal"},
	"result": {"examined": true, "checks": [{"id": "freshness", "status": "pass", "findings": [
		{"status": "pass", "reason": "freshness.fresh", "message": "fine"},
		{"status": "pass", "reason": "freshness.same_repository", "message": "fine"},
	]}]},
}

other := json.patch(good, [
	{"op": "replace", "path": "/result/checks/0/status", "value": "fail"},
	{"op": "replace", "path": "/result/checks/0/findings/1/status", "value": "fail"},
	{"op": "replace", "path": "/result/checks/0/findings/1/reason", "value": "freshness.other_repository"},
	{"op": "replace", "path": "/result/checks/0/findings/1/message", "value": "another one"},
])

test_the_same_repository_satisfies if {
	repository.satisfied with input as good
	repository.violations == set() with input as good
	repository.grounds == ["/result/checks/0"] with input as good
}

test_another_repository_is_a_violation_of_this_rule_alone if {
	not repository.satisfied with input as other
	found := {"code": "freshness.repository", "message": "another one", "facts": ["/result/checks/0/findings/1"]}
	repository.violations == {found} with input as other
}

test_another_repository_is_no_fault_of_the_time if {
	freshness_time.satisfied with input as other
	freshness_time.violations == set() with input as other
}

test_another_repository_is_a_violation_also_where_none_is_demanded if {
	count(repository.violations) == 1 with input as json.patch(other, [{
		"op": "replace",
		"path": "/demanded",
		"value": [],
	}])
}

test_what_nobody_compared_is_a_violation if {
	every path in ["result/checks", "result/checks/0/findings/1", "result/checks/0/findings/1/reason"] {
		not repository.satisfied with input as json.remove(good, [path])
		some violation in repository.violations with input as json.remove(good, [path])
		violation.message == "a repository is demanded, and this verification compared none"
	}
}

test_a_comparison_of_another_status_satisfies_nothing if {
	every status in ["not_checked", "error", null, true] {
		bad := json.patch(good, [{"op": "replace", "path": "/result/checks/0/findings/1/status", "value": status}])
		not repository.satisfied with input as bad
		count(repository.violations) == 1 with input as bad
	}
}

test_a_time_that_cannot_be_true_is_not_excused_by_another_repository if {
	every reason in ["freshness.too_old", "freshness.in_future"] {
		bad := json.patch(other, [
			{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "fail"},
			{"op": "replace", "path": "/result/checks/0/findings/0/reason", "value": reason},
		])
		not freshness_time.satisfied with input as bad
		count(freshness_time.violations) == 1 with input as bad
	}
}

test_another_repository_alone_says_nothing_of_the_time if {
	alone := json.remove(other, ["result/checks/0/findings/0"])
	not freshness_time.satisfied with input as alone
	count(freshness_time.violations) == 1 with input as alone
}

test_silent_when_not_demanded if {
	repository.violations == set() with input as {"demanded": [], "result": {}}
}
