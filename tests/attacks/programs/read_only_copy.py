"""A tree that the verifier shows read-only."""

import os

os.makedirs("new")
print("ESCAPED: the tree was written to")
