"""A daemon again, and the supervisor that would end it is killed."""

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
        time.sleep(5)
    os._exit(0)
os.close(writing)
os.read(reading, 1)
os.kill(os.getppid(), 9)
time.sleep(1)
