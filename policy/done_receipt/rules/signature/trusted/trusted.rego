# METADATA
# title: Somebody the verifier trusts signed it
# description: |
#   At least as many distinct principals of the verifier's trust file as it demands signed exactly these bytes.
#   Not demanded when the verifier asks for no signature; then signature.unsigned warns.
# custom:
#   short_name: trusted
#   order: 10
#   severity: error
#   failure_msg: nobody the verifier trusts signed the receipt
#   solution: |
#     Name the signer's key or identity in the trust file, or have the receipt signed by somebody who is named
#     there.
#   collections: [minimal, ci, protected-branch, release]
#   depends_on: []
#   effective_on: always
package done_receipt.rules.signature.trusted

import data.done_receipt.lib

satisfied if {
	input.profile.unsigned == false
	input.result.trust.mode == "signed"
	is_number(input.result.trust.threshold)
	input.result.trust.threshold >= 1
	count(principals) >= input.result.trust.threshold
	verified
}

violations contains violation if {
	demanded
	some violation in failures
}

violations contains violation if {
	demanded
	not satisfied
	count(failures) == 0
	facts := lib.facts(array.concat([["result", "signers"], ["result", "trust"]], lib.paths_of("signature")))
	violation := lib.violation("signature.trusted", "no trusted signer", facts)
}

failures := lib.from_findings_except("signature.trusted", "signature", {"signature.out_of_scope"})

# Demanded unless the verifier says in so many words that no signature is needed.
demanded if not input.profile.unsigned == true

principals contains signer.principal if {
	is_array(input.result.signers)
	some signer in input.result.signers
	is_string(signer.principal)
	signer.principal != ""
}

# A trusted signer out of its scope is what signature.scope speaks of.
verified if {
	signed
	every finding in lib.check("signature").findings {
		fine(finding)
	}
}

signed if {
	some finding in lib.check("signature").findings
	finding.reason in {"signature.verified", "signature.out_of_scope"}
}

fine(finding) if finding.status == "pass"

fine(finding) if finding.reason == "signature.out_of_scope"

grounds := lib.facts(array.concat([["result", "signers"], ["result", "trust"]], lib.paths_of("signature")))
