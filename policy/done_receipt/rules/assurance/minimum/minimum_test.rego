package done_receipt.rules.assurance.minimum_test

import data.done_receipt.rules.assurance.minimum

good := {
	"profile": {"minimumAssurance": "partially_rechecked"},
	"result": {
		"examined": true,
		"assurance": "partially_rechecked",
		"coverage": {"total": 2, "confirmed": 1},
		"claims": [
			{"id": "c", "state": "confirmed", "evidence": [{"kind": "file", "ok": true, "state": "confirmed"}]},
			{"id": "d", "state": "reported", "evidence": []},
		],
	},
}

with_assurance(level) := json.patch(good, [{"op": "replace", "path": "/result/assurance", "value": level}])

test_enough_satisfies if {
	minimum.satisfied with input as good
	count(minimum.violations) == 0 with input as good
}

test_more_satisfies if {
	more := json.patch(json.remove(with_assurance("fully_rechecked"), ["result/claims/1"]), [{
		"op": "replace",
		"path": "/result/coverage/total",
		"value": 1,
	}])
	minimum.satisfied with input as more
	count(minimum.violations) == 0 with input as more
}

test_more_than_the_items_give_does_not_satisfy if {
	not minimum.satisfied with input as with_assurance("fully_rechecked")
	none := json.patch(good, [{"op": "replace", "path": "/result/coverage/confirmed", "value": 0}])
	not minimum.satisfied with input as none
}

test_the_receipts_word_satisfies_where_it_suffices if {
	word := json.patch(with_assurance("reported"), [{
		"op": "replace",
		"path": "/profile/minimumAssurance",
		"value": "reported",
	}])
	minimum.satisfied with input as word
}

test_too_little_is_a_violation if {
	not minimum.satisfied with input as with_assurance("reported")
	minimum.violations == {{
		"code": "assurance.minimum",
		"message": "assurance is reported, demanded is partially_rechecked: 1 of 2 item(s) confirmed",
		"facts": ["/result/assurance", "/profile/minimumAssurance", "/result/coverage", "/result/claims/1/state"],
	}} with input as with_assurance("reported")
}

test_an_unknown_word_does_not_satisfy if {
	not minimum.satisfied with input as with_assurance("certainly")
	count(minimum.violations) == 1 with input as with_assurance("certainly")
}

test_missing_does_not_satisfy if {
	every path in ["result/assurance", "profile/minimumAssurance", "result/claims", "result/coverage"] {
		not minimum.satisfied with input as json.remove(good, [path])
		count(minimum.violations) == 1 with input as json.remove(good, [path])
	}
}
