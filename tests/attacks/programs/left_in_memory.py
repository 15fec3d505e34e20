"""Shared memory of System V, which lives on without any process."""

import ctypes
import json
import sys

facts = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
print(libc.shmget(facts["key"], 4096, 0o1600))
