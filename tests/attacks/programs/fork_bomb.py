"""Many more processes than allowed, all at once."""

import os
import signal
import sys
import time

count = 0
while count < 2_000:
    try:
        child = os.fork()
    except OSError as fault:
        print(fault)
        break
    if child == 0:
        signal.alarm(10)
        time.sleep(10)
        os._exit(0)
    count += 1
if count >= 2_000:
    print("ESCAPED: started", count)
sys.stdout.flush()
time.sleep(0.2)
