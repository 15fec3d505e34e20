"""The supervisor is stopped, so that nobody looks at the clock."""

import os
import signal
import time

os.kill(os.getppid(), signal.SIGSTOP)
time.sleep(8)
print("ESCAPED: nobody looked at the clock", flush=True)
