# METADATA
# title: Commands ran under bubblewrap
# description: |
#   What ran again ran at the sandbox level bubblewrap, whatever lower level the profile allows.
# custom:
#   short_name: bubblewrap
#   order: 215
#   severity: error
#   failure_msg: nothing ran again, or in a weaker sandbox than bubblewrap
#   solution: |
#     Verify on a machine with bubblewrap; doctor says what this one offers.
#   collections: [release]
#   depends_on: [sandbox.level]
#   effective_on: always
package done_receipt.rules.sandbox.bubblewrap

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if input.result.sandbox.level == "bubblewrap"

violations contains violation if {
	lib.demanded("sandbox.bubblewrap")
	not satisfied
	text := concat("", [
		"sandbox level bubblewrap is demanded by ",
		demand.whose("sandbox.bubblewrap"),
		", commands ran at level ",
		lib.shown(lib.at(input.result, ["sandbox", "level"])),
	])
	violation := lib.violation("sandbox.bubblewrap", text, grounds)
}

grounds := lib.facts([["result", "sandbox", "level"]])
