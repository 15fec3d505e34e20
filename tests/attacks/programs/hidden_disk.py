"""More bytes than allowed, in files that have no name any more."""

import json
import os
import sys

facts = json.loads(sys.argv[1])
block = bytes(1 << 20)
written, kept = 0, []
while written < facts["disk"]:
    file = open("hoard", "wb", buffering=0)
    kept.append(file)
    os.unlink("hoard")
    for _ in range(16):
        written += file.write(block)
print("ESCAPED: wrote", written, "bytes", flush=True)
