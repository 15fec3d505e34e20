# METADATA
# title: Exceptions
# description: |
#   An exception of the profile waives exactly what it names: what one rule objects to, about one term if it names one,
#   for one subject if it names one. It waives nothing about who signed and what was signed, nothing after it has
#   expired, and nothing at all while something is refuted: it is for what was not shown, never for what was shown to
#   be false.
package done_receipt.waiver

import data.done_receipt.lib
import data.done_receipt.selection

# Rule to what it still objects to.
remaining[code] := left if {
	some code, said in selection.objections
	left := kept(code, said)
	count(left) > 0
}

kept(code, said) := said if {
	not granted[code]
} else := {objection | some objection in said; not waived(matching(code, objection))}

# The demands that were waived: rules of which nothing remains, and their terms.
waived_demands contains code if some code, _ in wholly

waived_demands contains demand if {
	some code, objections in wholly
	some objection in objections
	demand := selection.term_of(code, objection)
}

wholly[code] := objections if {
	some code, _ in granted
	objections := selection.objections[code]
	not remaining[code]
}

# The exceptions that waived something, as the decision shows them.
applied contains exception if {
	some i, _ in uses
	exception := object.filter(granted_at[i], {"code", "term", "subject", "reason", "approver", "expires"})
}

# Position of an exception to what it waived.
uses[i] contains objection if {
	some code, _ in granted
	some objection in selection.objections[code]
	found := matching(code, objection)
	waived(found)
	some i in found
}

# Rule to term (null: any) to the positions of the exceptions that can be made.
granted[exception.code][lib.at(exception, ["term"])] contains i if some i, exception in granted_at

granted_at[i] := exception if {
	some i, exception in held
	not fault(exception)
}

held := input.profile.exceptions if is_array(input.profile.exceptions)

matching(code, objection) := object.get(granted[code], null, set()) | of_term(code, objection)

of_term(code, objection) := granted[code][objection.term] if {
	is_string(objection.term)
} else := set()

# One of them is for any subject, or together they are for every subject that was matched.
waived(found) if {
	some i in found
	lib.at(granted_at[i], ["subject"]) == null
}

waived(found) if {
	count(matched) > 0
	matched - {granted_at[i].subject | some i in found} == set()
}

default matched := set()

matched := {subject | some subject in input.result.matchedSubjects} if is_array(input.result.matchedSubjects)

# Why an exception cannot be made.
fault(exception) := "cannot be read" if {
	not is_object(exception)
} else := "cannot be read" if {
	some member in ["code", "reason", "approver", "expires"]
	not is_string(lib.at(exception, [member]))
} else := "is for what no exception is ever made for" if {
	barred(exception.code)
} else := concat("", ["expired on ", exception.expires]) if {
	not selection.later(exception.expires, input.evaluatedAt)
} else := "waives nothing while something is refuted" if {
	refuted
}

barred(code) if split(code, ".")[0] in selection.protected

# Where a collection allows no exception, none is allowed from that.
barred("profile.exceptions")

# With a default: WebAssembly asks for an undefined value again each time.
default refuted := false

refuted if {
	some check in input.result.checks
	some finding in check.findings
	finding.status == "fail"
	not lib.at(finding, ["reason"]) in denied
}

# Reasons that deny and refute nothing, as in results/reasons.py; a test compares.
denied := {
	"statement.type_not_allowed",
	"evidence-path.stale",
	"evidence-file.stale",
	"evidence-text.stale",
	"statement.path_spelling",
	"contract-coverage.not_sealed",
	"change-scope.empty",
	"change-scope.not_allowed",
	"change-scope.protected",
	"change-scope.harness_added",
	"change-scope.harness_changed",
	"change-scope.link_out",
	"change-scope.name",
	"test-inventory.missing",
	"test-inventory.newly_skipped",
	"test-inventory.expected_failure",
	"test-inventory.shrunk",
	"test-inventory.changed_test",
	"test-inventory.left_to_head",
	"test-inventory.green_at_base",
	"harness-canary.lost",
	"harness-canary.layer_missing",
	"freshness.no_source",
	"freshness.other_head",
	"freshness.other_base",
	"freshness.head_moved",
	"freshness.stale",
	"freshness.in_future",
	"freshness.too_old",
	"freshness.other_repository",
}

warnings contains warning if {
	some i, exception in held
	warning := note(i, exception, fault(exception))
}

warnings contains warning if {
	some i, exception in granted_at
	not uses[i]
	warning := note(i, exception, "matches nothing")
}

warnings contains warning if {
	some i, objections in uses
	lib.at(granted_at[i], ["term"]) == null
	count(objections) > 1
	text := concat("", ["is wide: it names no term and waives ", json.marshal(count(objections)), " objections"])
	warning := note(i, granted_at[i], text)
}

note(i, exception, text) := lib.violation("profile.exceptions", message, [fact]) if {
	message := concat("", ["the exception for ", lib.shown(lib.at(exception, ["code"])), of_what(exception), " ", text])
	fact := lib.pointer(["profile", "exceptions", i])
}

of_what(exception) := concat("", [" (", exception.term, ")"]) if {
	is_string(exception.term)
} else := ""
