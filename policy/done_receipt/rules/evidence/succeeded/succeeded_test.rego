package done_receipt.rules.evidence.succeeded_test

import data.done_receipt.rules.evidence.succeeded

good := {"result": {
	"examined": true,
	"checks": [{"id": "evidence-file", "status": "pass", "findings": []}],
	"coverage": {"total": 2, "confirmed": 2, "refuted": 0, "stale": 0, "blocked": 0, "reported": 0, "error": 0},
	"claims": [{"id": "c", "state": "confirmed", "evidence": [
		{"index": 0, "kind": "file", "ok": true, "state": "confirmed", "message": "fine"},
		{"index": 1, "kind": "text", "ok": true, "state": "confirmed", "message": "fine"},
	]}],
}}

test_ok_satisfies if {
	succeeded.satisfied with input as good
	count(succeeded.violations) == 0 with input as good
}

test_a_confirmed_failure_is_a_violation if {
	bad := json.patch(good, [
		{"op": "replace", "path": "/result/claims/0/state", "value": "failed"},
		{"op": "replace", "path": "/result/claims/0/evidence/1/ok", "value": false},
	])
	not succeeded.satisfied with input as bad
	some violation in succeeded.violations with input as bad
	violation.message == "c[1] (text) is not ok: recomputed, and it is so"
}

test_a_reported_failure_is_a_violation if {
	bad := json.patch(good, [
		{"op": "replace", "path": "/result/claims/0/evidence/1/state", "value": "reported"},
		{"op": "replace", "path": "/result/claims/0/evidence/1/ok", "value": false},
	])
	not succeeded.satisfied with input as bad
	some violation in succeeded.violations with input as bad
	violation.message == "c[1] (text) is not ok: the receipt says so itself"
}

test_a_failed_claim_without_such_an_item_is_a_violation if {
	bad := json.patch(good, [{"op": "replace", "path": "/result/claims/0/state", "value": "failed"}])
	not succeeded.satisfied with input as bad
	{violation.term | some violation in succeeded.violations} == {"c"} with input as bad
}

test_missing_does_not_satisfy if {
	every path in ["result/claims", "result/claims/0/state", "result/claims/0/evidence/0/ok", "result/coverage/total"] {
		not succeeded.satisfied with input as json.remove(good, [path])
	}
}
