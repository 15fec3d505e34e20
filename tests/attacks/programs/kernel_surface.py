"""Interfaces of the kernel that no test needs and many faults were found in."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
for name, call, arguments in (
    ("io_uring_setup", 425, (8, ctypes.create_string_buffer(200))),
    ("userfaultfd", 323, (1,)),
    ("bpf", 321, (0, None, 0)),
    ("perf_event_open", 298, (None, 0, -1, -1, 0)),
    ("keyctl", 250, (0, -3, 0)),
    ("memfd_secret", 447, (0,)),
):
    result = libc.syscall(call, *arguments)
    reason = os.strerror(ctypes.get_errno()) if result < 0 else "done"
    print(name, reason)
    if reason not in ("Operation not permitted", "Function not implemented"):
        print("ESCAPED: reached", name)
