package done_receipt.rules.profile.backdated_test

import data.done_receipt.rules.profile.backdated

good := {"demanded": [], "evaluatedAt": "2026-11-30T12:00:00Z", "profile": {"backdated": false}}

past := json.patch(good, [{"op": "replace", "path": "/profile/backdated", "value": true}])

test_now_satisfies if {
	backdated.satisfied with input as good
	backdated.warnings == set() with input as good
	backdated.violations == set() with input as good
	backdated.grounds == ["/profile/backdated", "/evaluatedAt"] with input as good
}

test_a_time_that_is_past_is_a_warning if {
	not backdated.satisfied with input as past
	backdated.violations == set() with input as past
	{w.message | some w in backdated.warnings} == {"judged as of 2026-11-30T12:00:00Z, which is past"} with input as past
}

test_where_it_is_demanded_it_is_a_violation if {
	demanded := json.patch(past, [{"op": "add", "path": "/demanded/-", "value": "profile.backdated"}])
	count(backdated.violations) == 1 with input as demanded
	backdated.warnings == set() with input as demanded
	unknown := json.remove(demanded, ["profile/backdated"])
	count(backdated.violations) == 1 with input as unknown
}
