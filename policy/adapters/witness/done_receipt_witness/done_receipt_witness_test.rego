package done_receipt_witness_test

import data.done_receipt_adapters.document_test as fixture
import data.done_receipt_witness as witness

printed(document) := {"cmd": ["done-receipt"], "exitcode": 0, "stdout": json.marshal(document)}

test_an_admitted_document_is_not_denied if {
	witness.deny == set() with input as fixture.admitted
	witness.deny == set() with input as printed(fixture.admitted)
}

test_a_denied_one_is_denied_in_words if {
	denied := fixture.changed({"/result/verdict/passed": false})
	every document in [denied, printed(denied)] {
		some text in witness.deny with input as document
		startswith(text, "verdict.passed: ")
	}
}

test_anything_else_is_denied_in_words if {
	every other in [null, {}, "a", [], {"stdout": ""}, {"stdout": "{"}, {"stdout": "null"}, {"stdout": 1}] {
		some text in witness.deny with input as other
		startswith(text, "adapter.input: ")
	}
}
