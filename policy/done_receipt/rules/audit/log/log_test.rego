package done_receipt.rules.audit.log_test

import data.done_receipt.rules.audit.log as audit_log

good := {
	"profile": {"minimumAssurance": "fully_rechecked"},
	"result": {"examined": true, "checks": [{"id": "audit-log", "status": "pass", "findings": [{
		"status": "pass",
		"reason": "audit-log.consistent",
		"message": "fine",
	}]}]},
}

test_consistent_satisfies if {
	audit_log.satisfied with input as good
	count(audit_log.violations) == 0 with input as good
	count(audit_log.warnings) == 0 with input as good
}

test_not_demanded_satisfies if {
	undemanded := json.patch(good, [
		{"op": "replace", "path": "/result/checks/0/status", "value": "not_checked"},
		{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "not_checked"},
		{"op": "replace", "path": "/result/checks/0/findings/0/reason", "value": "audit-log.not_demanded"},
	])
	audit_log.satisfied with input as undemanded
	count(audit_log.violations) == 0 with input as undemanded
}

test_another_reason_not_to_look_does_not if {
	skipped := json.patch(good, [
		{"op": "replace", "path": "/result/checks/0/status", "value": "not_checked"},
		{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": "not_checked"},
	])
	not audit_log.satisfied with input as skipped
	count(audit_log.violations) == 1 with input as skipped
}

test_damage_is_the_violation if {
	every status in ["fail", "error"] {
		bad := json.patch(good, [
			{"op": "replace", "path": "/result/checks/0/status", "value": status},
			{"op": "replace", "path": "/result/checks/0/findings/0/status", "value": status},
		])
		not audit_log.satisfied with input as bad
		{v.message | some v in audit_log.violations} == {"fine"} with input as bad
	}
}

test_what_an_old_format_cannot_say_is_a_warning if {
	every reason in {"audit-log.cannot_pin", "audit-log.no_counters"} {
		remark := {"status": "pass", "reason": reason, "message": "look here"}
		old := json.patch(good, [{"op": "add", "path": "/result/checks/0/findings/-", "value": remark}])
		audit_log.satisfied with input as old
		{w.message | some w in audit_log.warnings} == {"look here"} with input as old
	}
}

test_missing_does_not_satisfy if {
	every path in ["result/checks", "result/checks/0/status", "result/checks/0/findings/0/status"] {
		not audit_log.satisfied with input as json.remove(good, [path])
		count(audit_log.violations) == 1 with input as json.remove(good, [path])
	}
}
