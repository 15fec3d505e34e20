package done_receipt_adapters.document_test

import data.done_receipt.catalogue
import data.done_receipt.fixture_test as fixture
import data.done_receipt_adapters.document

schema := {"/result/schema": "https://w3id.org/done-receipt/result/v0.1"}

changed(changes) := fixture.changed(object.union(schema, changes))

admitted := changed({})

without(place) := json.remove(admitted, [place])

codes(denials) := {denial.code | some denial in denials}

test_what_is_admitted_has_nothing_against_it if document.denials(admitted) == set()

test_what_is_no_policy_input_is_denied if {
	every other in [
		null,
		true,
		"text",
		[],
		[admitted],
		{},
		without("result/schema"),
		without("result/checks"),
		without("result"),
		without("demanded"),
		without("evaluatedAt"),
		without("profile"),
		without("profile/collection"),
		changed({"/profile/collection": "splendid"}),
		changed({"/demanded": "all"}),
	] {
		codes(document.denials(other)) == {"adapter.input"}
		document.warnings(other) == set()
	}
}

test_violations_come_with_their_solutions if {
	found := document.denials(changed({"/result/verdict/passed": false}))
	codes(found) == {"verdict.passed"}
	every denial in found {
		denial.solution != ""
	}
}

test_a_violation_of_ones_own_has_no_solution if document.solved({"code": "custom.a.b"}).solution == ""

test_warnings_are_told if {
	found := document.warnings(changed({"/result/checks/0/findings/0/reason": "signature.unknown_reason"}))
	is_set(found)
	codes(document.warnings(changed({"/profile/overrides": ["sandbox.required"]}))) == {"profile.overrides"}
}

test_a_list_of_demands_that_was_cut_is_denied if {
	every demand in admitted.demanded {
		some denial in document.denials(changed({"/demanded": [other | some other in admitted.demanded; other != demand]}))
		denial.code == "adapter.demands"
		contains(denial.message, demand)
	}
}

test_what_a_section_or_include_demands_is_missed_too if {
	codes(document.denials(changed({"/profile/agent": {"models": []}}))) == {"adapter.demands", "agent.model"}
	codes(document.denials(changed({"/profile/include": ["signature.unsigned"]}))) == {"adapter.demands"}
	codes(document.denials(changed({"/profile/include": ["@release"]}))) == {"adapter.demands"}
}

test_what_the_profile_leaves_out_is_not_missed if {
	every exclude in ["audit.log", "audit"] {
		demands := [demand | some demand in admitted.demanded; demand != "audit.log"]
		document.denials(changed({"/profile/exclude": [exclude], "/demanded": demands})) == set()
	}
	demands := [demand | some demand in admitted.demanded; demand != "profile.evidence:c/file"]
	leaving_out := {"/profile/exclude": ["profile.evidence:c/file"], "/demanded": demands}
	document.denials(changed(leaving_out)) == set()
}

test_the_signer_is_not_missed_where_none_is_asked_for if {
	demands := [demand | some demand in admitted.demanded; demand != "signature.trusted"]
	unsigned := {"/profile/unsigned": true, "/demanded": demands}
	not "adapter.demands" in codes(document.denials(changed(unsigned)))
	"adapter.demands" in codes(document.denials(changed({"/demanded": demands})))
}

test_a_rule_of_the_future_is_not_missed if {
	demands := [demand | some demand in admitted.demanded; demand != "audit.log"]
	later := {"audit.log": "2027-01-01T00:00:00Z"}
	document.denials(changed({"/demanded": demands})) == set() with catalogue.effective_on as later
}

test_a_demand_without_a_word_denies if {
	found := document.denials(changed({"/demanded": array.concat(admitted.demanded, ["no.rule"])}))
	codes(found) == {"adapter.denied", "engine.unsatisfied"}
}

test_without_a_decision_it_is_denied if {
	codes(document.denials(admitted)) == {"adapter.denied"} with data.done_receipt.admission as {}
}

test_without_solutions_it_is_denied_all_the_same if {
	denied := changed({"/result/verdict/passed": false})
	codes(document.denials(denied)) == {"verdict.passed"} with data.done_receipt_adapters.known as {}
}
