# METADATA
# title: The base revision's tests still run and pass
# description: |
#   The profile's test command, at base and at head: no test of the base revision is gone, skipped or red that was
#   not before.
# custom:
#   short_name: inventory
#   order: 164
#   severity: error
#   failure_msg: a test of the base revision is gone, skipped or red, or nobody looked
#   solution: |
#     Put the tests back as they were at the base revision and repair what they show.
#   collections: [ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.tests.inventory

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if lib.passed("test-inventory")

violations := demand.owed("tests.inventory", "test-inventory")

grounds := lib.facts(lib.paths_of("test-inventory"))
