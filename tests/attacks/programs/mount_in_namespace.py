"""Be root in a user namespace of one's own, and mount there."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
os.mkdir("here")
if libc.unshare(0x10000000 | 0x00020000) == 0 and libc.mount(b"none", b"here", b"tmpfs", 0, None) == 0:
    print("ESCAPED: mounted")
print(os.strerror(ctypes.get_errno()))
