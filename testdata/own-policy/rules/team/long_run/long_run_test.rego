package done_receipt.custom.team.long_run_test

import data.done_receipt.custom.team.long_run

run(iterations, signers) := {"result": {
	"run": {"iterations": iterations},
	"signers": [{"principal": signer} | some signer in signers],
}}

test_a_short_run_needs_one if {
	count(long_run.violations) == 0 with input as run(20, {"a"})
	count(long_run.warnings) == 1 with input as run(11, {"a"})
	count(long_run.warnings) == 0 with input as run(10, {"a"})
}

test_a_long_run_needs_two if {
	count(long_run.violations) == 1 with input as run(21, {"a"})
	count(long_run.violations) == 0 with input as run(21, {"a", "b"})
}

test_an_unsaid_number_is_not_short if {
	some violation in long_run.violations with input as {"result": {"run": {}, "signers": []}}
	violation.message == "unsaid iterations, signed by one"
}
