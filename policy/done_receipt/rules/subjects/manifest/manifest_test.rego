package done_receipt.rules.subjects.manifest_test

import data.done_receipt.rules.subjects.manifest

good := {
	"profile": {"minimumAssurance": "fully_rechecked"},
	"result": {"examined": true, "checks": [{"id": "output-manifest", "status": "pass", "findings": [{
		"status": "pass",
		"reason": "output-manifest.matched",
		"message": "fine",
	}]}]},
}

test_matched_satisfies if {
	manifest.satisfied with input as good
	count(manifest.violations) == 0 with input as good
	count(manifest.warnings) == 0 with input as good
}

unchecked := json.patch(good, [
	{"op": "replace", "path": "/result/checks/0/status", "value": "not_checked"},
	{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "not_checked"},
	{"op": "replace", "path": "/result/checks/0/findings/0/reason", "value": "output-manifest.no_workspace"},
])

test_no_manifest_satisfies if {
	unclaimed := json.patch(unchecked, [{
		"op": "replace",
		"path": "/result/checks/0/findings/0/reason",
		"value": "output-manifest.not_claimed",
	}])
	manifest.satisfied with input as unclaimed
	count(manifest.warnings) == 0 with input as unclaimed
}

test_nobody_looked_is_a_violation if {
	not manifest.satisfied with input as unchecked
	count(manifest.violations) == 1 with input as unchecked
}

test_nobody_looked_is_a_warning_when_reported_suffices if {
	reported := json.patch(unchecked, [{"op": "replace", "path": "/profile/minimumAssurance", "value": "reported"}])
	manifest.satisfied with input as reported
	count(manifest.violations) == 0 with input as reported
	count(manifest.warnings) == 1 with input as reported
}

test_other_files_are_violations if {
	bad := json.patch(good, [
		{"op": "replace", "path": "/result/checks/0/status", "value": "fail"},
		{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "fail"},
	])
	not manifest.satisfied with input as bad
	count(manifest.violations) == 1 with input as bad
}

test_missing_does_not_satisfy if {
	every path in ["result/checks", "result/checks/0/status", "result/checks/0/findings/0/status"] {
		not manifest.satisfied with input as json.remove(good, [path])
		count(manifest.violations) == 1 with input as json.remove(good, [path])
	}
}
