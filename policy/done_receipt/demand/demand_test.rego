package done_receipt.demand_test

import data.done_receipt.demand

check := {"id": "a", "status": "pass", "findings": [{"status": "pass", "reason": "a.b"}]}

test_a_check_that_stands_there_twice_did_not_pass if {
	twice := {
		"demanded": ["x.a"],
		"profile": {"collection": "none"},
		"result": {"checks": [check, check]},
	}
	demand.owed("x.a", "a") == {{
		"code": "x.a",
		"message": "a is demanded by the profile, and it did not pass",
		"facts": ["/result/checks/0", "/result/checks/1"],
	}} with input as twice
}

test_the_collection_or_the_profile_demands_it if {
	demand.whose("tests.canary") == "collection ci" with input as {"profile": {"collection": "ci"}}
	every document in [{"profile": {"collection": "minimal"}}, {"profile": {"collection": 1}}, {}] {
		demand.whose("tests.canary") == "the profile" with input as document
	}
}
