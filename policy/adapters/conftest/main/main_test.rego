package main_test

import data.done_receipt_adapters.document_test as fixture
import data.main

denied := fixture.changed({"/result/verdict/passed": false})

test_an_admitted_document_passes if {
	main.deny == set() with input as fixture.admitted
	main.deny == set() with input as [{"path": "a.json", "contents": fixture.admitted}]
}

test_a_denied_one_is_told_with_all_there_is if {
	[told] := [one | some one in main.deny] with input as denied
	told.code == "verdict.passed"
	told.file == ""
	startswith(told.msg, "verdict.passed: ")
	is_array(told.facts)
}

test_the_file_is_told_where_conftest_tells_it if {
	combined := [{"path": "a.json", "contents": fixture.admitted}, {"path": "b.json", "contents": denied}]
	{told.file | some told in main.deny} == {"b.json (1)"} with input as combined
}

test_two_documents_of_one_file_are_two if {
	combined := [{"path": "a.json", "contents": denied}, {"path": "a.json", "contents": fixture.admitted}]
	count(main.deny) == 1 with input as combined
	count(main.deny) == 1 with input as [combined[1], combined[0]]
}

test_no_document_is_denied if {told.code | some told in main.deny} == {"adapter.input"} with input as []

test_what_is_no_document_is_denied if {
	every other in [null, {}, "a", [null], [{}], [{"path": "a"}], [[]]] {
		count(main.deny) == 1 with input as other
	}
}

test_warnings_are_told if {
	warned := fixture.changed({"/profile/overrides": ["sandbox.required"]})
	{told.code | some told in main.warn} == {"profile.overrides"} with input as warned
	main.deny == set() with input as warned
	main.warn == set() with input as fixture.admitted
}
