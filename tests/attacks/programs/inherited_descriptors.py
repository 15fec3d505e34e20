"""Whatever is open in this process already."""

import os

for number in range(4096):
    try:
        print(number, os.pread(number, 1000, 0))
    except OSError:
        continue
