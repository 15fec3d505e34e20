package done_receipt.waiver_test

import data.done_receipt.admission
import data.done_receipt.fixture_test as fixture
import data.done_receipt.waiver

made := {
	"code": "verdict.passed",
	"reason": "the verdict is known to be wrong",
	"approver": "a@example.com",
	"expires": "2027-01-01T00:00:00Z",
}

failed := {"/result/verdict/passed": false}

with_exceptions(changes, exceptions) := fixture.changed(object.union(changes, {"/profile/exceptions": exceptions}))

messages(warnings) := {warning.message |
	some warning in warnings
	warning.code == "profile.exceptions"
}

test_an_exception_waives_what_it_names if {
	document := with_exceptions(failed, [made])
	admission.decision.allow with input as document
	admission.decision.exceptions == {made} with input as document
	not "verdict.passed" in admission.decision.satisfied with input as document
	messages(waiver.warnings) == set() with input as document
}

test_it_waives_nothing_else if {
	both := object.union(failed, {"/result/assurance": "reported"})
	document := with_exceptions(both, [made])
	admission.decision.allow == false with input as document
	fixture.codes(admission.decision.violations) == {"assurance.minimum"} with input as document
}

test_one_that_is_not_needed_is_reported if {
	document := with_exceptions({}, [made])
	admission.decision.allow with input as document
	admission.decision.exceptions == set() with input as document
	messages(waiver.warnings) == {"the exception for verdict.passed matches nothing"} with input as document
}

test_one_that_does_not_hold_waives_nothing_and_is_reported if {
	every change, note in {
		["expires", "2026-11-30T12:00:00Z"]: "the exception for verdict.passed expired on 2026-11-30T12:00:00Z",
		["expires", "some day"]: "the exception for verdict.passed expired on some day",
		["approver", null]: "the exception for verdict.passed cannot be read",
		["code", 1]: "the exception for 1 cannot be read",
	} {
		document := with_exceptions(failed, [object.union(made, {change[0]: change[1]})])
		admission.decision.allow == false with input as document
		admission.decision.exceptions == set() with input as document
		messages(waiver.warnings) == {note} with input as document
	}
	broken := with_exceptions(failed, ["verdict.passed"])
	admission.decision.allow == false with input as broken
	messages(waiver.warnings) == {"the exception for missing cannot be read"} with input as broken
}

test_exceptions_that_are_no_list_waive_nothing if {
	every value in [made, "verdict.passed", null, {"verdict.passed": made}] {
		admission.decision.allow == false with input as with_exceptions(failed, value)
	}
}

test_nothing_waives_who_signed_and_what_was_signed if {
	every code, changes in {
		"signature.trusted": {"/result/signers": []},
		"statement.coherent": {"/result/verdict/coherent": false},
		"profile.exceptions": {"/demanded/-": "profile.exceptions"},
	} {
		document := with_exceptions(changes, [object.union(made, {"code": code})])
		admission.decision.allow == false with input as document
		said := messages(waiver.warnings) with input as document
		said == {concat("", ["the exception for ", code, " is for what no exception is ever made for"])}
	}
}

test_nothing_is_waived_while_something_is_refuted if {
	refuted := object.union(failed, {
		"/result/checks/6/status": "fail",
		"/result/checks/6/findings/0/status": "fail",
		"/result/checks/6/findings/0/reason": "evidence-file.differs",
	})
	every code in ["verdict.passed", "evidence.unrefuted"] {
		document := with_exceptions(refuted, [object.union(made, {"code": code})])
		admission.decision.allow == false with input as document
		admission.decision.exceptions == set() with input as document
		messages(waiver.warnings) == {concat("", [
			"the exception for ",
			code,
			" waives nothing while something is refuted",
		])} with input as document
	}
}

old := {
	"/result/checks/8/status": "fail",
	"/result/checks/8/findings/0/status": "fail",
	"/result/checks/8/findings/0/reason": "freshness.too_old",
}

test_what_only_denies_is_waived if {
	document := with_exceptions(old, [object.union(made, {"code": "freshness.time"})])
	admission.decision.allow with input as document
}

unconfirmed := {"/profile/evidence": [
	{"claim": "c", "kind": "text", "argv": [], "paths": []},
	{"claim": "d", "kind": "file", "argv": [], "paths": []},
]}

demanding(terms) := object.union(unconfirmed, {"/demanded": array.concat(
	[code | some code in fixture.admitted.demanded; code != "profile.evidence:c/file"],
	[concat(":", ["profile.evidence", term]) | some term in terms],
)})

test_a_term_is_waived_alone if {
	one := object.union(made, {"code": "profile.evidence", "term": "c/text"})
	document := with_exceptions(demanding(["c/text", "d/file"]), [one])
	{violation.term | some violation in admission.decision.violations} == {"d/file"} with input as document
	admission.decision.exceptions == {one} with input as document
	another := object.union(made, {"code": "profile.evidence", "term": "d/file"})
	admission.decision.allow with input as with_exceptions(demanding(["c/text", "d/file"]), [one, another])
}

test_another_term_is_not if {
	other := object.union(made, {"code": "profile.evidence", "term": "c/path"})
	document := with_exceptions(demanding(["c/text", "d/file"]), [other])
	admission.decision.allow == false with input as document
	messages(waiver.warnings) == {"the exception for profile.evidence (c/path) matches nothing"} with input as document
}

test_without_a_term_all_are_waived_and_it_is_reported if {
	wide := object.union(made, {"code": "profile.evidence"})
	document := with_exceptions(demanding(["c/text", "d/file"]), [wide])
	admission.decision.allow with input as document
	said := messages(waiver.warnings) with input as document
	said == {"the exception for profile.evidence is wide: it names no term and waives 2 objections"}
}

test_one_term_waived_is_not_the_whole_rule if {
	one := object.union(made, {"code": "subjects.matched", "term": "a"})
	pending := {
		"/result/checks/8/status": "fail",
		"/result/checks/8/findings": [
			{"status": "fail", "reason": "freshness.too_old", "message": "a", "path": "a"},
			{"status": "fail", "reason": "freshness.too_old", "message": "b", "path": "b"},
		],
	}
	some_left := with_exceptions(pending, [object.union(one, {"code": "freshness.time"})])
	admission.decision.allow == false with input as some_left
	{violation.term | some violation in admission.decision.violations} == {"b"} with input as some_left
}

named(subject) := object.union(made, {"subject": subject})

test_a_subject_is_waived_alone if {
	document := with_exceptions(failed, [named("a.txt")])
	admission.decision.allow with input as document
	admission.decision.exceptions == {named("a.txt")} with input as document
	admission.decision.allow == false with input as with_exceptions(failed, [named("b.txt")])
}

test_every_subject_needs_its_own if {
	two := object.union(failed, {"/result/matchedSubjects": ["a.txt", "b.txt"]})
	admission.decision.allow == false with input as with_exceptions(two, [named("a.txt")])
	both := with_exceptions(two, [named("a.txt"), named("b.txt")])
	admission.decision.allow with input as both
	admission.decision.exceptions == {named("a.txt"), named("b.txt")} with input as both
}

test_without_a_matched_subject_none_is_for_one if {
	every value in [[], "a.txt", null, {"x": "a.txt"}] {
		none := object.union(failed, {"/result/matchedSubjects": value})
		admission.decision.allow == false with input as with_exceptions(none, [named("a.txt")])
	}
}

test_a_silent_rule_is_not_waived if {
	broken := object.remove(data.done_receipt.rules.verdict, ["passed"])
	document := with_exceptions(failed, [made])
	admission.decision.allow == false with input as document with data.done_receipt.rules.verdict as broken
}

test_what_depends_on_a_waived_rule_is_heard if {
	noise := {
		"/result/contract/state": "not_checked",
		"/demanded/-": "contract.verified",
		"/profile/collection": "ci",
	}
	document := with_exceptions(noise, [object.union(made, {"code": "contract.held"})])
	fixture.codes(admission.decision.violations) == {"contract.verified"} with input as document
}

test_a_release_makes_none if {
	document := json.patch(fixture.released, [
		{"op": "add", "path": "/profile/exceptions", "value": [made]},
		{"op": "replace", "path": "/result/verdict/passed", "value": false},
	])
	admission.decision.allow == false with input as document
	fixture.codes(admission.decision.violations) == {"profile.exceptions"} with input as document
}
