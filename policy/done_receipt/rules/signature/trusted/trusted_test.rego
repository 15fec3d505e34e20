package done_receipt.rules.signature.trusted_test

import data.done_receipt.rules.signature.trusted

good := {
	"profile": {"unsigned": false},
	"result": {
		"trust": {"mode": "signed", "threshold": 2},
		"signers": [{"principal": "release"}, {"principal": "review"}],
		"checks": [{"id": "signature", "status": "pass", "findings": [{
			"status": "pass",
			"reason": "signature.verified",
			"message": "signed",
		}]}],
	},
}

test_two_principals_satisfy if {
	trusted.satisfied with input as good
	count(trusted.violations) == 0 with input as good
}

test_one_principal_twice_is_not_two if {
	one := json.patch(good, [{"op": "replace", "path": "/result/signers/1/principal", "value": "release"}])
	not trusted.satisfied with input as one
	some violation in trusted.violations with input as one
	violation.message == "no trusted signer"
}

test_a_failed_finding_is_the_violation if {
	failed := {"status": "fail", "reason": "signature.no_trusted_key", "message": "nobody known signed this"}
	bad := json.patch(good, [{"op": "replace", "path": "/result/checks/0/findings/0", "value": failed}])
	not trusted.satisfied with input as bad
	trusted.violations == {{
		"code": "signature.trusted",
		"message": "nobody known signed this",
		"facts": ["/result/checks/0/findings/0"],
	}} with input as bad
}

test_a_signer_out_of_scope_is_still_trusted if {
	finding := {"status": "fail", "reason": "signature.out_of_scope", "message": "not for this model"}
	scoped := json.patch(good, [{"op": "add", "path": "/result/checks/0/findings/-", "value": finding}])
	trusted.satisfied with input as scoped
	count(trusted.violations) == 0 with input as scoped
}

test_missing_does_not_satisfy if {
	every path in [
		"profile/unsigned",
		"result/trust/mode",
		"result/trust/threshold",
		"result/signers",
		"result/signers/0/principal",
		"result/checks/0/findings",
		"result/checks/0/findings/0/reason",
		"result/checks/0/findings/0/status",
	] {
		not trusted.satisfied with input as json.remove(good, [path])
		count(trusted.violations) == 1 with input as json.remove(good, [path])
	}
}

test_signers_that_are_a_string_do_not_count if {
	text := json.patch(good, [{"op": "replace", "path": "/result/signers", "value": "ab"}])
	not trusted.satisfied with input as text
}

test_silent_when_unsigned_is_asked_for if {
	unsigned := json.patch(good, [
		{"op": "replace", "path": "/profile/unsigned", "value": true},
		{"op": "replace", "path": "/result/signers", "value": []},
	])
	not trusted.satisfied with input as unsigned
	count(trusted.violations) == 0 with input as unsigned
}

test_a_signer_out_of_scope_alone_is_still_trusted if {
	finding := {"status": "fail", "reason": "signature.out_of_scope", "message": "not for this model"}
	scoped := json.patch(good, [{"op": "replace", "path": "/result/checks/0/findings/0", "value": finding}])
	trusted.satisfied with input as scoped
	count(trusted.violations) == 0 with input as scoped
}
