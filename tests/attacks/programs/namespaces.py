"""New namespaces, by unshare, clone and clone3."""

import ctypes
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)
USER, NET, PID = 0x10000000, 0x40000000, 0x20000000
for flags in (USER, USER | NET, USER | PID):
    child = os.fork()
    if child == 0:
        if libc.unshare(flags) == 0:
            print("ESCAPED: unshared", hex(flags), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
for call, arguments in (
    (56, (USER | 17, 0, 0, 0, 0)),  # clone
    (435, (struct.pack("11Q", USER, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0), 88)),  # clone3
):
    child = libc.syscall(call, *arguments)
    if child == 0:
        os._exit(0)
    if child > 0:
        print("ESCAPED: cloned into a new namespace")
    print(call, os.strerror(ctypes.get_errno()))
