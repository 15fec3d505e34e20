package done_receipt.rules.contract.held_test

import data.done_receipt.rules.contract.held

good := {
	"profile": {"minimumAssurance": "fully_rechecked"},
	"result": {
		"examined": true,
		"contract": {"state": "held", "sealed": 1, "absent": 0},
		"checks": [{
			"id": "contract-seals",
			"status": "pass",
			"findings": [{"status": "pass", "reason": "contract-seals.held", "message": "fine"}],
		}],
	},
}

in_state(state) := json.patch(good, [
	{"op": "replace", "path": "/result/contract/state", "value": state},
	{
		"op": "replace",
		"path": "/result/checks/0/findings/0/reason",
		"value": concat(".", ["contract-seals", state]),
	},
])

test_a_state_that_the_check_does_not_show_is_a_violation if {
	every state in ["held", "held_as_reported", "nothing_sealed"] {
		silent := json.patch(in_state(state), [{
			"op": "replace",
			"path": "/result/checks/0/findings/0/reason",
			"value": "contract-seals.no_workspace",
		}])
		not held.satisfied with input as silent
		count(held.violations) == 1 with input as silent
	}
}

test_held_satisfies if {
	every state in ["held", "held_as_reported"] {
		held.satisfied with input as in_state(state)
		count(held.violations) == 0 with input as in_state(state)
		count(held.warnings) == 0 with input as in_state(state)
	}
}

test_nothing_sealed_satisfies_and_warns if {
	held.satisfied with input as in_state("nothing_sealed")
	count(held.warnings) == 1 with input as in_state("nothing_sealed")
}

test_nobody_looked_is_a_violation if {
	not held.satisfied with input as in_state("not_checked")
	count(held.violations) == 1 with input as in_state("not_checked")
}

test_nobody_looked_is_a_warning_when_reported_suffices if {
	reported := json.patch(in_state("not_checked"), [{
		"op": "replace",
		"path": "/profile/minimumAssurance",
		"value": "reported",
	}])
	held.satisfied with input as reported
	count(held.violations) == 0 with input as reported
	count(held.warnings) == 1 with input as reported
}

moved := json.patch(good, [
	{"op": "replace", "path": "/result/contract/state", "value": "moved"},
	{"op": "replace", "path": "/result/checks/0/status", "value": "fail"},
	{"op": "replace", "path": "/result/checks/0/findings/0", "value": {
		"status": "fail",
		"reason": "contract-seals.modified",
		"message": "tests/a.py was modified",
		"path": "tests/a.py",
	}},
	{"op": "add", "path": "/result/contract/moved", "value": [
		{"path": "tests/a.py", "change": "modified"},
		{"path": "tests/b.py", "change": "not_a_file"},
	]},
])

test_each_moved_path_is_a_violation if {
	not held.satisfied with input as moved
	{violation.message | some violation in held.violations} == {
		"tests/a.py is sealed and was modified",
		"tests/b.py is sealed and was replaced by something that is not a file",
	} with input as moved
	{violation.term | some violation in held.violations} == {"tests/a.py", "tests/b.py"} with input as moved
}

test_a_list_of_moves_is_not_forgiven_by_the_state if {
	lying := json.patch(moved, [{"op": "replace", "path": "/result/contract/state", "value": "held"}])
	not held.satisfied with input as lying
	count(held.violations) == 2 with input as lying
}

test_moved_without_a_list_is_a_violation if {
	unlisted := json.remove(moved, ["result/contract/moved"])
	not held.satisfied with input as unlisted
	some violation in held.violations with input as unlisted
	violation.message == "tests/a.py was modified"
}

test_another_contract_is_a_violation if {
	other := {"status": "fail", "reason": "contract-seals.other_contract", "message": "not the verifier's"}
	bad := json.patch(good, [{"op": "replace", "path": "/result/checks/0/findings/0", "value": other}])
	not held.satisfied with input as bad
	count(held.violations) == 1 with input as bad
}

test_missing_does_not_satisfy if {
	every path in ["result/contract", "result/contract/state", "result/checks", "result/checks/0/findings/0/status"] {
		not held.satisfied with input as json.remove(good, [path])
		count(held.violations) == 1 with input as json.remove(good, [path])
	}
}

test_a_contract_other_than_the_verifiers_is_said_in_its_own_words if {
	other := json.patch(good, [
		{"op": "replace", "path": "/result/contract/state", "value": "moved"},
		{"op": "add", "path": "/result/contract/moved", "value": [{"path": "a", "change": "other_contract"}]},
		{"op": "replace", "path": "/result/checks/0/findings/0", "value": {
			"status": "fail",
			"reason": "contract-seals.other_contract",
			"message": "a is sealed as 1, receipt says 2",
			"path": "a",
		}},
	])
	not held.satisfied with input as other
	count(held.violations) == 1 with input as other
	some violation in held.violations with input as other
	violation.message == "a is sealed as 1, receipt says 2"
}

test_a_script_that_nobody_sealed_is_a_warning if {
	remark := {"status": "pass", "reason": "evidence-command.unsealed_script", "message": "a decides", "path": "a"}
	check := {"id": "evidence-command", "status": "pass", "findings": [remark]}
	unsealed := json.patch(good, [{"op": "add", "path": "/result/checks/-", "value": check}])
	held.satisfied with input as unsealed
	count(held.violations) == 0 with input as unsealed
	{[w.message, w.term] | some w in held.warnings} == {["a decides", "a"]} with input as unsealed
}

test_a_path_sealed_as_null_is_a_warning if {
	remark := {"status": "pass", "reason": "contract-seals.null_seal", "message": "a is sealed as null", "path": "a"}
	null_seal := json.patch(good, [{"op": "add", "path": "/result/checks/0/findings/-", "value": remark}])
	held.satisfied with input as null_seal
	count(held.violations) == 0 with input as null_seal
	{[w.message, w.term] | some w in held.warnings} == {["a is sealed as null", "a"]} with input as null_seal
}

test_a_path_that_the_target_changed_is_a_warning if {
	remark := {
		"status": "pass",
		"reason": "contract-seals.changed_by_target",
		"message": "the target has it so",
		"path": "a",
	}
	moved := json.patch(good, [{"op": "add", "path": "/result/checks/0/findings/-", "value": remark}])
	held.satisfied with input as moved
	{[w.message, w.term] | some w in held.warnings} == {["the target has it so", "a"]} with input as moved
}
