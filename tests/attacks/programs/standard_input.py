"""What somebody types, or pipes into the verifier."""

import os

print(os.read(0, 1000))
