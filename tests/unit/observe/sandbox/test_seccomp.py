"""The filter of system calls: what it refuses, how, and that honest calls pass."""

import os
from collections.abc import Callable

import pytest

from in_toto_done_receipt.observe.sandbox import seccomp
from in_toto_done_receipt.observe.sandbox.model import CommandOutcome
from in_toto_done_receipt.results.model import SandboxLevel

Inside = Callable[..., CommandOutcome]

pytestmark = pytest.mark.skipif(seccomp.filter_program(alone=True) is None, reason="there is no libseccomp here")
intel = pytest.mark.skipif(os.uname().machine != "x86_64", reason="machine code of x86")

CALL = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def said(result):
    return "done" if result >= 0 else errno.errorcode[ctypes.get_errno()]
"""


@pytest.mark.parametrize("alone", [True, False])
def test_a_program_is_whole_instructions_and_not_too_many(alone: bool) -> None:
    program = seccomp.filter_program(alone=alone)
    assert program is not None
    assert len(program) % 8 == 0
    assert len(program) // 8 < 4096  # what the kernel takes


def test_without_the_library_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp, "LIBRARY", "libnothing.so.0")
    assert seccomp.filter_program.__wrapped__(alone=True) is None


def test_another_library_of_that_name_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp, "LIBRARY", "libc.so.6")
    assert seccomp.filter_program.__wrapped__(alone=True) is None


def test_families_of_sockets(level: SandboxLevel, python: Inside) -> None:
    """Those of the machine, of both internets, and netlink. The kernel looks at the lower half of the number only."""
    source = """
libc.socket.argtypes = [ctypes.c_long] * 3
for family in (1, 2, 10, 16, 3, 15, 17, 38, 40, 17 | 1 << 32, 40 | 1 << 32):
    print(said(libc.socket(family, 3 if family == 16 else 2, 0)))
"""
    outcome = python(level, CALL + source)
    assert outcome.stdout_data.decode().split() == [*["done"] * 4, *["EAFNOSUPPORT"] * 7]


def test_nothing_is_typed_into_a_terminal(level: SandboxLevel, python: Inside) -> None:
    """Standard input is none: without the filter the error would be another, as for the last one."""
    source = """
libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p]
for request in (0x5412, 0x5412 | 1 << 32, 0x541C, 0x5401):
    print(said(libc.ioctl(0, request, b"x" * 100)))
"""
    assert python(level, CALL + source).stdout_data.split() == [b"EPERM", b"EPERM", b"EPERM", b"ENOTTY"]


def test_the_library_finds_no_clone3_and_goes_another_way(level: SandboxLevel, python: Inside) -> None:
    source = """
import subprocess, threading
print(said(libc.syscall(435, None, 0)))
threading.Thread(target=lambda: print(subprocess.run(["/bin/echo", "ran"], capture_output=True).stdout)).start()
"""
    assert python(level, CALL + source).stdout_data == b"ENOSYS\nb'ran\\n'\n"


def test_unshare_of_what_is_no_namespace_works(level: SandboxLevel, python: Inside) -> None:
    source = """
for flags in (0x200, 0x400, 0x00020000, 0x10000000, 0x10000200, 0x80):
    print(said(libc.unshare(flags)))
"""
    assert python(level, CALL + source).stdout_data.split() == [b"done", b"done", *[b"EPERM"] * 4]


ATTACH = """
child = os.fork()
if child == 0:
    import time
    time.sleep(5)
    os._exit(0)
print(said(libc.ptrace(0x4206, child, None, None)))
os.kill(child, 9)
"""


def test_own_processes_can_be_attached_to_where_there_are_no_others(level: SandboxLevel, python: Inside) -> None:
    expected = b"done\n" if level == "bubblewrap" else b"EPERM\n"
    assert python(level, CALL + ATTACH).stdout_data == expected


LESSER = """
import mmap
code = bytes.fromhex("53b8{call:08x}bb{first:08x}b9{second:08x}cd805bc3")
place = mmap.mmap(-1, 4096, prot=7)
place.write(code)
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(place)))())
"""


def lesser(call: int, first: int = 0, second: int = 0) -> str:
    """Calls the kernel as a 32-bit program does: push ebx; eax, ebx, ecx; int 0x80."""
    words = {"call": call, "first": first, "second": second & 0xFFFFFFFF}
    swapped = {name: int.from_bytes(value.to_bytes(4, "little"), "big") for name, value in words.items()}
    return CALL + LESSER.format(**swapped)


@intel
def test_calls_of_32_bit_programs_are_filtered_too(level: SandboxLevel, python: Inside) -> None:
    assert python(level, lesser(20) + "print(os.getpid())").exit_code == 0  # getpid
    keyctl = python(level, lesser(288, 0, -3))
    assert keyctl.stdout_data == b"-1\n"  # -EPERM; else the number of a keyring


@intel
def test_calls_of_the_third_kind_are_refused(level: SandboxLevel, python: Inside) -> None:
    """x32: the same numbers with one more bit."""
    source = CALL + "print(said(libc.syscall(250 | 0x40000000, 0, -3, 0)))"
    assert python(level, source).stdout_data in (b"EPERM\n", b"ENOSYS\n")
