# METADATA
# title: Shared by the rules
# description: |
#   Looking things up in the policy input so that a missing, doubled or wrongly typed member is never "fine": what is
#   asked for is undefined then, and a rule that needs it is not satisfied. Nothing here reads below
#   input.result.untrusted. No built-in is used that OPA leaves to the host when it compiles to WebAssembly.
package done_receipt.lib

# --- What is demanded ---

# The rule is demanded, as a whole or for one of its terms.
demanded(code) if demanded_codes[code]

demanded_codes contains code if {
	is_array(input.demanded)
	some demand in input.demanded
	is_string(demand)
	code := split(demand, ":")[0]
}

# Subjects and contract may stay unchecked: the verifier said that the receipt's word is enough.
reported_suffices if input.profile.minimumAssurance == "reported"

# --- Checks and their findings ---

# Where the checks stand, by id; in a list only: an object would have positions that nobody checked.
positions[id] contains i if {
	is_array(input.result.checks)
	some i, c in input.result.checks
	id := c.id
}

# The one check with this id, with at least one finding.
check(id) := single[id]

single[id] := found if {
	some id, places in positions
	count(places) == 1
	some i in places
	found := input.result.checks[i]
	is_array(found.findings)
	count(found.findings) > 0
}

# The check was done and everything that it looked at passed.
passed(id) if passing[id]

passing contains id if {
	some id, found in single
	found.status == "pass"
	every finding in found.findings {
		finding.status == "pass"
	}
}

# The check was not done, or only in part; nothing that it looked at failed.
not_checked(id) if {
	single[id].status == "not_checked"
	harmless(id)
}

# The check was not done, for these reasons only.
not_checked_because(id, reasons) if {
	not_checked(id)
	every finding in single[id].findings {
		finding.reason in reasons
	}
}

# Nothing that the check looked at failed, and everything could be evaluated.
harmless(id) if unfailing[id]

unfailing contains id if {
	some id, found in single
	found.status in {"pass", "not_checked"}
	every finding in found.findings {
		finding.status in {"pass", "not_checked"}
	}
}

# The check has a finding that passed for this reason, and none that failed.
witnessed(id, reason) if {
	harmless(id)
	found(id, reason)
}

# The check has a finding that passed for this reason, whatever the others say.
found(id, reason) if {
	some finding in check(id).findings
	finding.status == "pass"
	finding.reason == reason
}

# --- Violations ---

violation(code, message, facts) := {"code": code, "message": message, "facts": facts}

termed(code, term, message, facts) := {"code": code, "term": term, "message": message, "facts": facts}

# One violation for each finding of this check that failed or could not be evaluated.
from_findings(code, id) := {v | some v in from_findings_except(code, id, set())}

# The same without the findings that another rule speaks of, by reason.
from_findings_except(code, id, reasons) := {v |
	not unfailing[id]
	some i in positions[id]
	some j, finding in input.result.checks[i].findings
	finding.status in {"fail", "error"}
	not at(finding, ["reason"]) in reasons
	v := of_finding(code, i, j, finding)
}

# One for each finding of this check with this reason, whatever its status.
of_reason(code, id, reason) := {v |
	some i in positions[id]
	some j, finding in input.result.checks[i].findings
	finding.reason == reason
	v := of_finding(code, i, j, finding)
}

# One warning for each finding of this check with one of these reasons that is no failure.
remarks(code, id, reasons) := {v |
	some i in positions[id]
	some j, finding in input.result.checks[i].findings
	finding.reason in reasons
	finding.status in {"pass", "not_checked"}
	v := of_finding(code, i, j, finding)
}

# The checks of which a rule speaks by name.
named := {
	"signature",
	"statement",
	"context",
	"subjects",
	"output-manifest",
	"contract-seals",
	"contract-coverage",
	"change-scope",
	"test-inventory",
	"harness-canary",
	"audit-log",
	"freshness",
}

# Checks of which there is nothing more to say.
spoken_for := named | unfailing

# One violation for each finding with this status that nobody else speaks of: of another check, about no evidence item.
strays(code, status) := {v |
	some i, c in input.result.checks
	not spoken_for[at(c, ["id"])]
	some j, finding in c.findings
	finding.status == status
	at(finding, ["evidence"]) == null
	v := of_finding(code, i, j, finding)
}

of_finding(code, i, j, finding) := termed(code, finding.path, message(finding), [finding_fact(i, j)]) if {
	is_string(finding.path)
} else := violation(code, message(finding), [finding_fact(i, j)])

finding_fact(i, j) := concat("", ["/result/checks/", json.marshal(i), "/findings/", json.marshal(j)])

message(finding) := finding.message if {
	is_string(finding.message)
	finding.message != ""
} else := "a finding without a message"

# --- Facts: JSON pointers into the policy input ---

# Steps are member names of ours (which need no escape) and positions.
pointer(steps) := concat("", [text |
	some step in steps
	text := concat("", ["/", step_text(step)])
])

step_text(step) := step if is_string(step)

step_text(step) := json.marshal(step) if is_number(step)

# Pointers to what stands at these paths of the input; where nothing does, to the nearest place around it.
facts(paths) := [pointer(array.slice(steps, 0, depth)) |
	some steps in paths
	depth := max([n | some n in numbers.range(0, count(steps)); exists(array.slice(steps, 0, n))])
]

exists([])

exists(steps) if {
	is_object(input)
	object.get(input, steps, 0) == object.get(input, steps, 1)
}

# Where the check with this id stands, else where it should.
paths_of(id) := found if {
	is_array(input.result.checks)
	found := [["result", "checks", i] | some i, c in input.result.checks; at(c, ["id"]) == id]
	count(found) > 0
} else := [["result", "checks"]]

# --- Values ---

# What stands at this path, or null. For the arguments of a negated call: `not f(x.y)` is undefined, and so silent, when
# x has no y; `not f(at(x, ["y"]))` is not.
at(value, path) := object.get(value, path, null) if {
	is_object(value)
} else := null

# A value in a message: strings as they are, numbers as JSON writes them, anything else by saying that it is missing.
shown(value) := value if {
	is_string(value)
} else := json.marshal(value) if {
	is_number(value)
} else := "missing"

# --- Claims and evidence ---

# Every state that an evidence item can be in.
item_states := {"confirmed", "refuted", "stale", "blocked", "reported", "error"}

# The claims and their evidence, if all of it is there: as many items as the coverage counts, each with a state, a kind
# and its ok. Nothing can be left out of a result without this becoming undefined.
claims := input.result.claims if {
	is_array(input.result.claims)
	every claim in input.result.claims {
		is_string(claim.id)
		is_string(claim.state)
		is_array(claim.evidence)
		every evidence in claim.evidence {
			item_states[evidence.state]
			is_string(evidence.kind)
			is_boolean(evidence.ok)
		}
	}
	counted := [1 | some claim in input.result.claims; some _ in claim.evidence]
	bare := [1 | some claim in input.result.claims; count(claim.evidence) == 0]
	input.result.coverage.total == count(counted) + count(bare)
}

# No evidence item is in this state, and the coverage says so too.
none_in_state(state) if {
	input.result.coverage[state] == 0
	claims
	not states[state]
}

# Every state that an item says it is in.
states contains evidence.state if {
	some claim in input.result.claims
	some evidence in claim.evidence
}

# One violation for each evidence item in this state.
items_in_state(code, state, verb) := {v |
	states[state]
	some i, claim in input.result.claims
	some j, evidence in claim.evidence
	evidence.state == state
	name := item_name(claim, j)
	text := concat("", [name, " (", shown(at(evidence, ["kind"])), ") ", verb, ": ", message(evidence)])
	v := termed(code, name, text, [pointer(["result", "claims", i, "evidence", j])])
}

# What stands against a result that does not say of every item whether it is in this state.
uncounted(code, word) := {violation(code, text, facts([["result", "claims"], ["result", "coverage"]]))} if {
	text := concat("", ["the result does not say of every evidence item whether it ", word])
}

# What a claim's evidence item is called in messages: the claim's id and the position.
item_name(claim, position) := concat("", [shown(at(claim, ["id"])), "[", json.marshal(position), "]"])
