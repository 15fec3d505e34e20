"""A daemon: forked twice, a session of its own, no descriptor kept but a lock."""

import fcntl
import os
import time

reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        lock = os.open("held", os.O_WRONLY | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.dup2(lock, 0)
        os.closerange(1, 256)
        time.sleep(30)
    os._exit(0)
os.close(writing)
os.read(reading, 1)
