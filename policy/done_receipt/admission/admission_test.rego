package done_receipt.admission_test

import data.done_receipt.admission

# Two rules that need little: enough to see how the decision is put together.
good := {
	"demanded": ["verdict.passed", "contract.breach"],
	"profile": {"unsigned": true},
	"result": {
		"examined": false,
		"contract": {"state": "held"},
		"verdict": {"checked": true, "passed": true, "coherent": true},
	},
}

test_all_demands_satisfied_is_allowed if {
	admission.decision.allow with input as good
	{"verdict.passed", "contract.breach"} - admission.decision.satisfied == set() with input as good
}

test_warnings_do_not_deny if {
	admission.decision.allow with input as good
	{warning.code | some warning in admission.decision.warnings} == {"signature.unsigned"} with input as good
}

test_a_demand_that_no_rule_satisfies_denies if {
	more := json.patch(good, [{"op": "add", "path": "/demanded/-", "value": "verdict.splendid"}])
	admission.decision.allow == false with input as more
}

test_a_violation_denies if {
	bad := json.patch(good, [{"op": "add", "path": "/result/contract/breach", "value": "a was modified"}])
	admission.decision.allow == false with input as json.patch(bad, [{"op": "remove", "path": "/demanded/1"}])
}

test_terms_are_part_of_the_code if {
	shown := json.patch(good, [
		{"op": "add", "path": "/profile/evidence", "value": [{"claim": "c", "kind": "file", "argv": [], "paths": []}]},
		{"op": "add", "path": "/result/coverage", "value": {"total": 1}},
		{"op": "add", "path": "/result/claims", "value": [{
			"id": "c",
			"state": "confirmed",
			"evidence": [{"kind": "file", "ok": true, "state": "confirmed"}],
		}]},
	])
	"profile.evidence:c/file" in admission.decision.satisfied with input as shown
}

test_nothing_demanded_is_not_enough if {
	every value in [[], "", "x", {}, null, 0, true] {
		bad := json.patch(good, [{"op": "replace", "path": "/demanded", "value": value}])
		admission.decision.allow == false with input as bad
	}
}

test_any_input_gives_a_decision if {
	every value in [{}, [], "", "x", null, 0, true, {"result": []}, {"result": {"checks": "x"}, "demanded": [1]}] {
		admission.decision.allow == false with input as value
	}
}

test_a_package_of_the_verifiers_own_can_deny if {
	violation := {"code": "custom.x", "message": "no", "facts": []}
	admission.decision.allow == false with input as good
		with data.done_receipt.custom as {"team": {"rule": {"violations": {violation}}}}
}
