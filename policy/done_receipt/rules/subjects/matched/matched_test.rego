package done_receipt.rules.subjects.matched_test

import data.done_receipt.rules.subjects.matched

good := {
	"profile": {"minimumAssurance": "fully_rechecked"},
	"result": {"examined": true, "checks": [{"id": "subjects", "status": "pass", "findings": [{
		"status": "pass",
		"reason": "subjects.matched",
		"message": "fine",
	}]}]},
}

test_matched_satisfies if {
	matched.satisfied with input as good
	count(matched.violations) == 0 with input as good
	count(matched.warnings) == 0 with input as good
}

test_subjects_without_an_artifact_are_no_failure if {
	finding := {"status": "not_checked", "reason": "subjects.unmatched", "message": "b"}
	some_left := json.patch(good, [
		{"op": "replace", "path": "/result/checks/0/status", "value": "not_checked"},
		{"op": "add", "path": "/result/checks/0/findings/-", "value": finding},
	])
	matched.satisfied with input as some_left
	count(matched.warnings) == 0 with input as some_left
}

test_nothing_but_unmatched_subjects_does_not_satisfy if {
	none := json.patch(unchecked, [{
		"op": "replace",
		"path": "/result/checks/0/findings/0/reason",
		"value": "subjects.unmatched",
	}])
	not matched.satisfied with input as none
}

unchecked := json.patch(good, [
	{"op": "replace", "path": "/result/checks/0/status", "value": "not_checked"},
	{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "not_checked"},
])

reported := json.patch(unchecked, [{"op": "replace", "path": "/profile/minimumAssurance", "value": "reported"}])

test_nobody_looked_is_a_violation if {
	not matched.satisfied with input as unchecked
	count(matched.violations) == 1 with input as unchecked
}

test_nobody_looked_is_a_warning_when_reported_suffices if {
	matched.satisfied with input as reported
	count(matched.violations) == 0 with input as reported
	count(matched.warnings) == 1 with input as reported
}

test_a_different_subject_is_a_violation_even_then if {
	bad := json.patch(reported, [
		{"op": "replace", "path": "/result/checks/0/status", "value": "fail"},
		{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "fail"},
		{"op": "add", "path": "/result/checks/0/findings/0/path", "value": "a.txt"},
	])
	not matched.satisfied with input as bad
	some violation in matched.violations with input as bad
	violation.term == "a.txt"
}

test_missing_does_not_satisfy if {
	every path in ["result/checks", "result/checks/0/findings", "result/checks/0/findings/0/status"] {
		not matched.satisfied with input as json.remove(good, [path])
		count(matched.violations) == 1 with input as json.remove(good, [path])
	}
}
