package done_receipt.rules.signature.timestamp_test

import data.done_receipt.rules.signature.timestamp

good := {
	"demanded": ["signature.timestamp"],
	"profile": {"collection": "release"},
	"result": {"signers": [
		{"principal": "a"},
		{"principal": "b", "times": [{"time": "2026-11-30T12:00:00Z", "source": "rekor"}]},
	]},
}

test_a_verified_time_satisfies if {
	timestamp.satisfied with input as good
	timestamp.violations == set() with input as good
	timestamp.grounds == ["/result/signers/1/times/0"] with input as good
}

test_no_time_is_a_violation if {
	every bad in [
		json.remove(good, ["result/signers/1/times"]),
		json.remove(good, ["result/signers/1/times/0/time"]),
		json.patch(good, [{"op": "replace", "path": "/result/signers/1/times/0/source", "value": "receipt"}]),
		json.patch(good, [{"op": "replace", "path": "/result/signers", "value": "times"}]),
	] {
		not timestamp.satisfied with input as bad
		some violation in timestamp.violations with input as bad
		contains(violation.message, "is demanded by collection release, and no signer has one")
		violation.facts == ["/result/signers"]
	}
}

test_silent_when_not_demanded if {
	timestamp.violations == set() with input as {"demanded": [], "result": {}}
}
