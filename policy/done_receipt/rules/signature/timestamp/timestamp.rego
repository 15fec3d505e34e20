# METADATA
# title: Somebody else says when it was signed
# description: |
#   A signer has a verified time: of a transparency log or of a time-stamping authority, never the receipt's own word.
# custom:
#   short_name: timestamp
#   order: 35
#   severity: error
#   failure_msg: no signature has a time that somebody other than the signer vouches for
#   solution: |
#     Sign with a transparency log or a time-stamping authority, and verify with the trusted root that names it.
#   collections: [release]
#   depends_on: [signature.trusted]
#   effective_on: always
package done_receipt.rules.signature.timestamp

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if count(times) > 0

violations contains violation if {
	lib.demanded("signature.timestamp")
	not satisfied
	text := concat("", [
		"a verified time of a signature is demanded by ",
		demand.whose("signature.timestamp"),
		", and no signer has one",
	])
	violation := lib.violation("signature.timestamp", text, lib.facts([["result", "signers"]]))
}

times := [["result", "signers", i, "times", j] |
	is_array(input.result.signers)
	some i, signer in input.result.signers
	is_array(signer.times)
	some j, stamp in signer.times
	is_string(stamp.time)
	stamp.source in {"rekor", "tsa"}
]

grounds := lib.facts(times)
