# Packages of the verifier's own, `done_receipt.custom.<category>.<rule>`: they deny and warn under their own code, and
# satisfy nothing. What they give in another form than that would be passed over in silence, so it is a violation.
package done_receipt.admission

violations contains said if {
	some category, rule
	some said in data.done_receipt.custom[category][rule].violations
	well_said(category, rule, said)
}

violations contains objection(category, rule, "violations") if {
	some category, rule
	ill_said(category, rule, data.done_receipt.custom[category][rule].violations)
}

violations contains objection(category, rule, "warnings") if {
	some category, rule
	ill_said(category, rule, data.done_receipt.custom[category][rule].warnings)
}

warnings contains said if {
	some category, rule
	some said in data.done_receipt.custom[category][rule].warnings
	well_said(category, rule, said)
}

well_said(category, rule, said) if {
	is_object(said)
	said.code == own_code(category, rule)
	is_string(said.message)
	is_array(said.facts)
}

ill_said(_, _, value) if {
	not is_set(value)
	not is_array(value)
}

ill_said(category, rule, value) if {
	some said in value
	not well_said(category, rule, said)
}

objection(category, rule, name) := {
	"code": own_code(category, rule),
	"message": concat(" ", [name, "are no set of objects with this code, a message and facts"]),
	"facts": [],
}

own_code(category, rule) := concat(".", ["custom", category, rule])
