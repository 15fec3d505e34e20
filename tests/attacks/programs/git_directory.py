"""The configuration of the repository, which holds a token."""

import json
import sys

facts = json.loads(sys.argv[1])
with open(facts["git"], "rb") as file:
    print(file.read())
