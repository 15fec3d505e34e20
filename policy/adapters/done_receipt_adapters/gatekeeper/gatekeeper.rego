# METADATA
# title: Gatekeeper
# description: |
#   What stands against an object that is about to be admitted to a cluster: an image that is not named by its digest,
#   an image for which the provider of external data has no good answer, and whatever the rules say of the policy input
#   that it answers. Gatekeeper itself takes no answer, or an error beside answers, for nothing that a template has to
#   deny, so all of it is asked here.
package done_receipt_adapters.gatekeeper

import data.done_receipt.lib
import data.done_receipt_adapters.document
import data.done_receipt_adapters.wording

# Violations as Gatekeeper wants them. `answer` is what external_data gave, or null.
violations(review, parameters, answer) := {told(denial) |
	not review.operation == "DELETE"
	some denial in denials(review, parameters, answer)
}

told(denial) := {"msg": wording.sentence(denial), "details": denial}

denials(review, parameters, answer) := found if {
	found := unnamed(review)
	count(found) > 0
} else := found if {
	found := faults(answer, images(review))
	count(found) > 0
} else := {about(image, denial) |
	some [image, document_] in answer.responses
	some denial in (document.denials(document_) | outdated(document_, parameters))
}

about(image, denial) := object.union(denial, {"image": image, "message": concat("", [image, ": ", denial.message])})

# --- The images of an object ---

# What an object that runs containers runs, under each name that a kind has for it.
images(review) := {lib.at(container, ["image"]) |
	some path in [
		["spec"],
		["spec", "template", "spec"],
		["spec", "jobTemplate", "spec", "template", "spec"],
		["template", "spec"],
	]
	some list in ["containers", "initContainers", "ephemeralContainers"]
	some container in object.get(review.object, array.concat(path, [list]), [])
}

# An object without an image is none that can be judged; one whose container has no image has an unnamed one.
unnamed(review) := {image_denial("the object", "runs no image that is known here")} if {
	count(images(review)) == 0
} else := {image_denial(lib.shown(image), "is not named by its digest") |
	some image in images(review)
	not by_digest(image)
}

by_digest(image) if regex.match(`^[a-zA-Z0-9][a-zA-Z0-9._:/-]*@sha256:[0-9a-f]{64}$`, image)

image_denial(name, fact) := document.solved(lib.violation("adapter.image", text, ["/review/object"])) if {
	text := concat(" ", [name, fact])
}

# What to ask the provider, in order.
keys(review) := sort([image | some image in images(review)])

# --- The provider's answer ---

# What is wrong with the answer as a whole; nothing of it is looked at then.
faults(answer, asked) := {no_answer} if {
	not answered(answer)
} else := system_faults(answer) | (error_faults(answer) | key_faults(answer, asked))

answered(answer) if {
	is_string(answer.system_error)
	is_number(answer.status_code)
}

no_answer := provider_denial("there is no answer from the provider")

system_faults(answer) := {provider_denial(concat("", ["the provider failed: ", answer.system_error]))} if {
	answer.system_error != ""
} else := {provider_denial(concat(" ", ["the provider answered with status", json.marshal(answer.status_code)]))} if {
	# 0: all of it was remembered by Gatekeeper
	not answer.status_code in {0, 200}
} else := set()

error_faults(answer) := {provider_denial(text) |
	some error in answer.errors
	text := concat("", ["the provider has no answer: ", json.marshal(error)])
}

# One answer for each image that was asked for, and no other.
key_faults(answer, asked) := {answer_denial(image, given) |
	some image in asked
	given := [value | some [key, value] in answer.responses; key == image]
	count(given) != 1
} | {foreign(key) |
	some [key, _] in answer.responses
	not key in asked
}

answer_denial(image, given) := document.solved(lib.violation("adapter.answer", text, [])) if {
	text := concat("", [image, " has ", json.marshal(count(given)), " answers"])
}

foreign(key) := document.solved(lib.violation("adapter.answer", text, [])) if {
	text := concat("", [json.marshal(key), " is answered, and nobody asked"])
}

provider_denial(text) := document.solved(lib.violation("adapter.provider", text, []))

# --- Age ---

# With `maxAge`, in seconds, an answer that was made longer ago is none: Gatekeeper and providers remember answers.
outdated(document_, parameters) := set() if {
	not is_number(lib.at(parameters, ["maxAge"]))
} else := set() if {
	age := time.now_ns() - time.parse_rfc3339_ns(document_.evaluatedAt)
	age <= parameters.maxAge * 1000000000
} else := {document.solved(lib.violation("adapter.provider", "the answer is older than maxAge", ["/evaluatedAt"]))}
