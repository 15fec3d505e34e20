package done_receipt.rules.change.tree_test

import data.done_receipt.rules.change.tree

good := {
	"demanded": ["change.tree"],
	"profile": {"collection": "release"},
	"result": {"workspace": {"kind": "git-tree", "root": "/r"}},
}

test_a_tree_of_git_satisfies if {
	tree.satisfied with input as good
	tree.violations == set() with input as good
	tree.grounds == ["/result/workspace/kind"] with input as good
}

test_a_directory_is_a_violation if {
	live := json.patch(good, [{"op": "replace", "path": "/result/workspace/kind", "value": "live"}])
	not tree.satisfied with input as live
	tree.violations == {{
		"code": "change.tree",
		"message": "a tree of git is demanded by collection release, what was looked at is a live directory",
		"facts": ["/result/workspace/kind"],
	}} with input as live
}

test_nothing_is_a_violation if {
	none := json.patch(good, [{"op": "replace", "path": "/result/workspace", "value": null}])
	not tree.satisfied with input as none
	{violation.message | some violation in tree.violations} == {concat("", [
		"a tree of git is demanded by collection release, ",
		"what was looked at is nothing",
	])} with input as none
}

test_silent_when_not_demanded if {
	tree.violations == set() with input as {"demanded": [], "result": {}}
}
