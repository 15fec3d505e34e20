# METADATA
# title: The contract covers what the profile wants sealed
# description: |
#   Every file that the profile wants sealed, listed from the base revision, is sealed one by one: a test that
#   nobody sealed can be changed unseen.
# custom:
#   short_name: coverage
#   order: 104
#   severity: error
#   failure_msg: a file that the profile wants sealed is not, or nobody looked
#   solution: |
#     Seal the files before the work begins, with the patterns of [contract] sealed.
#   collections: [ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.contract.coverage

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if lib.passed("contract-coverage")

violations := demand.owed("contract.coverage", "contract-coverage")

grounds := lib.facts(lib.paths_of("contract-coverage"))
