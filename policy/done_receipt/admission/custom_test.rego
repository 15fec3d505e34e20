package done_receipt.admission_test

import data.done_receipt.admission
import data.done_receipt.fixture_test as fixture

said(code) := {"code": code, "message": "no", "facts": []}

own(members) := {"team": {"rule": members}}

mine := said("custom.team.rule")

test_own_rules_deny_and_warn if {
	denying := own({"violations": {mine}})
	admission.decision.allow == false with input as fixture.admitted with data.done_receipt.custom as denying
	admission.decision.violations == {mine} with input as fixture.admitted with data.done_receipt.custom as denying
	warning := own({"warnings": [mine]})
	admission.decision.allow with input as fixture.admitted with data.done_receipt.custom as warning
	admission.decision.warnings == {mine} with input as fixture.admitted with data.done_receipt.custom as warning
}

test_own_rules_that_say_nothing_do_not_matter if {
	quiet := own({"violations": set(), "warnings": []})
	admission.decision.allow with input as fixture.admitted with data.done_receipt.custom as quiet
	helpers := own({"helper": 3})
	admission.decision.allow with input as fixture.admitted with data.done_receipt.custom as helpers
}

test_what_would_be_passed_over_denies if {
	every name in ["violations", "warnings"] {
		every value in [true, false, null, "no", 1, {"a": mine}, {"no"}, [[mine]], {said("verdict.passed")}, {said("x")}] {
			ill := own({name: value})
			admission.decision.allow == false with input as fixture.admitted with data.done_receipt.custom as ill
			some violation in admission.decision.violations with input as fixture.admitted with data.done_receipt.custom as ill
			violation.code == "custom.team.rule"
			startswith(violation.message, concat("", [name, " are no set of objects"]))
		}
	}
}

test_a_member_of_another_type_denies if {
	every member, value in {"code": 1, "message": 1, "facts": "/a"} {
		ill := own({"violations": {object.union(mine, {member: value})}})
		admission.decision.allow == false with input as fixture.admitted with data.done_receipt.custom as ill
	}
	every member in ["code", "message", "facts"] {
		ill := own({"violations": {object.remove(mine, [member])}})
		admission.decision.allow == false with input as fixture.admitted with data.done_receipt.custom as ill
	}
}

test_what_is_well_said_is_heard_beside_it if {
	both := own({"violations": {mine, "no"}})
	mine in admission.decision.violations with input as fixture.admitted with data.done_receipt.custom as both
	count(admission.decision.violations) == 2 with input as fixture.admitted with data.done_receipt.custom as both
}
