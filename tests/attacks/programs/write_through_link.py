"""A symbolic link in the copy that leads outside, written through."""

import json
import os
import sys

facts = json.loads(sys.argv[1])
os.symlink(facts["precious"], "link")
with open("link", "w") as file:
    file.write("gone")
