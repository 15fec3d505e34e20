"""An open file of the verifier: through /proc, and by pidfd_getfd."""

import ctypes
import json
import os
import sys

facts = json.loads(sys.argv[1])
try:
    with open(f"/proc/{facts['verifier']}/fd/{facts['descriptor']}", "rb") as file:
        print(file.read())
except OSError as fault:
    print(fault)
try:
    process = os.pidfd_open(facts["verifier"])
    theirs = ctypes.CDLL(None, use_errno=True).syscall(438, process, facts["descriptor"], 0)  # pidfd_getfd
    print(os.pread(theirs, 1000, 0))
except OSError as fault:
    print(fault)
