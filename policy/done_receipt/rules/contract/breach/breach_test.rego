package done_receipt.rules.contract.breach_test

import data.done_receipt.rules.contract.breach

good := {"result": {"examined": true, "contract": {"state": "held"}}}

test_no_breach_satisfies if {
	breach.satisfied with input as good
	count(breach.violations) == 0 with input as good
}

test_a_breach_is_a_violation if {
	every value in ["a was modified", "", false, 0] {
		bad := json.patch(good, [{"op": "add", "path": "/result/contract/breach", "value": value}])
		not breach.satisfied with input as bad
		count(breach.violations) == 1 with input as bad
	}
}

test_missing_does_not_satisfy if {
	not breach.satisfied with input as json.remove(good, ["result/contract"])
	not breach.satisfied with input as json.remove(good, ["result/contract/state"])
}
