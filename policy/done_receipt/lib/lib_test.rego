package done_receipt.lib_test

import data.done_receipt.lib

checks(status) := {"result": {"checks": [{
	"id": "a",
	"status": status,
	"findings": [{"status": status, "reason": "a.b"}],
}]}}

test_passed_is_about_status_and_findings if {
	lib.passed("a") with input as checks("pass")
	not lib.passed("b") with input as checks("pass")
	every status in ["fail", "error", "not_checked", "", null, true] {
		not lib.passed("a") with input as checks(status)
	}
}

test_a_check_without_findings_has_not_passed if {
	every value in [[], {}, "pass", null] {
		bare := json.patch(checks("pass"), [{"op": "replace", "path": "/result/checks/0/findings", "value": value}])
		not lib.passed("a") with input as bare
	}
}

test_checks_that_are_no_list_have_not_passed if {
	mapping := {"result": {"checks": {"x": checks("pass").result.checks[0]}}}
	not lib.passed("a") with input as mapping
}

test_facts_are_places_that_are_there if {
	document := {"result": {"checks": [{"id": "a"}], "run": {}}}
	lib.facts([["result", "checks", 0, "id"], ["result", "run", "model"], ["profile", "x"]]) == [
		"/result/checks/0/id",
		"/result/run",
		"",
	] with input as document
	lib.facts([["result", "checks", 7]]) == ["/result/checks"] with input as document
	every value in [[], "x", null, 0] {
		lib.facts([["result", "checks"]]) == [""] with input as value
	}
}

test_a_demand_for_a_term_is_one_for_the_rule if {
	document := {"demanded": ["a.b:c:d", 1]}
	lib.demanded("a.b") with input as document
	not lib.demanded("a.c") with input as document
	not lib.demanded("a.b") with input as {"demanded": "a.b"}
}

test_a_finding_without_a_message_says_so if {
	every value in ["", null, 1] {
		lib.message({"message": value}) == "a finding without a message"
	}
}

test_a_pointer_names_members_and_positions if {
	lib.pointer(["result", "checks", 0, "findings", 12]) == "/result/checks/0/findings/12"
}

test_what_is_shown_is_never_undefined if {
	lib.shown("x") == "x"
	lib.shown(3) == "3"
	every value in [null, true, [], {}] {
		lib.shown(value) == "missing"
	}
}

test_at_is_null_where_there_is_nothing if {
	lib.at({"a": {"b": false}}, ["a", "b"]) == false
	lib.at({"a": 1}, ["a", "b"]) == null
	lib.at("a", ["a"]) == null
	lib.at(null, ["a"]) == null
}

test_claims_need_all_that_the_coverage_counts if {
	claim := {"id": "c", "state": "confirmed", "evidence": [{"state": "confirmed", "kind": "file", "ok": true}]}
	lib.claims with input as {"result": {"claims": [claim], "coverage": {"total": 1}}}
	not lib.claims with input as {"result": {"claims": [], "coverage": {"total": 1}}}
	not lib.claims with input as {"result": {"claims": [claim], "coverage": {"total": 2}}}
	not lib.claims with input as {"result": {"claims": {"a": claim}, "coverage": {"total": 1}}}
}
