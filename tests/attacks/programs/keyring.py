"""A key in the session keyring of the verifier."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
place = ctypes.create_string_buffer(1000)
key = libc.syscall(250, 10, -3, b"user", b"secret", 0)  # KEYCTL_SEARCH in the session keyring
libc.syscall(250, 11, key, place, 1000)  # KEYCTL_READ
print(place.value, os.strerror(ctypes.get_errno()))
