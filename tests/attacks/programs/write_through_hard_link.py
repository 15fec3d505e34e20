"""A second name in the copy for a file outside, written through."""

import json
import os
import sys

facts = json.loads(sys.argv[1])
os.link(facts["precious"], "link")
with open("link", "w") as file:
    file.write("gone")
