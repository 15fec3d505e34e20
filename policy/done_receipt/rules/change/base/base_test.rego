package done_receipt.rules.change.base_test

import data.done_receipt.rules.change.base as change_base

good := {
	"demanded": ["change.base"],
	"profile": {"collection": "ci"},
	"result": {"change": {"base": "1111", "head": "2222"}},
}

test_two_revisions_satisfy if {
	change_base.satisfied with input as good
	change_base.violations == set() with input as good
	change_base.grounds == ["/result/change/base", "/result/change/head"] with input as good
}

test_no_base_is_a_violation if {
	every value in [null, "", 1] {
		bad := json.patch(good, [{"op": "replace", "path": "/result/change/base", "value": value}])
		not change_base.satisfied with input as bad
		some violation in change_base.violations with input as bad
		contains(violation.message, "is demanded by collection ci, and this verification has none")
	}
}

test_a_version_that_reads_no_change_says_so if {
	bad := json.remove(good, ["result/change"])
	not change_base.satisfied with input as bad
	some violation in change_base.violations with input as bad
	violation.facts == ["/result", "/result", "/profile/collection"]
}

test_a_head_that_is_its_own_base_is_a_violation if {
	bad := json.patch(good, [{"op": "replace", "path": "/result/change/head", "value": "1111"}])
	not change_base.satisfied with input as bad
	some violation in change_base.violations with input as bad
	violation.message == "base and head are one revision, 1111"
}

test_silent_when_not_demanded if {
	undemanded := {"demanded": [], "result": {}}
	change_base.violations == set() with input as undemanded
}
