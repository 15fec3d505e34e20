package done_receipt.rules.signature.unsigned_test

import data.done_receipt.rules.signature.unsigned

good := {"profile": {"unsigned": false}, "result": {"trust": {"mode": "signed"}}}

test_signed_satisfies_without_a_warning if {
	unsigned.satisfied with input as good
	count(unsigned.warnings) == 0 with input as good
}

test_unsigned_warns if {
	asked := {"profile": {"unsigned": true}, "result": {"trust": {"mode": "unsigned"}}}
	not unsigned.satisfied with input as asked
	count(unsigned.warnings) == 1 with input as asked
}

test_where_it_is_demanded_it_is_a_violation if {
	asked := {
		"demanded": ["signature.unsigned"],
		"profile": {"unsigned": true},
		"result": {"trust": {"mode": "unsigned"}},
	}
	count(unsigned.violations) == 1 with input as asked
	count(unsigned.warnings) == 0 with input as asked
}

test_missing_does_not_satisfy if {
	not unsigned.satisfied with input as {"result": {"trust": {"mode": "signed"}}}
	not unsigned.satisfied with input as {"profile": {"unsigned": false}}
}
