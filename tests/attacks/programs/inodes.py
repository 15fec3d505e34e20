"""More files than allowed, all of them empty."""

import json
import os
import sys

facts = json.loads(sys.argv[1])
for number in range(facts["inodes"]):
    if number % 1000 == 0:
        os.mkdir(f"d{number}")
        os.chdir(f"d{number}")
    os.mknod(str(number))
print("ESCAPED: made", facts["inodes"], "files", flush=True)
