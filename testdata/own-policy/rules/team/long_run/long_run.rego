# METADATA
# title: A long run is answered for by two
# description: |
#   More than 20 iterations, or a number that the receipt does not say, want two signers.
package done_receipt.custom.team.long_run

violations contains violation if {
	not short
	not two_signers
	violation := {
		"code": "custom.team.long_run",
		"message": concat(" ", [iterations, "iterations, signed by one"]),
		"solution": "Have a second person look at the work and sign the receipt.",
		"facts": ["/result/run/iterations", "/result/signers"],
	}
}

warnings contains warning if {
	input.result.run.iterations > 10
	warning := {
		"code": "custom.team.long_run",
		"message": "more than 10 iterations",
		"facts": ["/result/run/iterations"],
	}
}

# Said positively: a number that is missing is not short.
short if input.result.run.iterations <= 20

two_signers if count({signer.principal | some signer in input.result.signers}) > 1

iterations := json.marshal(input.result.run.iterations) if {
	is_number(input.result.run.iterations)
} else := "unsaid"
