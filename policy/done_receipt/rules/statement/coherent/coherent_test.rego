package done_receipt.rules.statement.coherent_test

import data.done_receipt.rules.statement.coherent

good := {"result": {
	"examined": true,
	"verdict": {"coherent": true},
	"checks": [{
		"id": "statement",
		"status": "not_checked",
		"findings": [
			{"status": "pass", "reason": "statement.coherent", "message": "fine"},
			{"status": "not_checked", "reason": "statement.twin_names", "message": "A and a"},
		],
	}],
}}

test_agreeing_satisfies if {
	coherent.satisfied with input as good
	count(coherent.violations) == 0 with input as good
}

test_each_fault_is_a_violation if {
	bad := json.patch(good, [
		{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "fail"},
		{"op": "replace", "path": "/result/checks/0/findings/1/status", "value": "fail"},
	])
	not coherent.satisfied with input as bad
	count(coherent.violations) == 2 with input as bad
}

test_a_fault_without_a_reason_is_a_violation_too if {
	bad := json.remove(
		json.patch(good, [{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "error"}]),
		["result/checks/0/findings/0/reason"],
	)
	count(coherent.violations) == 1 with input as bad
}

test_not_coherent_without_a_finding_is_a_violation if {
	bad := json.patch(good, [{"op": "replace", "path": "/result/verdict/coherent", "value": false}])
	not coherent.satisfied with input as bad
	count(coherent.violations) == 1 with input as bad
}

test_missing_does_not_satisfy if {
	every path in ["result/verdict", "result/verdict/coherent", "result/checks", "result/checks/0/findings"] {
		not coherent.satisfied with input as json.remove(good, [path])
		count(coherent.violations) == 1 with input as json.remove(good, [path])
	}
}

test_a_type_that_is_not_allowed_is_left_to_its_own_rule if {
	finding := {"status": "fail", "reason": "statement.type_not_allowed", "message": "not this one"}
	other := json.patch(good, [{"op": "add", "path": "/result/checks/0/findings/-", "value": finding}])
	coherent.satisfied with input as other
	count(coherent.violations) == 0 with input as other
}

test_another_receipt_that_contradicts_is_a_warning if {
	remark := {"status": "pass", "reason": "statement.contradicted", "message": "another one failed", "path": "a"}
	other := json.patch(good, [{"op": "add", "path": "/result/checks/0/findings/-", "value": remark}])
	coherent.satisfied with input as other
	count(coherent.violations) == 0 with input as other
	{[w.message, w.term] | some w in coherent.warnings; w.term} == {["another one failed", "a"]} with input as other
}

test_what_was_imported_and_a_path_in_another_spelling_are_warnings if {
	every reason in {"statement.imported", "statement.path_spelling", "statement.counters_zero", "statement.twin_names"} {
		remark := {"status": "pass", "reason": reason, "message": "look here"}
		other := json.patch(good, [{"op": "add", "path": "/result/checks/0/findings/-", "value": remark}])
		coherent.satisfied with input as other
		count(coherent.violations) == 0 with input as other
		{w.message | some w in coherent.warnings} == {"A and a", "look here"} with input as other
	}
}

test_remarks_alone_say_nothing_about_it if {
	unlooked := json.patch(good, [{"op": "remove", "path": "/result/checks/0/findings/0"}])
	not coherent.satisfied with input as unlooked
	count(coherent.violations) == 1 with input as unlooked
}
