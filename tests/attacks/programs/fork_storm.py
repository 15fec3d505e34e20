"""Every process starts others, so that there are always some that have not been killed yet."""

import fcntl
import os
import signal
import time

lock = os.open("held", os.O_WRONLY | os.O_CREAT, 0o600)
fcntl.flock(lock, fcntl.LOCK_EX)
end = time.monotonic() + 2
while time.monotonic() < end:
    try:
        if os.fork() == 0:
            os.setsid()
            signal.alarm(10)
    except OSError:
        time.sleep(0.01)
time.sleep(8)
