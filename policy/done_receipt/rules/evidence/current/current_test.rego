package done_receipt.rules.evidence.current_test

import data.done_receipt.rules.evidence.current

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
	current.satisfied with input as good
	count(current.violations) == 0 with input as good
}

bad := json.patch(good, [
	{"op": "replace", "path": "/result/claims/0/evidence/1/state", "value": "stale"},
	{"op": "replace", "path": "/result/claims/0/evidence/1/message", "value": "b.txt differs"},
	{"op": "replace", "path": "/result/coverage/stale", "value": 1},
])

test_an_item_in_this_state_is_a_violation if {
	not current.satisfied with input as bad
	count(current.violations) == 1 with input as bad
	some violation in current.violations with input as bad
	violation.term == "c[1]"
	violation.facts == ["/result/claims/0/evidence/1"]
	contains(violation.message, "c[1] (text)")
	contains(violation.message, "b.txt differs")
}

test_an_item_is_not_forgiven_by_the_coverage if {
	not current.satisfied with input as json.patch(bad, [{
		"op": "replace",
		"path": "/result/coverage/stale",
		"value": 0,
	}])
}

test_an_unknown_state_does_not_satisfy if {
	not current.satisfied with input as json.patch(bad, [
		{"op": "replace", "path": "/result/claims/0/evidence/1/state", "value": "fine"},
		{"op": "replace", "path": "/result/coverage/stale", "value": 0},
	])
}

test_missing_does_not_satisfy if {
	every path in [
		"result/claims",
		"result/claims/0/evidence",
		"result/claims/0/evidence/1",
		"result/claims/0/evidence/1/state",
		"result/coverage",
		"result/coverage/stale",
		"result/coverage/total",
	] {
		not current.satisfied with input as json.remove(good, [path])
	}
}
