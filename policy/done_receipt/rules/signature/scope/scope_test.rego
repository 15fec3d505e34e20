package done_receipt.rules.signature.scope_test

import data.done_receipt.rules.signature.scope

good := {
	"profile": {"minimumAssurance": "fully_rechecked"},
	"result": {"examined": true, "checks": [{"id": "signature", "status": "pass", "findings": [{
		"status": "pass",
		"reason": "signature.verified",
		"message": "fine",
	}]}]},
}

test_no_finding_out_of_scope_satisfies if {
	scope.satisfied with input as good
	count(scope.violations) == 0 with input as good
}

test_out_of_scope_is_the_violation if {
	finding := {"status": "fail", "reason": "signature.out_of_scope", "message": "key ci is not for model m"}
	bad := json.patch(good, [{"op": "add", "path": "/result/checks/0/findings/-", "value": finding}])
	not scope.satisfied with input as bad
	scope.violations == {{
		"code": "signature.scope",
		"message": "key ci is not for model m",
		"facts": ["/result/checks/0/findings/1"],
	}} with input as bad
}

test_missing_does_not_satisfy if {
	every path in ["result/checks", "result/checks/0/findings/0/reason", "result/checks/0/findings/0/status"] {
		not scope.satisfied with input as json.remove(good, [path])
	}
}
