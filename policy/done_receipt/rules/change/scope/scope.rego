# METADATA
# title: The change stays within what the profile allows
# description: |
#   Every path that changed between base and head is one that the profile allows to change and none that it
#   protects; the change is not empty; files that steer the test harness are judged as well. Links, modes, submodules,
#   binary and generated files are warnings.
# custom:
#   short_name: scope
#   order: 96
#   severity: error
#   failure_msg: the change touches what it may not, or nobody looked
#   solution: |
#     Take out of the change what does not belong to it, or allow it in [change] of the profile.
#   collections: [ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.change.scope

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if lib.passed("change-scope")

violations := demand.owed("change.scope", "change-scope")

warnings contains warning if some warning in lib.remarks("change.scope", "change-scope", remarkable)

# What a reviewer would miss otherwise; renames and harmless manifests are in the result alone.
remarkable := {
	"change-scope.documentation_only",
	"change-scope.mode",
	"change-scope.symlink",
	"change-scope.submodule",
	"change-scope.lfs",
	"change-scope.binary",
	"change-scope.generated",
}

grounds := lib.facts(lib.paths_of("change-scope"))
