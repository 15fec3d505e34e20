package done_receipt_adapters.wording_test

import data.done_receipt_adapters.wording

test_a_line_stays_one_line if {
	wording.plain("a\r\nb") == "a%0D%0Ab"
	wording.plain("a\u2028b\u001b[31m") == "a%u2028b%1B[31m"
	wording.plain("\u202ea\u0085\u007f") == "%u202Ea%85%7F"
}

test_what_is_spelled_out_is_not_read_back if wording.plain("100%0A") == "100%250A"

test_a_command_of_a_runner_is_none if wording.plain("a ##[error]x ##vso[x]") == "a %23#[error]x %23#vso[x]"

test_words_stay_as_they_are if wording.plain("Grüße — src/a.py") == "Grüße — src/a.py"

test_a_sentence_says_what_to_do if {
	said := {"code": "a.b", "message": "m", "solution": "s", "facts": []}
	wording.sentence(said) == "a.b: m — s"
	wording.sentence(object.union(said, {"term": "t\n", "solution": ""})) == "a.b[t%0A]: m"
}
