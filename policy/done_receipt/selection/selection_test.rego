package done_receipt.selection_test

import data.done_receipt.admission
import data.done_receipt.fixture_test as fixture
import data.done_receipt.selection

bad := {"/result/verdict/passed": false}

without(code) := [demand | some demand in fixture.admitted.demanded; demand != code]

excluding(selectors) := fixture.changed(object.union(bad, {
	"/profile/exclude": selectors,
	"/demanded": without("verdict.passed"),
}))

test_an_excluded_rule_does_not_object if {
	admission.decision.allow with input as excluding(["verdict.passed"])
	every selector in ["verdict.passed", "verdict", "@minimal"] {
		admission.decision.violations == set() with input as excluding([selector])
	}
}

test_another_selector_leaves_it if {
	text := fixture.changed(object.union(bad, {"/profile/exclude": "verdict.passed"}))
	fixture.codes(admission.decision.violations) == {"verdict.passed"} with input as text
	every selector in ["verdict.pass", "verdict.passed.x", "verdict.passed:", "@verdict", "@", "", 1, null] {
		fixture.codes(admission.decision.violations) == {"verdict.passed"} with input as excluding([selector])
	}
}

test_who_signed_and_what_was_signed_is_never_left_out if {
	every selector in ["signature.trusted", "signature", "@minimal", "signature.trusted:x"] {
		unsigned := fixture.changed({"/result/signers": [], "/profile/exclude": [selector]})
		fixture.codes(admission.decision.violations) == {"signature.trusted"} with input as unsigned
	}
	every selector in ["statement.coherent", "statement", "@release"] {
		incoherent := fixture.changed({"/result/verdict/coherent": false, "/profile/exclude": [selector]})
		"statement.coherent" in fixture.codes(admission.decision.violations) with input as incoherent
	}
}

differs(path) := {"status": "fail", "reason": "subjects.differs", "message": path, "path": path}

two := {
	"/result/checks/3/status": "fail",
	"/result/checks/3/findings": [differs("a"), differs("b")],
}

test_a_term_is_left_out_alone if {
	one := fixture.changed(object.union(two, {"/profile/exclude": ["subjects.matched:a"]}))
	{v.term | some v in admission.decision.violations} == {"b"} with input as one
	not "subjects.matched" in admission.decision.satisfied with input as one
	both := fixture.changed(object.union(two, {"/profile/exclude": ["subjects.matched:a", "subjects.matched:b"]}))
	"subjects.matched" in admission.decision.satisfied with input as both
	admission.decision.allow with input as both
}

test_a_silent_rule_is_not_cleared_by_a_term if {
	silent := fixture.changed({"/profile/exclude": ["subjects.matched:a"]})
	selection.cleared == set() with input as silent
	broken := object.remove(data.done_receipt.rules.subjects, ["matched"])
	admission.decision.allow == false with input as silent with data.done_receipt.rules.subjects as broken
}

test_a_demand_for_one_term_is_about_that_term if {
	every term, allowed in {"a": false, "c": true} {
		pinned := fixture.changed(object.union(two, {"/demanded": array.concat(
			without("subjects.matched"),
			[concat(":", ["subjects.matched", term])],
		)}))
		admission.decision.allow == allowed with input as pinned
	}
}

test_a_demand_for_one_term_is_met_by_the_whole if {
	pinned := fixture.changed({"/demanded": ["verdict.passed", "subjects.matched:a"]})
	admission.decision.allow with input as pinned
}

test_a_demand_of_the_profile_is_met_by_its_own_rule_only if {
	unknown := fixture.changed({"/demanded/-": "profile.evidence:d/file"})
	admission.decision.allow == false with input as unknown
}

tomorrow := {"verdict.passed": "2026-12-01T00:00:00Z"}

test_a_rule_of_tomorrow_warns_today if {
	today := fixture.changed(object.union(bad, {"/demanded": without("verdict.passed")}))
	admission.decision.allow with input as today with data.done_receipt.catalogue.effective_on as tomorrow
	admission.decision.warnings == {{
		"code": "verdict.passed",
		"message": "denies from 2026-12-01T00:00:00Z: the receipt says that it did not pass",
		"facts": ["/result/verdict/passed"],
	}} with input as today with data.done_receipt.catalogue.effective_on as tomorrow
}

test_from_its_day_on_it_denies if {
	every moment in ["2026-12-01T00:00:00Z", "2026-12-01T00:00:00.5Z", "2027-01-01T00:00:00Z", "tomorrow", null] {
		later := fixture.changed(object.union(bad, {"/evaluatedAt": moment}))
		admission.decision.allow == false with input as later with data.done_receipt.catalogue.effective_on as tomorrow
		admission.decision.warnings == set() with input as later
			with data.done_receipt.catalogue.effective_on as tomorrow
	}
}

test_excluded_it_does_not_warn_either if {
	excluded := excluding(["verdict.passed"])
	admission.decision.warnings == set() with input as excluded
		with data.done_receipt.catalogue.effective_on as tomorrow
}

test_only_times_are_compared if {
	selection.later("2026-12-01T00:00:01Z", "2026-12-01T00:00:00.9Z")
	every moment in ["9", "9999-12-31T23:59:59", "9999-12-31 23:59:59Z", "99991231T235959999Z", null, 9] {
		not selection.later(moment, "2026-12-01T00:00:00Z")
	}
}
