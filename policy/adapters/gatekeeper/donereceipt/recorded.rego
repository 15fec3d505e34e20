package donereceipt

# An answer that was recorded, for `gator`, which asks no provider: in the form that external_data gives.
answer := input.parameters.answer
