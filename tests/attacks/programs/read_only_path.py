"""A folder that the verifier shows read-only: the toolchain, or the base."""

import json
import sys

facts = json.loads(sys.argv[1])
with open(facts["tool"], "w") as file:
    file.write("gone")
