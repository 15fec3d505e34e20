# METADATA
# title: Admission
# description: |
#   The one decision that every surface asks for. Denied unless everything that is demanded is positively satisfied and
#   no rule objects. A rule is a package `done_receipt.rules.<category>.<rule>` with `satisfied`, `violations` and
#   `warnings`; one that speaks for several demands names them in `satisfied_terms`. Packages of the verifier's own,
#   `done_receipt.custom.<category>.<rule>`, can add violations and warnings and satisfy nothing.
package done_receipt.admission

import data.done_receipt.catalogue
import data.done_receipt.rules.profile.evidence
import data.done_receipt.selection
import data.done_receipt.waiver

# METADATA
# title: Decision
# description: Always defined, whatever the input is.
# entrypoint: true
decision := {
	"allow": allow,
	"violations": violations,
	"warnings": warnings,
	"exceptions": waiver.applied,
	"satisfied": satisfied,
}

# METADATA
# title: Grounds
# description: |
#   What each satisfied requirement stands on, as JSON pointers into the policy input. Nobody decides by it, so it is
#   not part of the decision.
# entrypoint: true
grounds[code] := data.done_receipt.rules[category][rule].grounds if {
	some category, rule
	code := concat(".", [category, rule])
	satisfied[code]
}

grounds[concat(":", ["profile.evidence", term])] := facts if some term, facts in evidence.term_grounds

default allow := false

# is_array first: a string has a count, and nothing in it fails an `every`
allow if {
	is_array(input.demanded)
	something_judged
	count(violations) == 0
	every demand in input.demanded {
		met(demand)
	}
}

# Who signed and what was signed say nothing about the work: a selection that leaves no more is empty.
something_judged if {
	some demand in input.demanded
	is_string(demand)
	not selection.protected[split(demand, ".")[0]]
}

met(demand) if satisfied[demand]

met(demand) if waiver.waived_demands[demand]

satisfied contains code if some code in positively

# Demands of the profile are met one by one.
satisfied contains concat(":", ["profile.evidence", term]) if some term in evidence.satisfied_terms

# A rule that is demanded for one term: it is satisfied as a whole, or objects to others.
satisfied contains demand if {
	some demand in selection.termed_demands
	code := split(demand, ":")[0]
	not selection.answers_by_term[code]
	positively[code]
}

satisfied contains demand if some demand in selection.spared

satisfied contains code if some code in selection.cleared

positively contains concat(".", [category, rule]) if {
	some category, rule
	data.done_receipt.rules[category][rule].satisfied == true
}

violations contains violation if {
	some code, objections in waiver.remaining
	not waits(code)
	some violation in objections
}

# A rule that another one must be met for first is not heard before it is; it stays unsatisfied.
waits(code) if {
	some before in catalogue.waits_for[code]
	waiver.remaining[before]
}

warnings contains warning if {
	some category, rule
	some warning in data.done_receipt.rules[category][rule].warnings
}

warnings contains object.union(objection, {"message": text}) if {
	some code, objections in selection.announced
	some objection in objections
	text := concat("", ["denies from ", catalogue.effective_on[code], ": ", objection.message])
}

warnings contains warning if some warning in waiver.warnings
