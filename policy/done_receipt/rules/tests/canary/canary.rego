# METADATA
# title: The test harness tells the truth
# description: |
#   Failing tests that the verifier planted were reported failed, and a passing one passed; existing tests that were
#   made to fail were reported failed too; every layer that the profile demands was there.
# custom:
#   short_name: canary
#   order: 166
#   severity: error
#   failure_msg: the test harness did not report a planted failure, or nobody planted one
#   solution: |
#     Find out what in the change keeps the harness from reporting failures. Verify with --repo, a base, [tests] in
#     the profile and --recheck-commands.
#   collections: [ci, protected-branch, release]
#   depends_on: [statement.handler]
#   effective_on: always
package done_receipt.rules.tests.canary

import data.done_receipt.demand
import data.done_receipt.lib

satisfied if lib.passed("harness-canary")

violations := demand.owed("tests.canary", "harness-canary")

grounds := lib.facts(lib.paths_of("harness-canary"))
