"""The verifier and the supervisor, attached to as a debugger does."""

import ctypes
import json
import os
import sys

facts = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
for number in (facts["verifier"], os.getppid()):
    if libc.ptrace(0x4206, number, None, None) == 0:  # PTRACE_SEIZE
        print("ESCAPED: attached to", number, flush=True)
    print(os.strerror(ctypes.get_errno()))
