"""8 GiB (or what is given), each of eight processes within its own limit."""

import json
import mmap
import os
import signal
import sys
import time

facts = json.loads(sys.argv[1])
PAGE = 4096
reading, writing = os.pipe()
for _ in range(8):
    if os.fork() == 0:
        signal.alarm(15)
        size = facts["memory"] // 8
        place = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for start in range(0, size, PAGE):
            place[start] = 1
        os.write(writing, b"x")
        time.sleep(15)
        os._exit(0)
held = 0
while held < 8:
    held += len(os.read(reading, 8))
print("ESCAPED: held", facts["memory"], "bytes", flush=True)
