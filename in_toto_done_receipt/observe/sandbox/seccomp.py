"""The filter of system calls: what no test needs, and what faults of the kernel are reached through.

Made by libseccomp where there is one, in the verifier; the supervisor only hands the finished program to the kernel.
Everything refused gives an error, never death, so that honest software goes another way.
"""

import ctypes
import errno
import os
from functools import cache
from typing import Final

LIBRARY: Final = "libseccomp.so.2"

ALLOW: Final = 0x7FFF0000  # SCMP_ACT_ALLOW
ERRNO: Final = 0x00050000  # SCMP_ACT_ERRNO, with the number in its lower half
BAD_ARCHITECTURE: Final = 2  # SCMP_FLTATR_ACT_BADARCH
LESSER: Final = {"x86_64": 0x40000003, "aarch64": 0x40000028}  # the 32-bit programs that a machine runs too
EQUAL, AT_LEAST, MASKED = 4, 5, 7  # SCMP_CMP_EQ, _GE, _MASKED_EQ
LOW_HALF: Final = 0xFFFFFFFF  # of an argument that the kernel reads as 32 bits

Test = tuple[int, int, int, int]  # argument, comparison, mask or value, value under the mask

WHOLE: Final = (
    *("mount", "umount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr"),
    *("fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "setns"),
    *("keyctl", "add_key", "request_key"),
    *("bpf", "userfaultfd", "perf_event_open", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "create_module"),
    *("open_by_handle_at", "pidfd_getfd", "kcmp", "memfd_secret", "fanotify_init", "lookup_dcookie"),
    *("reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "nfsservctl", "vhangup", "syslog"),
    *("settimeofday", "clock_settime", "stime", "sethostname", "setdomainname", "iopl", "ioperm", "_sysctl", "uselib"),
)

# mount, time, control groups, host name, System V, users, processes, network
NAMESPACES: Final = (0x00020000, 0x00000080, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
IN_SIGNAL_BITS: Final = 0x00000080  # clone has the number of a signal there
TERMINAL: Final = (0x5412, 0x541C)  # TIOCSTI types into a terminal, TIOCLINUX pastes
FOREIGN: Final = (16, 0x4206)  # PTRACE_ATTACH and SEIZE: what is no child that asked for it
OURS: Final = (1, 2)  # in a namespace of its own: bwrap and the supervisor
FAMILIES: Final = (1, 2, 10, 16)  # sockets within the machine, of both internets, and of netlink, which says so
LAST_FAMILY: Final = 16


@cache
def filter_program(*, alone: bool) -> bytes | None:
    """The filter as the kernel takes it, or None where there is no libseccomp that can make it.

    `alone`: the command sees no process but its own, so it may attach to any of them, as leak sanitizers do.
    Not ensured: that the kernel takes it, see the layer `seccomp`.
    """
    try:
        library = ctypes.CDLL(LIBRARY)
        library.seccomp_init.restype = ctypes.c_void_p
        return _Filter(library).program(alone=alone)
    except (OSError, AttributeError):
        return None


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


class _Filter:
    """One filter under construction. Raises OSError when libseccomp refuses something."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self._context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(ALLOW)))
        if self._context.value is None:
            raise OSError("no filter")

    def program(self, *, alone: bool) -> bytes:
        """All rules, as the kernel reads them."""
        try:
            self._rules()
            self._tracing(alone=alone)
            return self._exported()
        finally:
            self._library.seccomp_release(self._context)

    def _rules(self) -> None:
        refused = ctypes.c_uint32(ERRNO | errno.EPERM)
        self._check(self._library.seccomp_attr_set(self._context, BAD_ARCHITECTURE, refused))
        lesser = LESSER.get(os.uname().machine)
        if lesser is not None:
            self._check(self._library.seccomp_arch_add(self._context, ctypes.c_uint32(lesser)))
        for name in WHOLE:
            self.refuse(name)
        for flag in NAMESPACES:
            self.refuse("unshare", (0, MASKED, flag, flag))
            if flag != IN_SIGNAL_BITS:
                self.refuse("clone", (0, MASKED, flag, flag))
        self.refuse("clone3", code=errno.ENOSYS)  # its flags are in memory, which a filter cannot read
        for request in TERMINAL:
            self.refuse("ioctl", (1, MASKED, LOW_HALF, request))
        self.refuse("socket", (0, AT_LEAST, LAST_FAMILY + 1, 0), code=errno.EAFNOSUPPORT)
        for family in range(1, LAST_FAMILY):
            if family not in FAMILIES:
                self.refuse("socket", (0, EQUAL, family, 0), code=errno.EAFNOSUPPORT)

    def _tracing(self, *, alone: bool) -> None:
        attach = [(0, EQUAL, request, 0) for request in FOREIGN]
        if not alone:
            for request in attach:
                self.refuse("ptrace", request)
            return
        for pid in OURS:
            for request in attach:
                self.refuse("ptrace", request, (1, MASKED, LOW_HALF, pid))
            for name in ("process_vm_readv", "process_vm_writev"):
                self.refuse(name, (0, MASKED, LOW_HALF, pid))

    def refuse(self, name: str, *tests: Test, code: int = errno.EPERM) -> None:
        """This call fails with the code where all tests hold. Does nothing for a call that libseccomp does not know."""
        number = self._library.seccomp_syscall_resolve_name(name.encode())
        if number == -1:
            return
        comparisons = (_Comparison * len(tests))(*(_Comparison(*test) for test in tests))
        self._check(
            self._library.seccomp_rule_add_array(
                self._context, ctypes.c_uint32(ERRNO | code), number, ctypes.c_uint(len(tests)), comparisons
            )
        )

    def _exported(self) -> bytes:
        with os.fdopen(os.memfd_create("filter", os.MFD_CLOEXEC), "r+b") as file:
            self._check(self._library.seccomp_export_bpf(self._context, file.fileno()))
            file.seek(0)
            return file.read()

    @staticmethod
    def _check(result: int) -> None:
        if result < 0:
            raise OSError(-result, os.strerror(-result))
