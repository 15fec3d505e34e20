# METADATA
# title: The base revision's tests still run and pass
# description: |
#   The profile's test command, at base and at head: no test of the base revision is gone, skipped or red that was
#   not before. Tests that were red before, that are not the same every time, or that base itself does not always have
#   are warnings.
# custom:
#   short_name: inventory
#   order: 164
#   severity: error
#   failure_msg: a test of the base revision is gone, skipped or red, or nobody looked
#   solution: |
#     Put the tests back as they were at the base revision and repair what they show; a test that rightly goes or
#     changes is excepted by its id. Verify with --repo, a base, [tests] in the profile and --recheck-commands.
#   collections: [ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.tests.inventory

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if lib.passed("test-inventory")

violations := demand.owed("tests.inventory", "test-inventory")

warnings contains warning if some warning in lib.remarks("tests.inventory", "test-inventory", remarkable)

# What a reviewer would miss otherwise.
remarkable := {
	"test-inventory.preexisting",
	"test-inventory.flaky",
	"test-inventory.unstable",
	"test-inventory.other_cases",
}

grounds := lib.facts(lib.paths_of("test-inventory"))
