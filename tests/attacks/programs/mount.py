"""Mount something."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
os.mkdir("here")
if libc.mount(b"none", b"here", b"tmpfs", 0, None) == 0:
    print("ESCAPED: mounted")
print(os.strerror(ctypes.get_errno()))
