"""A file outside of the copy."""

import json
import sys

facts = json.loads(sys.argv[1])
with open(facts["outside"], "rb") as file:
    print(file.read())
