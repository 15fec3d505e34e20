package done_receipt.rules.contract.verified_test

import data.done_receipt.rules.contract.verified

good := {
	"demanded": ["contract.verified"],
	"profile": {"collection": "ci"},
	"result": {
		"contract": {"state": "held"},
		"checks": [{"id": "contract-seals", "status": "pass", "findings": [{
			"status": "pass",
			"reason": "contract-seals.held",
			"message": "fine",
		}]}],
	},
}

test_held_satisfies if {
	verified.satisfied with input as good
	verified.violations == set() with input as good
	verified.grounds == ["/result/contract/state", "/result/checks/0"] with input as good
}

test_any_other_state_is_a_violation if {
	every state in ["held_as_reported", "nothing_sealed", "not_checked", "moved"] {
		bad := json.patch(good, [{"op": "replace", "path": "/result/contract/state", "value": state}])
		not verified.satisfied with input as bad
		some violation in verified.violations with input as bad
		endswith(violation.message, concat("", ["the state of the contract is ", state]))
	}
}

test_the_finding_must_say_so_too if {
	every reason in ["contract-seals.held_as_reported", "contract-seals.nothing_sealed"] {
		bad := json.patch(good, [{"op": "replace", "path": "/result/checks/0/findings/0/reason", "value": reason}])
		not verified.satisfied with input as bad
		count(verified.violations) == 1 with input as bad
	}
}

test_missing_does_not_satisfy if {
	every path in ["result/contract", "result/checks", "result/checks/0/findings/0/status"] {
		not verified.satisfied with input as json.remove(good, [path])
		count(verified.violations) == 1 with input as json.remove(good, [path])
	}
}

test_silent_when_not_demanded if {
	verified.violations == set() with input as {"demanded": [], "result": {}}
}
