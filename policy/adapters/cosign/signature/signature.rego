# METADATA
# title: cosign
# description: |
#   `cosign verify-attestation --policy` takes nothing but true for an answer, and prints any other: so `allow` is true,
#   or the list of what stands against it.
package signature

import data.attested

default allow := false

allow if {
	attested.verdict == true
} else := attested.verdict if {
	is_array(attested.verdict)
}
