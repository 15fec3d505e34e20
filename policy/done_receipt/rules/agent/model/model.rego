# METADATA
# title: The model is an allowed one
# description: |
#   The receipt names the model that answered and the profile allows it. Demanded when the profile has [agent]
#   models.
# custom:
#   short_name: model
#   order: 190
#   severity: error
#   failure_msg: the receipt names no model or one that the profile does not allow
#   solution: |
#     Have the model named in the receipt, and in [agent] models if it may do this work.
#   collections: []
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.agent.model

import data.done_receipt.lib

satisfied if {
	is_array(input.profile.agent.models)
	is_string(input.result.run.model)
	input.result.run.model in input.profile.agent.models
}

violations contains violation if {
	lib.at(input.profile, ["agent"]) != null
	not satisfied
	text := concat("", ["the model is ", reported, ", allowed: ", allowed])
	violation := lib.violation("agent.model", text, grounds)
}

reported := lib.shown(lib.at(input.result, ["run", "model"]))

default allowed := "none"

allowed := concat(", ", names) if {
	is_array(input.profile.agent.models)
	names := [name | some name in input.profile.agent.models; is_string(name)]
	count(names) > 0
}

grounds := lib.facts([["result", "run", "model"], ["profile", "agent", "models"]])
