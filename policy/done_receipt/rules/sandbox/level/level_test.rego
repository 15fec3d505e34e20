package done_receipt.rules.sandbox.level_test

import data.done_receipt.rules.sandbox.level

good := {
	"profile": {"sandbox": {"required": "landlock"}},
	"result": {
		"examined": true,
		"sandbox": {"level": "bubblewrap"},
		"coverage": {"total": 1},
		"claims": [{"id": "c", "state": "confirmed", "evidence": [{"kind": "command", "ok": true, "state": "confirmed"}]}],
	},
}

at_level(name) := json.patch(good, [{"op": "replace", "path": "/result/sandbox/level", "value": name}])

test_the_demanded_level_or_more_satisfies if {
	every name in ["landlock", "bubblewrap"] {
		level.satisfied with input as at_level(name)
		count(level.violations) == 0 with input as at_level(name)
	}
}

test_less_is_a_violation if {
	every name in ["none", "rlimits", "jail"] {
		not level.satisfied with input as at_level(name)
		count(level.violations) == 1 with input as at_level(name)
	}
}

test_tests_are_commands_too if {
	tests := json.patch(at_level("rlimits"), [{
		"op": "replace",
		"path": "/result/claims/0/evidence/0/kind",
		"value": "tests",
	}])
	not level.satisfied with input as tests
}

test_no_confirmed_command_needs_no_sandbox if {
	every change in [
		{"op": "replace", "path": "/result/claims/0/evidence/0/kind", "value": "file"},
		{"op": "replace", "path": "/result/claims/0/evidence/0/state", "value": "blocked"},
	] {
		idle := json.patch(at_level("none"), [change])
		level.satisfied with input as idle
		count(level.violations) == 0 with input as idle
	}
}

test_missing_does_not_satisfy if {
	every path in [
		"result/sandbox",
		"result/sandbox/level",
		"profile/sandbox/required",
		"result/claims",
		"result/claims/0/evidence/0/kind",
		"result/coverage",
	] {
		not level.satisfied with input as json.remove(good, [path])
		count(level.violations) == 1 with input as json.remove(good, [path])
	}
}
