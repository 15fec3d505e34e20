# METADATA
# title: No exception is made
# description: |
#   The profile holds no exception, whether it would be needed or not. Where this is demanded, nothing can waive it.
#   Exceptions that have expired, that match nothing, that name no term where several are waived, or that cannot be
#   made are warnings under this code, wherever.
# custom:
#   short_name: exceptions
#   order: 230
#   severity: error
#   failure_msg: the profile makes an exception
#   solution: |
#     Repair what the exception is for, and take it out of the profile.
#   collections: [release]
#   depends_on: []
#   effective_on: always
package done_receipt.rules.profile.exceptions

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if {
	is_object(input.profile)
	lib.at(input.profile, ["exceptions"]) in [null, []]
}

violations contains violation if {
	lib.demanded("profile.exceptions")
	not satisfied
	not is_array(lib.at(input, ["profile", "exceptions"]))
	violation := lib.violation("profile.exceptions", "the exceptions cannot be read", grounds)
}

violations contains violation if {
	lib.demanded("profile.exceptions")
	is_array(input.profile.exceptions)
	some i, exception in input.profile.exceptions
	text := concat("", [
		"no exception is allowed by ",
		demand.whose("profile.exceptions"),
		", the profile makes one for ",
		lib.shown(lib.at(exception, ["code"])),
	])
	violation := lib.violation("profile.exceptions", text, lib.facts([["profile", "exceptions", i]]))
}

grounds := lib.facts([["profile", "exceptions"]])
