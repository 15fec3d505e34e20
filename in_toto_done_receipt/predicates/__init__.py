"""What a predicate says: one folder per predicate type. Pure: no I/O, no keys, no clock."""
