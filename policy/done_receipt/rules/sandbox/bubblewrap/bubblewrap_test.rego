package done_receipt.rules.sandbox.bubblewrap_test

import data.done_receipt.rules.sandbox.bubblewrap

good := {
	"demanded": ["sandbox.bubblewrap"],
	"profile": {"collection": "release"},
	"result": {"sandbox": {"level": "bubblewrap"}},
}

test_bubblewrap_satisfies if {
	bubblewrap.satisfied with input as good
	bubblewrap.violations == set() with input as good
	bubblewrap.grounds == ["/result/sandbox/level"] with input as good
}

test_any_other_level_is_a_violation if {
	every level in ["none", "rlimits", "landlock"] {
		bad := json.patch(good, [{"op": "replace", "path": "/result/sandbox/level", "value": level}])
		not bubblewrap.satisfied with input as bad
		some violation in bubblewrap.violations with input as bad
		endswith(violation.message, concat("", ["collection release, commands ran at level ", level]))
	}
}

test_silent_when_not_demanded if {
	bubblewrap.violations == set() with input as {"demanded": [], "result": {}}
}
