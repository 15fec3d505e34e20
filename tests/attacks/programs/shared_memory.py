"""Memory as files: /dev/shm, /tmp, /dev."""

import json
import sys

facts = json.loads(sys.argv[1])
block = bytes(1 << 20)
written = 0
for folder in ("/dev/shm", "/tmp", "/dev", "/run"):
    try:
        for number in range(1000):
            with open(f"{folder}/attack-{number}", "wb", buffering=0) as file:
                for _ in range(64):
                    written += file.write(block)
                    if written >= facts["memory"]:
                        print("ESCAPED: held", written, "bytes", flush=True)
                        sys.exit()
    except OSError as fault:
        print(folder, fault)
