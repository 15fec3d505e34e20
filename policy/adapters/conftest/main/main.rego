# METADATA
# title: conftest
# description: |
#   `conftest test` on what `done-receipt verify --format policy-input` prints. The package is `main`, which is where
#   conftest looks when nobody names a namespace: for a name that there is not it tests nothing, and ends with 0. With
#   --combine, a file that holds nothing is denied too.
package main

import data.done_receipt_adapters.document
import data.done_receipt_adapters.wording

deny contains told("", document.no_policy_input) if count(documents) == 0

deny contains told(file, denial) if {
	some file, content in documents
	some denial in document.denials(content)
}

warn contains told(file, warning) if {
	some file, content in documents
	some warning in document.warnings(content)
}

# Name of the file to its document; conftest tells the name only with --combine, and hands over an array then.
documents := {"": input} if {
	not is_array(input)
} else := {file: content |
	some i, one in input
	file := sprintf("%s (%d)", [object.get(one, "path", ""), i])
	content := object.get(one, "contents", null)
}

# `msg` is what conftest prints, everything else its metadata.
told(file, said) := object.union(said, {"file": file, "msg": wording.sentence(said)})
