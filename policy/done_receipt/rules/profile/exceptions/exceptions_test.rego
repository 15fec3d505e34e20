package done_receipt.rules.profile.exceptions_test

import data.done_receipt.rules.profile.exceptions

good := {"demanded": ["profile.exceptions"], "profile": {"collection": "release", "exceptions": []}}

test_none_satisfies if {
	exceptions.grounds == ["/profile/exceptions"] with input as good
	every document in [good, json.remove(good, ["profile/exceptions"])] {
		exceptions.satisfied with input as document
		exceptions.violations == set() with input as document
	}
}

made := json.patch(good, [{"op": "add", "path": "/profile/exceptions/-", "value": {"code": "verdict.passed"}}])

test_each_one_is_a_violation if {
	not exceptions.satisfied with input as made
	exceptions.violations == {{
		"code": "profile.exceptions",
		"message": "no exception is allowed by collection release, the profile makes one for verdict.passed",
		"facts": ["/profile/exceptions/0"],
	}} with input as made
}

test_what_is_no_list_is_a_violation if {
	every value in ["", {}, 0, {"code": "a.b"}] {
		bad := json.patch(good, [{"op": "replace", "path": "/profile/exceptions", "value": value}])
		not exceptions.satisfied with input as bad
		{v.message | some v in exceptions.violations} == {"the exceptions cannot be read"} with input as bad
	}
}

test_no_profile_does_not_satisfy if {
	not exceptions.satisfied with input as {"demanded": ["profile.exceptions"]}
	count(exceptions.violations) == 1 with input as {"demanded": ["profile.exceptions"]}
}

test_silent_when_not_demanded if {
	exceptions.violations == set() with input as json.patch(made, [{"op": "replace", "path": "/demanded", "value": []}])
}
