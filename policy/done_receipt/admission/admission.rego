# METADATA
# title: Admission
# description: |
#   The one decision that every surface asks for. Denied unless everything that is demanded is positively satisfied and
#   no rule objects. A rule is a package `done_receipt.rules.<category>.<rule>` with `satisfied`, `violations` and
#   `warnings`; one that speaks for several demands names them in `satisfied_terms`. Packages of the verifier's own,
#   `done_receipt.custom.<category>.<rule>`, can add violations and warnings and satisfy nothing.
package done_receipt.admission

# METADATA
# title: Decision
# description: Always defined, whatever the input is.
# entrypoint: true
decision := {
	"allow": allow,
	"violations": violations,
	"warnings": warnings,
	"satisfied": satisfied,
}

default allow := false

# is_array first: a string has a count, and nothing in it fails an `every`
allow if {
	is_array(input.demanded)
	count(input.demanded) > 0
	count(violations) == 0
	every code in input.demanded {
		code in satisfied
	}
}

satisfied contains concat(".", [category, rule]) if {
	some category, rule
	data.done_receipt.rules[category][rule].satisfied == true
}

satisfied contains concat("", [category, ".", rule, ":", term]) if {
	some category, rule
	some term in data.done_receipt.rules[category][rule].satisfied_terms
}

violations contains violation if {
	some category, rule
	some violation in data.done_receipt.rules[category][rule].violations
}

violations contains violation if {
	some category, rule
	some violation in data.done_receipt.custom[category][rule].violations
}

warnings contains warning if {
	some category, rule
	some warning in data.done_receipt.rules[category][rule].warnings
}

warnings contains warning if {
	some category, rule
	some warning in data.done_receipt.custom[category][rule].warnings
}
