package done_receipt.rules.profile.overrides_test

import data.done_receipt.rules.profile.overrides

good := {"demanded": [], "profile": {"overrides": []}}

loosened := {"demanded": [], "profile": {"overrides": ["limits", "command"]}}

test_none_satisfies if {
	overrides.satisfied with input as good
	overrides.warnings == set() with input as good
	overrides.violations == set() with input as good
	overrides.grounds == ["/profile/overrides"] with input as good
}

test_each_one_is_a_warning if {
	not overrides.satisfied with input as loosened
	overrides.violations == set() with input as loosened
	{[w.message, w.facts] | some w in overrides.warnings} == {
		["override limits was given: it loosens what the verifier's files say", ["/profile/overrides/0"]],
		["override command was given: it loosens what the verifier's files say", ["/profile/overrides/1"]],
	} with input as loosened
}

test_where_it_is_demanded_each_one_is_a_violation if {
	demanded := json.patch(loosened, [{"op": "add", "path": "/demanded/-", "value": "profile.overrides"}])
	count(overrides.violations) == 2 with input as demanded
	overrides.warnings == set() with input as demanded
}

test_what_is_no_list_is_a_violation_there if {
	bad := {"demanded": ["profile.overrides"], "profile": {"overrides": "none"}}
	not overrides.satisfied with input as bad
	count(overrides.violations) == 1 with input as bad
}
