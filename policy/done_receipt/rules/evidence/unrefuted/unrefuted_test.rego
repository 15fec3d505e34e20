package done_receipt.rules.evidence.unrefuted_test

import data.done_receipt.rules.evidence.unrefuted

good := {"result": {
	"examined": true,
	"checks": [{"id": "evidence-file", "status": "pass", "findings": []}],
	"coverage": {"total": 2, "confirmed": 2, "refuted": 0, "stale": 0, "blocked": 0, "reported": 0, "error": 0},
	"claims": [{"id": "c", "state": "confirmed", "evidence": [
		{"index": 0, "kind": "file", "ok": true, "state": "confirmed", "message": "fine"},
		{"index": 1, "kind": "text", "ok": true, "state": "confirmed", "message": "fine"},
	]}],
}}

test_confirmed_satisfies if {
	unrefuted.satisfied with input as good
	count(unrefuted.violations) == 0 with input as good
}

bad := json.patch(good, [
	{"op": "replace", "path": "/result/claims/0/evidence/1/state", "value": "refuted"},
	{"op": "replace", "path": "/result/claims/0/evidence/1/message", "value": "b.txt differs"},
	{"op": "replace", "path": "/result/coverage/refuted", "value": 1},
])

test_an_item_in_this_state_is_a_violation if {
	not unrefuted.satisfied with input as bad
	count(unrefuted.violations) == 1 with input as bad
	some violation in unrefuted.violations with input as bad
	violation.term == "c[1]"
	violation.facts == ["/result/claims/0/evidence/1"]
	contains(violation.message, "c[1] (text)")
	contains(violation.message, "b.txt differs")
}

test_an_item_is_not_forgiven_by_the_coverage if {
	not unrefuted.satisfied with input as json.patch(bad, [{
		"op": "replace",
		"path": "/result/coverage/refuted",
		"value": 0,
	}])
}

test_an_unknown_state_does_not_satisfy if {
	not unrefuted.satisfied with input as json.patch(bad, [
		{"op": "replace", "path": "/result/claims/0/evidence/1/state", "value": "fine"},
		{"op": "replace", "path": "/result/coverage/refuted", "value": 0},
	])
}

test_missing_does_not_satisfy if {
	every path in [
		"result/claims",
		"result/claims/0/evidence",
		"result/claims/0/evidence/1",
		"result/claims/0/evidence/1/state",
		"result/coverage",
		"result/coverage/refuted",
		"result/coverage/total",
	] {
		not unrefuted.satisfied with input as json.remove(good, [path])
	}
}

test_a_finding_of_another_check_is_a_violation if {
	finding := {"status": "fail", "reason": "plugin.bad", "message": "a plug-in's check", "path": "a.txt"}
	stray := json.patch(good, [{"op": "add", "path": "/result/checks/0/findings/-", "value": finding}])
	not unrefuted.satisfied with input as stray
	unrefuted.violations == {{
		"code": "evidence.unrefuted",
		"term": "a.txt",
		"message": "a plug-in's check",
		"facts": ["/result/checks/0/findings/0"],
	}} with input as stray
}

test_a_finding_about_an_item_is_not_said_twice if {
	finding := {"status": "fail", "reason": "plugin.bad", "message": "m", "claim": "c", "evidence": 1}
	known := json.patch(bad, [{"op": "add", "path": "/result/checks/0/findings/-", "value": finding}])
	count(unrefuted.violations) == 1 with input as known
}

test_checks_are_needed if {
	not unrefuted.satisfied with input as json.remove(good, ["result/checks"])
}
