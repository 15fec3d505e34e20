package done_receipt_adapters.wording_test

import data.done_receipt_adapters.wording

test_a_line_stays_one_line if {
	wording.plain("a\r\nb") == `a\x0d\x0ab`
	wording.plain("a\u2028b\u001b[31m") == `a\u2028b\x1b[31m`
	wording.plain("\u202ea\u0085\u007f") == `\u202ea\x85\x7f`
}

test_no_code_of_a_runner_is_left if wording.plain("100%0A") == `100\x250A`

test_a_command_of_a_runner_is_none if wording.plain("a ##[error]x ##vso[x]") == `a \x23#[error]x \x23#vso[x]`

test_words_stay_as_they_are if wording.plain("Grüße — src/a.py") == "Grüße — src/a.py"

test_a_sentence_says_what_to_do if {
	said := {"code": "a.b", "message": "m", "solution": "s", "facts": []}
	wording.sentence(said) == "a.b: m — s"
	wording.sentence(object.union(said, {"term": "t\n", "solution": ""})) == `a.b[t\x0a]: m`
}

test_what_cannot_be_read_is_told_as_it_is if {
	wording.sentence({"code": "a.b", "message": 1}) == `{"code":"a.b","message":1}`
	wording.sentence({"code": "a.b", "message": "m", "solution": 1}) == "a.b: m"
	wording.sentence(null) == "null"
}
