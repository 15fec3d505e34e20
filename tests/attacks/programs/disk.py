"""More bytes than allowed, in files that are each small enough."""

import json
import os
import sys

facts = json.loads(sys.argv[1])
block = bytes(1 << 20)
written = 0
for number in range(1_000_000):
    place = (os.getcwd(), os.environ["HOME"], os.environ["TMPDIR"])[number % 3]
    with open(f"{place}/{number}", "wb", buffering=0) as file:
        for _ in range(16):
            written += file.write(block)
    if written >= facts["disk"]:
        print("ESCAPED: wrote", written, "bytes", flush=True)
        break
