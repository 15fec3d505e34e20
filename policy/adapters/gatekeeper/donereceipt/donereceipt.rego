# METADATA
# title: The entry point of the constraint template
# description: |
#   `answer` is defined beside it: what the provider says of the images. Where that is undefined, nobody answered, and
#   what is said here is defined all the same.
package donereceipt

import data.done_receipt_adapters.gatekeeper

violation contains found if {
	some found in gatekeeper.violations(review, parameters, answer)
}

default answer := null

default review := null

review := input.review

default parameters := {}

parameters := input.parameters
