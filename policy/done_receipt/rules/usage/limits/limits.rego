# METADATA
# title: The run stayed within its limits
# description: |
#   For each limit in the profile's [usage] the receipt reports the number, and it is not above. Demanded when the
#   profile has [usage].
# custom:
#   short_name: limits
#   order: 200
#   severity: error
#   failure_msg: the run used more than the profile allows, or does not say
#   solution: |
#     Have the usage reported in the receipt, or raise the limit if the run was worth it.
#   collections: []
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.usage.limits

import data.done_receipt.lib

satisfied if {
	is_object(input.profile.usage)
	count(input.profile.usage) > 0
	every name, limit in input.profile.usage {
		kept(object.get(used, name, null), limit)
	}
}

violations contains violation if {
	is_object(input.profile.usage)
	some name, limit in input.profile.usage
	not kept(object.get(used, name, null), limit)
	field := object.get(fields, name, name)
	text := concat("", [
		field,
		" is ",
		lib.shown(lib.at(input.result, ["run", field])),
		", at most ",
		lib.shown(limit),
		" is allowed",
	])
	facts := lib.facts([["result", "run", field], ["profile", "usage", name]])
	violation := lib.termed("usage.limits", name, text, facts)
}

violations contains violation if {
	lib.at(input.profile, ["usage"]) != null
	not readable
	violation := lib.violation("usage.limits", "the limits cannot be read", lib.facts([["profile", "usage"]]))
}

readable if {
	is_object(input.profile.usage)
	count(input.profile.usage) > 0
}

fields := {
	"maxInputTokens": "inputTokens",
	"maxOutputTokens": "outputTokens",
	"maxIterations": "iterations",
	"maxToolCalls": "toolCalls",
}

# What the receipt reports for each limit; missing when it does not.
used[name] := input.result.run[field] if some name, field in fields

# is_number first: null and booleans are less than any number
kept(amount, limit) if {
	is_number(limit)
	is_number(amount)
	amount >= 0
	amount <= limit
}

grounds := lib.facts([["result", "run"], ["profile", "usage"]])
