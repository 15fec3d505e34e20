# METADATA
# title: A policy input in somebody else's tool
# description: |
#   The rules of done_receipt, asked by a tool that knows nothing of them. What Python makes sure of around an engine is
#   said again here: that there is a policy input at all, that it demands what its own profile demands, and that an
#   allow has neither violations nor unmet demands beside it. Whatever stands against it is a denial with a code.
package done_receipt_adapters.document

import data.done_receipt.admission
import data.done_receipt.catalogue
import data.done_receipt.lib
import data.done_receipt.selection
import data.done_receipt_adapters.known

# What the rules say of this document; allow is false for whatever is no policy input.
decision(document) := said if said := admission.decision with input as document

# What stands against it: objects with code, message, facts and solution. Nothing, and only then, is an admission.
# Also where a part of the rules is missing, which Rego takes for nothing to say.
denials(document) := {no_policy_input} if {
	not policy_input(document)
} else := found if {
	found := denials_of(document, decision(document))
} else := {not_allowed}

# What the rules warn of.
warnings(document) := {solved(warning) |
	policy_input(document)
	some warning in decision(document).warnings
}

no_policy_input := solved(lib.violation(
	"adapter.input",
	"this is no policy input: `done-receipt verify --format policy-input` prints one",
	[""],
))

policy_input(document) if {
	document.result.schema == "https://w3id.org/done-receipt/result/v0.1"
	is_array(document.result.checks)
	is_array(document.demanded)
	is_string(document.evaluatedAt)
	catalogue.collections[document.profile.collection]
}

denials_of(document, said) := found if {
	found := {solved(violation) | some violation in said.violations} | {cut_short(demand) | some demand in cut(document)}
	count(found) > 0
} else := set() if {
	said.allow == true
} else := {unmet(demand) | some demand in document.demanded; not demand in said.satisfied} | {not_allowed}

not_allowed := solved(lib.violation("adapter.denied", "the policy does not allow it", [""]))

unmet(demand) := solved(lib.violation(
	"engine.unsatisfied",
	concat("", [lib.shown(demand), " is demanded and not satisfied"]),
	["/demanded"],
))

cut_short(demand) := solved(lib.violation(
	"adapter.demands",
	concat("", [demand, " is demanded by the profile in this document, and not by its list of demands"]),
	["/demanded", "/profile"],
))

solved(violation) := object.union(
	{"solution": object.get(solutions, lib.at(violation, ["code"]), "")},
	violation,
)

default solutions := {}

solutions := known.solutions

# What the profile demands and the list of demands does not have. The list is made in Python, which is not here.
cut(document) := {demand |
	some demand in wanted(document)
	not demand in document.demanded
	not excused(demand, document)
}

wanted(document) := ((of_collection | of_sections) | of_evidence) | of_include if {
	of_collection := {code | some code in catalogue.collections[document.profile.collection]}
	of_sections := {code |
		some section, codes in known.sections
		is_object(lib.at(document.profile, [section]))
		some code in codes
	}
	of_evidence := {demand |
		some item in document.profile.evidence
		demand := concat("", ["profile.evidence:", item.claim, "/", item.kind])
	}
	of_include := {code |
		some code, _ in known.rules
		some name in selection.names_of(split(code, ".")[0], code)
		name in document.profile.include
	}
}

excused(demand, document) if selection.excluded(split(demand, ":")[0]) with input as document

excused(demand, document) if demand in document.profile.exclude

excused(demand, document) if selection.future(demand) with input as document

excused("signature.trusted", document) if document.profile.unsigned == true
