"""Names of reasons that many cases of the clean room share, and an exception as it stands in a profile."""

OTHER_COMMAND = "evidence-tests.other_command"  # the receipt ran another command than the verifier's
PREEXISTING = "test-inventory.preexisting"
FLAKY = "test-inventory.flaky"
OTHER_CASES = "test-inventory.other_cases"
UNSTABLE = "test-inventory.unstable"
NOT_SEALED = "contract-coverage.not_sealed"

RED = "test-inventory.red"
CHANGED_TEST = "test-inventory.changed_test"
MISSING = "test-inventory.missing"
SHRUNK = "test-inventory.shrunk"
NEWLY_SKIPPED = "test-inventory.newly_skipped"
EXPECTED_FAILURE = "test-inventory.expected_failure"
GREEN_AT_BASE = "test-inventory.green_at_base"
NEW_RED = "test-inventory.new_test_red"
NO_TESTS = "test-inventory.no_tests"
CONTRADICTION = "test-inventory.contradiction"
HIDDEN = "test-inventory.hidden_test"

CANARY_CONTRADICTION = "harness-canary.contradiction"
DEAF = "harness-canary.deaf"
MISREPORTED = "harness-canary.misreported"
LOST = "harness-canary.lost"
BLIND = "harness-canary.blind"

HARNESS_ADDED = "change-scope.harness_added"
HARNESS_CHANGED = "change-scope.harness_changed"

# Whole verdicts: rules that are violated, and reasons.
FAILED = ("evidence.unrefuted", "tests.confirmed", "tests.inventory")
ALL_RED = (RED, "evidence-tests.failed")
NOT_BELIEVED = ("evidence.evaluated", "tests.confirmed", "tests.inventory", "tests.canary")
CONTRADICTORY = ("evidence-tests.contradiction", CONTRADICTION, CANARY_CONTRADICTION)
DISHONEST = ("evidence.evaluated", "tests.confirmed", "tests.canary")
DISTRUSTED = "evidence-tests.harness"


def excepted(code: str, term: str) -> str:
    """An [[exception]] for one requirement."""
    return (
        f'\n[[exception]]\ncode = "{code}"\nterm = "{term}"\nreason = "agreed in review"\n'
        'approver = "ada@example.org"\nexpires = 2027-01-31T00:00:00Z\n'
    )
