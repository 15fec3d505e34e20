package attested_test

import data.attested
import data.signature
import data.sigstore

wanted := {
	"verifier": "https://example.com/gate",
	"resources": ["pkg:generic/app", "pkg:generic/other"],
	"levels": ["DONE_RECEIPT_FULLY_RECHECKED", "DONE_RECEIPT_COLLECTION_CI"],
	"judgedBy": "",
	"maxAge": 0,
	"claims": "refused",
}

summary := {
	"_type": "https://in-toto.io/Statement/v1",
	"subject": [{"digest": {"sha256": "aa"}}],
	"predicateType": "https://slsa.dev/verification_summary/v1",
	"predicate": {
		"verifier": {"id": "https://example.com/gate"},
		"timeVerified": "2026-11-30T12:00:00Z",
		"resourceUri": "pkg:generic/app",
		"policy": {"uri": "https://example.com/policy", "digest": {"sha256": "bb"}},
		"inputAttestations": [{"uri": "https://w3id.org/done-receipt/receipt-payload/v0.1", "digest": {"sha256": "cc"}}],
		"verificationResult": "PASSED",
		"verifiedLevels": ["DONE_RECEIPT_FULLY_RECHECKED", "DONE_RECEIPT_COLLECTION_MINIMAL", "DONE_RECEIPT_COLLECTION_CI"],
	},
}

receipt := {
	"_type": "https://in-toto.io/Statement/v0.1",
	"subject": [{"digest": {"sha256": "aa"}}],
	"predicateType": "https://w3id.org/done-receipt/v0.1",
	"predicate": {
		"run": {"outcome": "completed"},
		"contract": {"sealed": [], "absent": [], "breach": null},
		"verdict": {"checked": true, "passed": true, "reason": ""},
		"claims": [{"id": "c", "evidence": [{"kind": "file", "ok": true}]}, {"id": "d", "evidence": []}],
	},
}

with_claims := object.union(wanted, {"claims": "beside a summary"})

changed(statement, path, value) := json.patch(statement, [{"op": "add", "path": path, "value": value}])

test_the_summary_that_is_wanted_is_admitted if {
	attested.verdict == true with attested.wanted as wanted with input as summary
	old := object.union(summary, {"_type": "https://in-toto.io/Statement/v0.1"})
	attested.verdict == true with attested.wanted as wanted with input as old
}

test_every_other_summary_is_refused if {
	every path, value in {
		"/_type": "https://in-toto.io/Statement/v2",
		"/predicateType": "https://slsa.dev/verification_summary/v0.2",
		"/predicate/verifier/id": "https://example.com/gate/",
		"/predicate/resourceUri": "pkg:generic/app2",
		"/predicate/verificationResult": "FAILED",
		"/predicate/inputAttestations": [],
		"/predicate/verifiedLevels": ["DONE_RECEIPT_FULLY_RECHECKED_WITH_EXCEPTIONS", "DONE_RECEIPT_COLLECTION_CI"],
		"/predicate": null,
	} {
		is_array(attested.verdict) with attested.wanted as wanted with input as changed(summary, path, value)
	}
}

test_no_member_can_be_missing if {
	every path in [
		"_type",
		"predicateType",
		"predicate",
		"predicate/verifier",
		"predicate/verifier/id",
		"predicate/resourceUri",
		"predicate/inputAttestations",
		"predicate/inputAttestations/0/uri",
		"predicate/verificationResult",
		"predicate/verifiedLevels",
		"predicate/verifiedLevels/0",
	] {
		is_array(attested.verdict) with attested.wanted as wanted with input as json.remove(summary, [path])
	}
	every other in [null, {}, [], "a", true] {
		attested.verdict == ["this is no in-toto statement"] with attested.wanted as wanted with input as other
	}
}

test_levels_are_a_list if {
	text := changed(summary, "/predicate/verifiedLevels", "DONE_RECEIPT_FULLY_RECHECKED")
	is_array(attested.verdict) with attested.wanted as wanted with input as text
}

test_what_was_not_filled_in_admits_nothing if {
	is_array(attested.verdict) with input as summary
	is_array(attested.verdict) with input as receipt
	none := object.union(wanted, {"levels": []})
	[refusal] := attested.verdict with attested.wanted as none with input as summary
	endswith(refusal, "or none is wanted")
}

test_the_policy_can_be_pinned if {
	pinned := object.union(wanted, {"judgedBy": "bb"})
	attested.verdict == true with attested.wanted as pinned with input as summary
	other := object.union(wanted, {"judgedBy": "bc"})
	is_array(attested.verdict) with attested.wanted as other with input as summary
	undigested := json.remove(summary, ["predicate/policy/digest"])
	is_array(attested.verdict) with attested.wanted as pinned with input as undigested
}

hourly := object.union(wanted, {"maxAge": 3600})

test_a_summary_grows_old if {
	every moment in ["2026-11-30T13:00:00Z", "2026-11-30T11:55:00Z"] {
		now := time.parse_rfc3339_ns(moment)
		attested.verdict == true with attested.wanted as hourly with input as summary with time.now_ns as now
	}
	every moment in ["2026-11-30T13:00:01Z", "2026-11-30T11:54:59Z"] {
		now := time.parse_rfc3339_ns(moment)
		is_array(attested.verdict) with attested.wanted as hourly with input as summary with time.now_ns as now
	}
	undated := json.remove(summary, ["predicate/timeVerified"])
	is_array(attested.verdict) with attested.wanted as hourly with input as undated
}

test_a_receipt_alone_is_refused if {
	[refusal] := attested.verdict with attested.wanted as wanted with input as receipt
	startswith(refusal, "a receipt is its signer's word, nothing of it is done again here")
}

test_beside_a_summary_its_claims_are_looked_at if {
	attested.verdict == true with attested.wanted as with_claims with input as receipt
	every path, value in {
		"/predicate/verdict/passed": false,
		"/predicate/verdict/checked": false,
		"/predicate/verdict/reason": "why",
		"/predicate/run/outcome": "failed",
		"/predicate/contract/breach": {"at": "x"},
		"/predicate/contract": null,
		"/predicate/claims": [],
		"/predicate/claims/0/evidence": [],
		"/predicate/claims/0/evidence/0/ok": false,
		"/predicate/claims/1/evidence": {},
	} {
		is_array(attested.verdict) with attested.wanted as with_claims with input as changed(receipt, path, value)
	}
	every path in ["verdict", "verdict/reason", "run", "run/outcome", "contract", "claims", "claims/0/evidence/0/ok"] {
		place := concat("/", ["predicate", path])
		is_array(attested.verdict) with attested.wanted as with_claims with input as json.remove(receipt, [place])
	}
}

test_cosign_gets_true_or_the_reasons if {
	signature.allow == true with attested.wanted as wanted with input as summary
	is_array(signature.allow) with input as summary
}

test_any_other_verdict_is_none if {
	every other in ["true", 1, null, {}] {
		signature.allow == false with attested.verdict as other
		sigstore.isCompliant == false with attested.verdict as other
	}
}

test_policy_controller_gets_true_or_an_error if {
	sigstore.isCompliant == true with attested.wanted as wanted with input as summary
	[found] := sigstore.isCompliant with input as summary
	found.result == false
	contains(found.error, "another verifier")
}
