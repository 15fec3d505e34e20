package done_receipt.admission_test

import data.done_receipt.admission
import data.done_receipt.catalogue
import data.done_receipt.fixture_test as fixture

test_all_demands_satisfied_is_allowed if {
	admission.decision.allow with input as fixture.admitted
	{code | some code in fixture.admitted.demanded} - admission.decision.satisfied == set() with input as fixture.admitted
	admission.decision.warnings == set() with input as fixture.admitted
	admission.decision.exceptions == set() with input as fixture.admitted
}

test_warnings_do_not_deny if {
	sealed := fixture.changed({
		"/result/contract/state": "nothing_sealed",
		"/result/checks/5/findings/0/reason": "contract-seals.nothing_sealed",
	})
	admission.decision.allow with input as sealed
	fixture.codes(admission.decision.warnings) == {"contract.held"} with input as sealed
}

test_a_demand_that_no_rule_satisfies_denies if {
	more := fixture.changed({"/demanded/-": "verdict.splendid"})
	admission.decision.allow == false with input as more
	admission.decision.violations == set() with input as more
}

test_a_violation_denies_though_its_rule_is_not_demanded if {
	bad := fixture.changed({
		"/result/contract/breach": "a was modified",
		"/demanded": ["verdict.passed", "profile.evidence:c/file"],
	})
	admission.decision.allow == false with input as bad
	fixture.codes(admission.decision.violations) == {"contract.breach"} with input as bad
}

test_terms_are_part_of_the_code if {
	"profile.evidence:c/file" in admission.decision.satisfied with input as fixture.admitted
}

test_nothing_demanded_is_not_enough if {
	every value in [[], "", "x", {}, null, 0, true, [1]] {
		admission.decision.allow == false with input as fixture.changed({"/demanded": value})
	}
}

test_who_signed_and_what_was_signed_is_not_enough if {
	bare := fixture.changed({"/demanded": ["signature.trusted", "statement.coherent"]})
	admission.decision.violations == set() with input as bare
	admission.decision.allow == false with input as bare
}

test_any_input_gives_a_decision if {
	every value in [{}, [], "", "x", null, 0, true, {"result": []}, {"result": {"checks": "x"}, "demanded": [1]}] {
		admission.decision.allow == false with input as value
	}
}

test_a_package_of_the_verifiers_own_satisfies_nothing if {
	more := fixture.changed({"/demanded/-": "team.rule"})
	admission.decision.allow == false with input as more
		with data.done_receipt.custom as {"team": {"rule": {"satisfied": true}}}
}

test_a_rule_is_not_heard_before_those_that_it_depends_on if {
	unsigned := fixture.changed({"/result/signers": [], "/result/examined": false, "/result/checks": []})
	fixture.codes(admission.decision.violations) == {"signature.trusted"} with input as unsigned
	unread := fixture.changed({"/result/examined": false})
	fixture.codes(admission.decision.violations) == {"statement.handler"} with input as unread
	admission.decision.allow == false with input as unread
}

test_it_is_heard_when_what_it_depends_on_is_left_out if {
	noise := {"/result/contract/state": "moved", "/demanded/-": "contract.verified"}
	fixture.codes(admission.decision.violations) == {"contract.held"} with input as fixture.changed(noise)
	alone := fixture.changed(object.union(noise, {"/profile/exclude": ["contract.held"]}))
	fixture.codes(admission.decision.violations) == {"contract.verified"} with input as alone
}

test_each_collection_adds_to_the_one_before if {
	sizes := [count(catalogue.collections[name]) | some name in ["minimal", "ci", "protected-branch", "release"]]
	sizes == sort(sizes)
	every pair in [["minimal", "ci"], ["ci", "protected-branch"], ["protected-branch", "release"]] {
		rest := {code | some code in catalogue.collections[pair[0]]} - {code | some code in catalogue.collections[pair[1]]}
		rest == set()
	}
}

# What a collection demands and no check of this version shows.
missing := {
	"ci": {
		"change.base",
		"change.scope",
		"contract.coverage",
		"tests.confirmed",
		"tests.inventory",
		"tests.canary",
		"freshness.source",
	},
	"protected-branch": {"freshness.tip"},
	"release": {"change.tree", "sandbox.bubblewrap", "signature.timestamp"},
}

test_what_this_version_does_not_look_at_denies if {
	every collection, more in {
		"ci": missing.ci,
		"protected-branch": (missing.ci | missing["protected-branch"]),
		"release": ((missing.ci | missing["protected-branch"]) | missing.release),
	} {
		asked := fixture.changed({
			"/demanded": catalogue.collections[collection],
			"/profile/collection": collection,
		})
		admission.decision.allow == false with input as asked
		fixture.codes(admission.decision.violations) == more with input as asked
	}
}

test_what_a_successor_looks_at_is_enough_for_every_collection if {
	every collection, codes in catalogue.collections {
		asked := json.patch(fixture.released, [
			{"op": "replace", "path": "/demanded", "value": codes},
			{"op": "replace", "path": "/profile/collection", "value": collection},
		])
		admission.decision.allow with input as asked
	}
}

test_what_it_stands_on_is_there_for_every_satisfied_rule if {
	grounds := admission.grounds with input as fixture.released
	satisfied := admission.decision.satisfied with input as fixture.released
	object.keys(grounds) == satisfied
	grounds["profile.evidence:c/file"] == {"/result/claims/0/evidence/0"}
	every facts in grounds {
		count(facts) > 0
		every fact in facts {
			startswith(fact, "/")
		}
	}
}

# The policy lints itself: what each rule has, and that the catalogue is of these rules.
test_every_rule_has_what_a_rule_needs if {
	every category, rules in data.done_receipt.rules {
		every name, rule in rules {
			complete(category, name, rule) with input as fixture.admitted
		}
	}
}

complete("profile", "evidence", rule) if {
	is_set(rule.satisfied_terms)
	is_set(rule.violations)
}

complete(_, _, rule) if {
	is_set(rule.violations)
	is_array(rule.grounds)
}

# The tests' packages lie beside the rules.
complete(_, name, _) if endswith(name, "_test")
