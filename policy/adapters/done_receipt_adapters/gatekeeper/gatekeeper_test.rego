package done_receipt_adapters.gatekeeper_test

import data.done_receipt_adapters.document_test as fixture
import data.done_receipt_adapters.gatekeeper
import data.donereceipt

digest := "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd"

image := concat("", ["registry.example.com:5000/team/app@sha256:", digest])

second := concat("", ["registry.example.com/b:1@sha256:", digest])

pod(images) := {"object": {"kind": "Pod", "spec": {"containers": [{"image": one} | some one in images]}}}

answer := {"responses": [[image, fixture.admitted]], "errors": [], "status_code": 200, "system_error": ""}

codes(answer_) := coded(pod([image]), {}, answer_)

coded(review, parameters, answer_) := {one.details.code |
	some one in gatekeeper.violations(review, parameters, answer_)
}

test_an_image_that_is_admitted_runs if {
	codes(answer) == set()
	codes(object.union(answer, {"status_code": 0})) == set()
}

test_every_image_of_every_kind_of_object_is_found if {
	container := {"containers": [{"image": image}], "initContainers": [{"image": second}]}
	every object_ in [
		{"spec": container},
		{"spec": {"template": {"spec": container}}},
		{"spec": {"jobTemplate": {"spec": {"template": {"spec": container}}}}},
		{"template": {"spec": container}},
		{"spec": {"containers": [{"image": image}], "ephemeralContainers": [{"image": second}]}},
	] {
		gatekeeper.images({"object": object_}) == {image, second}
		gatekeeper.keys({"object": object_}) == [second, image]
	}
}

test_an_image_without_a_digest_is_denied if {
	coded({"object": {"spec": {"containers": [{}, "a"]}}}, {}, answer) == {"adapter.image"}
	every name in ["app", "app:1", concat("", ["app@sha256:", "abc"]), concat("", [image, "\n"]), null, 1, {}] {
		coded(pod([image, name]), {}, answer) == {"adapter.image"}
	}
}

test_an_object_without_an_image_is_denied if {
	every review in [{}, {"object": null}, {"object": {}}, pod([])] {
		coded(review, {}, answer) == {"adapter.image"}
	}
}

test_what_is_deleted_is_not_asked_about if {
	coded(object.union(pod(["app"]), {"operation": "DELETE"}), {}, null) == set()
	coded(object.union(pod(["app"]), {"operation": "UPDATE"}), {}, null) == {"adapter.image"}
}

test_without_an_answer_it_is_denied if {
	every other in [
		null,
		{},
		[],
		"a",
		object.remove(answer, ["system_error"]),
		object.remove(answer, ["status_code"]),
		object.union(answer, {"system_error": "connection refused"}),
		object.union(answer, {"status_code": 500}),
		object.union(answer, {"errors": [[image, "unknown"]]}),
		{"responses": null, "errors": null, "status_code": 500, "system_error": "down"},
	] {
		"adapter.provider" in codes(other)
	}
}

test_each_image_has_one_answer_and_no_other if {
	every responses in [
		null,
		[],
		{},
		[[image]],
		[[second, fixture.admitted]],
		[[image, fixture.admitted], [image, fixture.admitted]],
		[[image, fixture.admitted], [second, fixture.admitted]],
	] {
		codes(object.union(answer, {"responses": responses})) == {"adapter.answer"}
	}
}

test_what_the_rules_say_is_said_of_the_image if {
	denied := fixture.changed({"/result/verdict/passed": false})
	some violation in gatekeeper.violations(pod([image]), {}, object.union(answer, {"responses": [[image, denied]]}))
	violation.details.image == image
	violation.details.code == "verdict.passed"
	contains(violation.msg, image)
	every other in [null, {}, "a", []] {
		codes(object.union(answer, {"responses": [[image, other]]})) == {"adapter.input"}
	}
}

test_an_answer_that_is_too_old_is_none if {
	now := time.parse_rfc3339_ns("2026-11-30T12:01:00Z")
	coded(pod([image]), {"maxAge": 60}, answer) == set() with time.now_ns as now
	coded(pod([image]), {"maxAge": 59}, answer) == {"adapter.provider"} with time.now_ns as now
	undated := object.union(answer, {"responses": [[image, fixture.changed({"/evaluatedAt": "some day"})]]})
	"adapter.provider" in coded(pod([image]), {"maxAge": 60}, undated) with time.now_ns as now
}

test_the_entry_point_always_says_something if {
	donereceipt.violation == set() with input as {"review": pod([image]), "parameters": {"answer": answer}}
	every other in [
		{"review": pod([image]), "parameters": {}},
		{"review": pod([image]), "parameters": {"answer": null}},
		{"review": pod([image]), "parameters": null},
		{"review": pod([image])},
		{"review": null},
		{},
	] {
		count(donereceipt.violation) == 1 with input as other
	}
}
