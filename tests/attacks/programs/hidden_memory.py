"""Memory that is mapped by nobody: files that are in memory only, kept open."""

import json
import os
import sys

facts = json.loads(sys.argv[1])
block = bytes(1 << 20)
written = 0
while written < facts["memory"]:
    file = os.memfd_create("hoard")
    for _ in range(64):
        written += os.write(file, block)
print("ESCAPED: held", written, "bytes", flush=True)
