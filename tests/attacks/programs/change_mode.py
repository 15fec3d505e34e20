"""The mode of a file outside of the copy, so that others can read it."""

import json
import os
import sys

facts = json.loads(sys.argv[1])
os.chmod(facts["precious"], 0o666)
