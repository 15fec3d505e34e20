# METADATA
# title: A verdict that is attached to an image
# description: |
#   For tools that hand over one signed statement whose signature and subject they have verified, and nothing else: no
#   work, no base, nothing to do again. A receipt alone is an agent's word then, and is refused. What is admitted is a
#   verification summary (VSA) of the verifier that is wanted, for the resource, with the levels. `wanted` says which.
#   Each demand is a fact that has to be there; where it is not, for whatever reason, it is refused.
package attested

# True, or what stands against it.
verdict if {
	count(refusals) == 0
} else := sort([refusal | some refusal in refusals])

default refusals := {"this is neither a verification summary nor a done receipt"}

refusals := {"this is no in-toto statement"} if {
	not statement
} else := {refusal | some refusal, fact in summary_facts; not fact} if {
	input.predicateType == "https://slsa.dev/verification_summary/v1"
} else := {refusal | some refusal, fact in claim_facts; not fact} if {
	input.predicateType == "https://w3id.org/done-receipt/v0.1"
}

statement if input._type == "https://in-toto.io/Statement/v1"

statement if input._type == "https://in-toto.io/Statement/v0.1"

# --- A verification summary: what is said when the fact is missing, to the fact ---

summary_facts := {
	"the summary is another verifier's": of_the_verifier,
	"the summary is about another resource": about_the_resource,
	"the verification did not pass": has_passed,
	"the summary is not about a done receipt": about_a_receipt,
	"a level that is wanted was not reached, or none is wanted": all_reached,
	"the summary was decided by another policy": by_the_policy,
	"the summary is too old, or from the future": recent,
}

default of_the_verifier := false

of_the_verifier if input.predicate.verifier.id == wanted.verifier

default about_the_resource := false

about_the_resource if {
	some resource in wanted.resources
	input.predicate.resourceUri == resource
}

default has_passed := false

has_passed if input.predicate.verificationResult == "PASSED"

default about_a_receipt := false

about_a_receipt if {
	some one in input.predicate.inputAttestations
	one.uri == "https://w3id.org/done-receipt/receipt-payload/v0.1"
}

default all_reached := false

all_reached if {
	is_array(input.predicate.verifiedLevels)
	count(wanted.levels) > 0
	every level in wanted.levels {
		level in input.predicate.verifiedLevels
	}
}

default by_the_policy := false

by_the_policy if wanted.judgedBy == ""

by_the_policy if input.predicate.policy.digest.sha256 == wanted.judgedBy

default recent := false

recent if wanted.maxAge == 0

recent if {
	age := time.now_ns() - time.parse_rfc3339_ns(input.predicate.timeVerified)
	age <= wanted.maxAge * 1000000000
	age >= -300000000000 # five minutes: clocks differ
}

# --- A receipt: what its signer claims ---

claim_facts := {
	"a receipt is its signer's word, nothing of it is done again here: verify a summary": beside_a_summary,
	"the receipt does not say that the work passed": says_passed,
	"the receipt does not say that the run was completed": says_completed,
	"the receipt does not say that the contract was kept": says_unbreached,
	"the receipt has evidence that is not ok, or none": says_ok,
}

default beside_a_summary := false

beside_a_summary if wanted.claims == "beside a summary"

default says_passed := false

says_passed if {
	input.predicate.verdict.passed == true
	input.predicate.verdict.checked == true
	input.predicate.verdict.reason == ""
}

default says_completed := false

says_completed if input.predicate.run.outcome == "completed"

default says_unbreached := false

says_unbreached if object.get(input.predicate.contract, "breach", null) == null

default says_ok := false

says_ok if {
	is_array(input.predicate.claims)
	count([1 | some claim in input.predicate.claims; some _ in claim.evidence]) > 0
	every claim in input.predicate.claims {
		is_array(claim.evidence)
		every evidence in claim.evidence {
			evidence.ok == true
		}
	}
}
