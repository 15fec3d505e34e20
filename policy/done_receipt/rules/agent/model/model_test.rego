package done_receipt.rules.agent.model_test

import data.done_receipt.rules.agent.model

good := {"profile": {"agent": {"models": ["m-1", "m-2"]}}, "result": {"examined": true, "run": {"model": "m-2"}}}

test_an_allowed_model_satisfies if {
	model.satisfied with input as good
	count(model.violations) == 0 with input as good
}

test_another_model_is_a_violation if {
	bad := json.patch(good, [{"op": "replace", "path": "/result/run/model", "value": "m-3"}])
	not model.satisfied with input as bad
	{violation.message | some violation in model.violations} == {"the model is m-3, allowed: m-1, m-2"} with input as bad
}

test_a_receipt_without_a_model_is_a_violation if {
	bad := json.remove(good, ["result/run/model"])
	not model.satisfied with input as bad
	some violation in model.violations with input as bad
	violation.message == "the model is missing, allowed: m-1, m-2"
}

test_models_that_are_no_list_do_not_satisfy if {
	text := json.patch(good, [{"op": "replace", "path": "/profile/agent/models", "value": "m-2"}])
	not model.satisfied with input as text
	count(model.violations) == 1 with input as text
}

test_silent_when_not_demanded if {
	undemanded := json.remove(good, ["profile/agent"])
	not model.satisfied with input as undemanded
	count(model.violations) == 0 with input as undemanded
}
