"""A file of the user's home."""

import json
import sys

facts = json.loads(sys.argv[1])
with open(facts["home"], "rb") as file:
    print(file.read())
