# METADATA
# title: policy-controller
# description: |
#   The policy of an attestation in a ClusterImagePolicy. The controller takes true, or a list of objects whose errors
#   it shows to whoever deploys.
package sigstore

import data.attested

default isCompliant := false

isCompliant if {
	attested.verdict == true
} else := [{"result": false, "error": concat("; ", attested.verdict)}] if {
	is_array(attested.verdict)
}
