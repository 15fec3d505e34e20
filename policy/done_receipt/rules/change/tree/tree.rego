# METADATA
# title: A tree of git was looked at
# description: |
#   What was examined is the tree of a commit, which nobody can change meanwhile, and not a live directory.
# custom:
#   short_name: tree
#   order: 94
#   severity: error
#   failure_msg: what was examined is a live directory, or nothing
#   solution: |
#     Verify with --repo and --head.
#   collections: [release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.change.tree

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if input.result.workspace.kind == "git-tree"

violations contains violation if {
	lib.demanded("change.tree")
	not satisfied
	text := concat("", [
		"a tree of git is demanded by ",
		demand.whose("change.tree"),
		", what was looked at is ",
		looked_at,
	])
	violation := lib.violation("change.tree", text, lib.facts([["result", "workspace", "kind"]]))
}

default looked_at := "nothing"

looked_at := concat("", ["a ", input.result.workspace.kind, " directory"])

grounds := lib.facts([["result", "workspace", "kind"]])
