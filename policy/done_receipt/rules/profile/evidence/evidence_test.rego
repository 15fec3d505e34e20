package done_receipt.rules.profile.evidence_test

import data.done_receipt.rules.profile.evidence

good := {
	"profile": {"evidence": [
		{"claim": "tests", "kind": "command", "argv": ["/usr/bin/make", "test"], "paths": []},
		{"claim": "docs", "kind": "file", "argv": [], "paths": ["README.md"]},
		{"claim": "docs", "kind": "text", "argv": [], "paths": []},
	]},
	"result": {
		"examined": true,
		"coverage": {"total": 3},
		"claims": [
			{"id": "tests", "state": "confirmed", "evidence": [{
				"kind": "command",
				"ok": true,
				"state": "confirmed",
				"argv": ["/usr/bin/make", "test"],
			}]},
			{"id": "docs", "state": "confirmed", "evidence": [
				{"kind": "file", "ok": true, "state": "confirmed", "path": "README.md"},
				{"kind": "text", "ok": true, "state": "confirmed", "path": "README.md"},
			]},
		],
	},
}

test_each_demand_is_satisfied_by_name if {
	evidence.satisfied_terms == {"tests/command", "docs/file", "docs/text"} with input as good
	count(evidence.violations) == 0 with input as good
}

test_not_confirmed_is_a_violation if {
	every state in ["refuted", "stale", "blocked", "reported", "error"] {
		bad := json.patch(good, [{"op": "replace", "path": "/result/claims/0/evidence/0/state", "value": state}])
		evidence.satisfied_terms == {"docs/file", "docs/text"} with input as bad
		some violation in evidence.violations with input as bad
		violation == {
			"code": "profile.evidence",
			"term": "tests/command",
			"message": "claim tests has no confirmed evidence of kind command for /usr/bin/make test",
			"facts": ["/profile/evidence/0", "/result/claims"],
		}
	}
}

test_confirmed_and_not_ok_is_a_violation if {
	bad := json.patch(good, [{"op": "replace", "path": "/result/claims/0/evidence/0/ok", "value": false}])
	not "tests/command" in evidence.satisfied_terms with input as bad
	count(evidence.violations) == 1 with input as bad
}

test_another_command_does_not_count if {
	bad := json.patch(good, [{"op": "replace", "path": "/result/claims/0/evidence/0/argv/1", "value": "tset"}])
	not "tests/command" in evidence.satisfied_terms with input as bad
	count(evidence.violations) == 1 with input as bad
}

test_another_path_does_not_count if {
	bad := json.patch(good, [{"op": "replace", "path": "/result/claims/1/evidence/0/path", "value": "LICENSE"}])
	not "docs/file" in evidence.satisfied_terms with input as bad
	some violation in evidence.violations with input as bad
	violation.message == "claim docs has no confirmed evidence of kind file for README.md"
}

test_tests_are_shown_by_the_runner_that_is_named if {
	tests := json.patch(good, [
		{"op": "replace", "path": "/profile/evidence/1", "value": {
			"claim": "docs",
			"kind": "file",
			"argv": [],
			"paths": [],
			"runner": "pytest",
		}},
		{"op": "add", "path": "/result/tests", "value": {"runner": "pytest"}},
	])
	evidence.violations == set() with input as tests
	every value in ["make", null] {
		other := json.patch(tests, [{"op": "replace", "path": "/result/tests/runner", "value": value}])
		{v.message | some v in evidence.violations} == {concat("", [
			"claim docs has no confirmed evidence of kind file",
			" by the runner pytest",
		])} with input as other
	}
}

test_two_demands_of_one_name_must_both_be_met if {
	demand := {"claim": "docs", "kind": "file", "argv": [], "paths": ["LICENSE"]}
	bad := json.patch(good, [{"op": "add", "path": "/profile/evidence/-", "value": demand}])
	not "docs/file" in evidence.satisfied_terms with input as bad
	count(evidence.violations) == 1 with input as bad
}

test_missing_does_not_satisfy if {
	every path in [
		"result/claims",
		"result/claims/0",
		"result/claims/0/evidence/0/state",
		"result/claims/0/evidence/0/argv",
		"result/claims/0/evidence/0/kind",
		"result/coverage",
		"profile/evidence/0/argv",
		"profile/evidence/0/paths",
		"profile/evidence/0/claim",
	] {
		not "tests/command" in evidence.satisfied_terms with input as json.remove(good, [path])
		some violation in evidence.violations with input as json.remove(good, [path])
		violation.code == "profile.evidence"
	}
}

test_lists_of_the_wrong_type_do_not_satisfy if {
	every path in ["/profile/evidence/0/argv", "/profile/evidence/0/paths"] {
		every value in ["", {}, null, "x"] {
			bad := json.patch(good, [{"op": "replace", "path": path, "value": value}])
			not "tests/command" in evidence.satisfied_terms with input as bad
			count(evidence.violations) == 1 with input as bad
		}
	}
}
